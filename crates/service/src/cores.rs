//! Which processors the server runs on, and which the generator: apart from each other where there are enough.
//!
//! A thread hands its processors on to what it starts. So this thread takes those of the generator to start that, then those of the
//! server to start its threads, and in the end those that it had.

use rustix::io;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Processors from which on the server and the generator are kept apart without being told: one for the generator is then not too
/// large a part.
const ENOUGH: usize = 4;

/// Who runs where.
pub(crate) struct Cores {
    before: CpuSet,
    apart: Option<Apart>,
}

/// Two sets that have nothing in common.
struct Apart {
    server: CpuSet,
    generator: CpuSet,
}

impl Cores {
    /// Of the processors that this thread may run on, so many for the server, and the rest for the generator. With 0, all but one for
    /// the server where there are four or more, else all for both.
    pub(crate) fn of(server: usize) -> Result<Self, String> {
        let before =
            sched_getaffinity(None).map_err(|error| format!("cannot see which processors there are: {error}"))?;
        let usable: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|processor| before.is_set(*processor)).collect();
        let apart =
            split(&usable, server)?.map(|(server, generator)| Apart { server: set(server), generator: set(generator) });
        Ok(Self { before, apart })
    }

    /// What this thread starts from now on runs where the generator belongs.
    pub(crate) fn for_generator(&self) -> Result<(), String> {
        self.apart.as_ref().map_or(Ok(()), |apart| run_on(&apart.generator))
    }

    /// What this thread starts from now on runs where the server belongs.
    pub(crate) fn for_server(&self) -> Result<(), String> {
        self.apart.as_ref().map_or(Ok(()), |apart| run_on(&apart.server))
    }
}

impl Drop for Cores {
    fn drop(&mut self) {
        if self.apart.is_some() {
            // It is as good as over for this thread, wherever it runs.
            let _ = run_on(&self.before);
        }
    }
}

fn set(processors: &[usize]) -> CpuSet {
    let mut set = CpuSet::new();
    for processor in processors {
        set.set(*processor);
    }
    set
}

fn run_on(set: &CpuSet) -> Result<(), String> {
    sched_setaffinity(None, set).map_err(|error: io::Errno| format!("cannot choose processors: {error}"))
}

/// The server's processors and the generator's.
type Split<'a> = (&'a [usize], &'a [usize]);

/// Who has which; nothing where both share all. Fails where the generator would have none.
fn split(usable: &[usize], server: usize) -> Result<Option<Split<'_>>, String> {
    let server = match server {
        0 if usable.len() < ENOUGH => return Ok(None),
        0 => usable.len() - 1,
        server if server < usable.len() => server,
        server => {
            let usable = usable.len();
            return Err(format!("server_cores={server} leaves none of {usable} processors for the generator"));
        }
    };
    Ok(Some(usable.split_at(server)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_enough_processors_the_generator_has_one_of_its_own() {
        for (usable, apart) in [(1, None), (2, None), (3, None), (4, Some((3, 1))), (64, Some((63, 1)))] {
            let usable: Vec<usize> = (0..usable).collect();
            let sizes = split(&usable, 0).unwrap().map(|(server, generator)| (server.len(), generator.len()));
            assert_eq!(sizes, apart);
        }
    }

    #[test]
    fn who_asks_is_given_what_they_ask_for_unless_nothing_is_left() {
        let usable = [0, 2, 5];
        assert_eq!(split(&usable, 1), Ok(Some((&usable[..1], &usable[1..]))));
        assert_eq!(split(&usable, 2), Ok(Some((&usable[..2], &usable[2..]))));
        for server in [3, 4] {
            assert!(split(&usable, server).unwrap_err().contains("leaves none of 3 processors"));
        }
    }

    #[test]
    fn a_thread_gets_back_the_processors_that_it_had() {
        let before = sched_getaffinity(None).expect("it is known");
        let cores = Cores::of(0).expect("they are known");
        cores.for_generator().expect("they are there");
        cores.for_server().expect("they are there");
        drop(cores);
        assert!(sched_getaffinity(None).expect("it is known") == before);
    }
}
