//! On which processors the generator runs: apart from the server's where there are enough.

use rustix::thread::{CpuSet, sched_setaffinity};

use crate::Error;

/// Keeps this thread, and those that it starts from now on, on these processors.
pub fn run_on(processors: &[usize]) -> Result<(), Error> {
    if let Some(beyond) = processors.iter().find(|processor| **processor >= CpuSet::MAX_CPU) {
        return Err(Error::Usage(format!("there is no processor {beyond}")));
    }
    let mut set = CpuSet::new();
    for &processor in processors {
        set.set(processor);
    }
    sched_setaffinity(None, &set)
        .map_err(|error| Error::Usage(format!("cannot run on the processors {processors:?}: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_that_is_not_there_is_named() {
        let error = run_on(&[0, 1_000_000]).unwrap_err().to_string();
        assert!(error.contains("1000000"), "{error}");
        assert!(run_on(&[]).is_err(), "on none at all nothing can run");
    }
}
