//! Contenders introduce themselves: who they are, what they offer, whether their knobs took.

use crate::case::Catalogue;
use crate::process::{Conversation, Greeting, Launch, Start, check_knobs, knob_variables};
use crate::record::{ContenderRow, IdentityRow, Kind, KnobValue, Role};
use crate::{Bytes, Contender, Error, Settings, Status, Worker};

/// A worker that has introduced itself.
pub(crate) struct Introduced {
    pub(crate) greeting: Greeting,
    /// How it has to be started for its knobs to be turned.
    pub(crate) launch: Launch,
    pub(crate) catalogue: Catalogue,
}

/// Starts a worker, to hear what it offers and what knobs it has; then once more with the knobs turned, to see that they took.
pub(crate) fn introduce(contender: &Contender, settings: &Settings) -> Result<Introduced, Status> {
    let program = contender.worker.program.as_deref().map_err(|why| Status::NotBuilt { detail: why.clone() })?;
    let mut launch = Launch::of(contender, program)?;
    let mut conversation = Conversation::open(program, &Start::new(settings, 0, &launch))?;
    let catalogue = conversation.catalogue()?;
    let mut greeting = conversation.greeting().clone();
    conversation.quit()?;
    launch.variables = knob_variables(contender, &greeting.knobs)?;
    if !launch.variables.is_empty() {
        let conversation = Conversation::open(program, &Start::new(settings, 0, &launch))?;
        greeting = conversation.greeting().clone();
        conversation.quit()?;
    }
    check_knobs(contender, &greeting)?;
    Ok(Introduced { greeting, launch, catalogue })
}

impl Worker {
    /// What the worker is for, by its own account: it is started for the answer. Fails with why it cannot be asked.
    pub fn kind(&self) -> Result<Kind, Status> {
        let introduced = introduce(&Contender::plain(self.clone()), &Settings::default())?;
        Ok(introduced.greeting.kind.into())
    }
}

/// The row of a contender, with its introduction if it could make one.
pub(crate) fn contender_row(
    contender: &Contender,
    role: Role,
    status: Status,
    greeting: Option<Greeting>,
) -> ContenderRow {
    ContenderRow {
        name: contender.name.clone(),
        role,
        status,
        backend: contender.worker.name.clone(),
        set: contender.knobs.clone(),
        identity: greeting.map(identity_row),
    }
}

pub(crate) fn identity_row(greeting: Greeting) -> IdentityRow {
    let knobs = greeting.knobs.into_iter();
    IdentityRow {
        crate_name: greeting.crate_name,
        crate_version: greeting.crate_version,
        upstream_version: greeting.upstream_version,
        licence: greeting.licence,
        forwards: greeting.forwards,
        kind: greeting.kind.into(),
        proof: greeting.proof.word().to_owned(),
        proof_detail: greeting.proof_detail,
        build: greeting.build,
        features: greeting.features,
        knobs: knobs.map(|knob| (knob.name, KnobValue { value: knob.value, confirmed: knob.confirmed })).collect(),
        start_rss: greeting.start_rss.map(Bytes),
    }
}

/// The contenders with the reference first: the one of that name, else `system`, else the first. Fails if it does not take
/// part, if nobody does, if one takes part twice, or if one has no name.
///
/// The rows of a record are told apart by their names, that of the twin included.
pub(crate) fn in_order(
    mut contenders: Vec<Contender>,
    reference: Option<&str>,
    twin: bool,
) -> Result<Vec<Contender>, Error> {
    if contenders.is_empty() {
        return Err(Error::NothingSelected("no contender is selected".into()));
    }
    if contenders.iter().any(|contender| contender.name.is_empty()) {
        return Err(Error::Usage("a contender has no name".into()));
    }
    for (index, contender) in contenders.iter().enumerate() {
        if contenders[..index].iter().any(|other| other.name == contender.name) {
            return Err(Error::Usage(format!("{:?} takes part twice", contender.name)));
        }
    }
    let position = |name: &str| contenders.iter().position(|contender| contender.name == name);
    let reference = match reference {
        Some(name) => position(name).ok_or_else(|| {
            let known: Vec<_> = contenders.iter().map(|contender| contender.name.as_str()).collect();
            Error::Usage(format!("the reference {name:?} does not take part; there are {}", known.join(", ")))
        })?,
        None => position("system").unwrap_or(0),
    };
    contenders[..=reference].rotate_right(1);
    let twin = twin.then(|| twin_of(&contenders[0].name));
    match contenders.iter().find(|contender| Some(&contender.name) == twin.as_ref()) {
        Some(contender) => Err(Error::Usage(format!("{:?} is what the reference's twin is called", contender.name))),
        None => Ok(contenders),
    }
}

/// The name under which the reference takes part a second time.
pub(crate) fn twin_of(reference: &str) -> String {
    format!("{reference} (twin)")
}
