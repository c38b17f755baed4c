//! The checks of soundness, as the protocol asks for them.

use std::fmt;

use heapmark_protocol::{Field, LineWriter, Message, Verified, Verify, verb};
use heapmark_soundness::{CHECKS, Check, Outcome, Promises};

use crate::channel::send;
use crate::identity::Identity;
use crate::runtime::Stop;

/// Lists the checks, and the limits that the allocator is known to have.
pub(crate) fn list(identity: &Identity, line: &mut LineWriter) -> Result<(), Stop> {
    for check in CHECKS {
        let message = heapmark_protocol::Check { name: check.name.into(), summary: check.summary.into() };
        send(message.write(line).finish())?;
    }
    for limit in identity.limits {
        let (check, reason) = (limit.check.into(), limit.reason.into());
        send(heapmark_protocol::Limit { check, finding: limit.finding, reason }.write(line).finish())?;
    }
    send(line.start(verb::END).finish())?;
    Ok(())
}

/// Makes one check and says what it came to. What is wrong is said without the heap, which may be in ruins by then.
pub(crate) fn verify(identity: &Identity, message: &Message<'_>, line: &mut LineWriter) -> Result<(), Stop> {
    let request = Verify::read(message)?;
    let Some(check) = Check::named(&request.check) else {
        let names: Vec<_> = CHECKS.iter().map(|check| check.name).collect();
        return Err(Stop::Error(format!("no check is named {:?}; there are {}", request.check, names.join(", "))));
    };
    let outcome = check.run(Promises { purge: identity.purge });
    let (finding, skipped, detail) = match outcome {
        Outcome::Passed(note) => (None, false, note),
        Outcome::Skipped(reason) => (None, true, reason),
        Outcome::Found(finding, detail) => (Some(finding), false, detail),
    };
    match identity.statistics {
        // What the allocator counts of itself says what the memory is that it keeps. Only a sound one is asked.
        Some(count) if check.name == "purge" && finding.is_none() && !skipped => {
            line.start(verb::Verified);
            Field::put(&skipped, "skipped", line);
            line.display("detail", format_args!("{detail}; at the end of the check {}", fmt::from_fn(|f| count(f))));
        }
        _ => {
            Verified { finding, skipped, detail: detail.into() }.write(line);
        }
    }
    send(line.finish())?;
    Ok(())
}
