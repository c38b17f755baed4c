//! All connections of a target, on one thread or several.

use std::num::NonZeroU64;
use std::time::Duration;

use rustix::thread::set_current_timer_slack;

use crate::cpu::Cpu;
use crate::driver::Driver;
use crate::pace::Schedule;
use crate::tally::Tally;
use crate::{Error, Failures, Latencies, Load, Target, clock, descriptors};

/// Holds the connections to a server, and makes load on them.
#[derive(Debug)]
pub struct Generator {
    drivers: Vec<Driver>,
}

/// What came of a load.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Requests that were answered as expected.
    pub requests: u64,
    /// Those that were not.
    pub failures: Failures,
    /// Bytes received, heads included.
    pub bytes: u64,
    /// Bytes of the bodies of those requests that were answered as expected.
    pub body_bytes: u64,
    /// The sum of these bodies' checksums, wrapping; 0 where [none are made](crate::Expected::Whole).
    pub checksum: u64,
    /// Connections made meanwhile.
    pub opened: u64,
    /// From the first request to the last response.
    pub wall: Duration,
    /// CPU time of this process meanwhile, in user mode.
    pub user: Duration,
    /// CPU time of this process meanwhile, in the kernel.
    pub system: Duration,
    /// Latencies of the requests that were answered as expected.
    pub latencies: Latencies,
    /// How many were answered as expected in each second.
    pub each_second: Vec<u64>,
}

impl Generator {
    /// Makes all connections beforehand, so that the load does not begin with that. Fails where the process may not have so many, before
    /// any is made, and where there is no server.
    ///
    /// Where every request is to have a connection of its own, one is made and closed, to see that there is a server.
    pub fn connect(target: &Target) -> Result<Self, Error> {
        target.check()?;
        descriptors::make_room(target.connections, target.threads)?;
        let threads = target.threads;
        let share = |thread| target.connections / threads + usize::from(thread < target.connections % threads);
        let mut drivers = Vec::with_capacity(threads);
        for thread in 0..threads {
            let mut driver = Driver::new(target, share(thread))?;
            driver.connect()?;
            drivers.push(driver);
        }
        Ok(Self { drivers })
    }

    /// Makes a load. `cancelled` is asked now and then; once it says yes, what is under way is dropped and what was measured is returned.
    pub fn run(&mut self, load: &Load, cancelled: &(dyn Fn() -> bool + Sync)) -> Result<Outcome, Error> {
        if load.rate == Some(0) {
            return Err(Error::Usage("no request is ever due at a rate of 0".into()));
        }
        if load.rate.is_some() {
            // By default the kernel may be 50 µs late with every timer, to wake up less often.
            set_current_timer_slack(NonZeroU64::new(1)).map_err(Error::system("cannot have exact timers"))?;
        }
        let (cpu, start) = (Cpu::read(), clock::now());
        let tallies = self.tallies(load, start, cancelled);
        let (wall, cpu) = (clock::now() - start, Cpu::read().since(cpu));
        let mut all = Tally::default();
        for tally in tallies {
            all.merge(tally?);
        }
        Ok(Outcome {
            requests: all.requests,
            failures: all.failures,
            bytes: all.bytes,
            body_bytes: all.body_bytes,
            checksum: all.checksum,
            opened: all.opened,
            wall: Duration::from_nanos(wall),
            user: Duration::from_nanos(cpu.user_ns),
            system: Duration::from_nanos(cpu.system_ns),
            latencies: all.latencies,
            each_second: all.each_second,
        })
    }

    /// Has every thread make its part. Timers' slack is handed down to threads.
    fn tallies(&mut self, load: &Load, start: u64, cancelled: &(dyn Fn() -> bool + Sync)) -> Vec<Result<Tally, Error>> {
        let threads = self.drivers.len();
        if let [driver] = self.drivers.as_mut_slice() {
            return vec![driver.run(Schedule::new(load, 0, 1, start), cancelled)];
        }
        std::thread::scope(|scope| {
            let handles: Vec<_> = self
                .drivers
                .iter_mut()
                .enumerate()
                .map(|(thread, driver)| {
                    let schedule = Schedule::new(load, thread, threads, start);
                    scope.spawn(move || driver.run(schedule, cancelled))
                })
                .collect();
            let panicked = |_| Err(Error::Usage("a thread of the load generator panicked".into()));
            handles.into_iter().map(|handle| handle.join().unwrap_or_else(panicked)).collect()
        })
    }
}
