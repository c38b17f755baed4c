//! When requests are due. Nothing here looks at a clock, so that all of it can be tried without one.

use std::time::Duration;

use crate::clock::{NANOS, nanos};

/// How much load there is, and how fast it comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// How much.
    pub amount: Amount,
    /// Requests in a second: an open loop. Without, a closed loop.
    pub rate: Option<u64>,
}

/// How much load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// So many requests.
    Requests(u64),
    /// What comes in so much time.
    For(Duration),
}

/// What a thread that has a connection free is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Send a request, whose latency counts from this moment.
    Send { due: u64 },
    /// Wait until this moment.
    Wait { until: u64 },
    /// There is no further request.
    Over,
}

/// When the requests of one thread are due. Of several threads each has every so-manieth request.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    start: u64,
    /// Requests in a second, of all threads.
    rate: Option<u64>,
    threads: u64,
    thread: u64,
    /// Requests of all threads.
    requests: u64,
    /// When it is over, since the start.
    length: Option<u64>,
    issued: u64,
    closed: bool,
}

impl Schedule {
    /// The part of a load that is this thread's.
    pub(crate) fn new(load: &Load, thread: usize, threads: usize, start: u64) -> Self {
        let (requests, length) = match load.amount {
            Amount::Requests(requests) => (requests, None),
            Amount::For(time) => (u64::MAX, Some(nanos(time))),
        };
        Self {
            start,
            rate: load.rate,
            threads: threads as u64,
            thread: thread as u64,
            requests,
            length,
            issued: 0,
            closed: false,
        }
    }

    /// What to do at this moment. A request that is to be sent is handed out by this.
    pub(crate) fn next(&mut self, now: u64) -> Next {
        let next = self.coming(now);
        if matches!(next, Next::Send { .. }) {
            self.issued += 1;
        }
        next
    }

    /// Whether there is no further request.
    pub(crate) fn is_over(&self, now: u64) -> bool {
        self.coming(now) == Next::Over
    }

    fn coming(&self, now: u64) -> Next {
        // The number of the next request among those of all threads.
        let number = self.issued.saturating_mul(self.threads).saturating_add(self.thread);
        if self.closed || number >= self.requests {
            return Next::Over;
        }
        // Whole seconds apart from the rest: their product with a billion would not fit.
        let since_start = match self.rate {
            Some(rate) => (number / rate).saturating_mul(NANOS).saturating_add((number % rate) * NANOS / rate),
            None => now.saturating_sub(self.start),
        };
        if self.length.is_some_and(|length| since_start >= length) {
            return Next::Over;
        }
        let due = self.start.saturating_add(since_start);
        if self.rate.is_some() && due > now {
            return Next::Wait { until: due };
        }
        Next::Send { due: due.min(now) }
    }

    /// Whether time ends it, and not a number of requests.
    pub(crate) fn is_timed(&self) -> bool {
        self.length.is_some()
    }

    /// Hands out no further request.
    pub(crate) fn close(&mut self) {
        self.closed = true;
    }

    /// When it began.
    pub(crate) fn start(&self) -> u64 {
        self.start
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::latencies::{Latencies, Summary};

    const MS: u64 = 1_000_000;

    /// A server that takes a millisecond for a request, and stands still for 200 milliseconds at the end of every second.
    fn answered_at(sent: u64) -> u64 {
        let done = sent + MS;
        let in_second = done % NANOS;
        if in_second >= 800 * MS { done - in_second + NANOS } else { done }
    }

    /// Puts that server under load on a clock that jumps from one event to the next, as the driver does on the real one.
    fn simulate(load: &Load, connections: usize) -> Summary {
        let mut schedule = Schedule::new(load, 0, 1, 0);
        let mut latencies = Latencies::new();
        let mut free = connections;
        // When each request that is under way is answered; the second number tells equal ones apart.
        let mut answers = BTreeSet::new();
        let mut now = 0;
        for request in 0.. {
            let next = if free > 0 { schedule.next(now) } else { Next::Wait { until: u64::MAX } };
            let wake = match next {
                Next::Send { due } => {
                    free -= 1;
                    let answer = answered_at(now);
                    latencies.record(answer - due);
                    answers.insert((answer, request));
                    continue;
                }
                Next::Wait { until } => until,
                Next::Over if answers.is_empty() => break,
                Next::Over => u64::MAX,
            };
            now = match answers.first() {
                Some(&(answer, _)) if answer <= wake => {
                    answers.pop_first();
                    free += 1;
                    answer
                }
                _ => wake,
            };
        }
        latencies.summary().expect("there were requests")
    }

    fn within(summary: &Summary, percent: f64) -> u64 {
        summary.within.iter().find(|share| share.percent.total_cmp(&percent).is_eq()).expect("it is one of them").ns
    }

    #[test]
    fn a_stalled_server_shows_in_an_open_loop_and_hides_from_a_closed_one() {
        let amount = Amount::For(Duration::from_secs(10));
        let closed = simulate(&Load { amount, rate: None }, 10);
        let open = simulate(&Load { amount, rate: Some(1_000) }, 10);
        // Who waits for an answer before asking again asks ten times in a stall, and thousands of times outside of one.
        assert!(within(&closed, 99.0) < 2 * MS, "{closed:?}");
        // Of the requests that are due in a second, a fifth is due in the stall.
        assert!(within(&open, 90.0) > 50 * MS, "{open:?}");
        assert!(within(&open, 99.0) > 150 * MS, "{open:?}");
        assert!(within(&open, 50.0) < 2 * MS, "{open:?}");
        // Both have seen it.
        assert!(closed.max_ns >= 200 * MS && open.max_ns >= 200 * MS);
    }

    #[test]
    fn an_open_loop_does_not_wait_for_answers() {
        // One connection for a rate that needs two: each request waits longer than the one before.
        let load = Load { amount: Amount::Requests(700), rate: Some(2_000) };
        let summary = simulate(&load, 1);
        assert!(summary.max_ns > 300 * MS, "{summary:?}");
        assert!(summary.median_ns() > 100 * MS, "{summary:?}");
        assert_eq!(simulate(&load, 1000).median_ns(), MS, "with connections enough nobody waits for one");
    }

    #[test]
    fn a_closed_loop_is_over_when_its_time_is() {
        let load = Load { amount: Amount::For(Duration::from_millis(5)), rate: None };
        let mut schedule = Schedule::new(&load, 0, 1, 100);
        assert!(schedule.is_timed());
        assert_eq!(schedule.next(100), Next::Send { due: 100 });
        assert_eq!(schedule.next(100 + 5 * MS - 1), Next::Send { due: 100 + 5 * MS - 1 });
        assert!(!schedule.is_over(100 + 5 * MS - 1));
        assert!(schedule.is_over(100 + 5 * MS));
        assert_eq!(schedule.next(100 + 5 * MS), Next::Over);
    }

    #[test]
    fn what_was_due_in_the_time_is_sent_after_it_too() {
        let load = Load { amount: Amount::For(Duration::from_secs(1)), rate: Some(4) };
        let mut schedule = Schedule::new(&load, 0, 1, 0);
        assert_eq!(schedule.next(0), Next::Send { due: 0 });
        assert_eq!(schedule.next(MS), Next::Wait { until: 250 * MS });
        assert_eq!(schedule.next(MS), Next::Wait { until: 250 * MS }, "waiting uses nothing up");
        for due in [250, 500, 750] {
            assert_eq!(schedule.next(9 * NANOS), Next::Send { due: due * MS });
        }
        assert_eq!(schedule.next(9 * NANOS), Next::Over);
    }

    #[test]
    fn a_closed_schedule_hands_out_nothing() {
        let mut schedule = Schedule::new(&Load { amount: Amount::Requests(5), rate: None }, 0, 1, 0);
        assert!(!schedule.is_timed());
        schedule.close();
        assert_eq!(schedule.next(0), Next::Over);
    }

    proptest! {
        #[test]
        fn the_threads_together_have_every_request_once_and_in_time(
            requests in 0..2_000_u64, rate in 1..5_000_000_u64, threads in 1..9_usize, start in 0..u64::from(u32::MAX),
        ) {
            let load = Load { amount: Amount::Requests(requests), rate: Some(rate) };
            let mut all = Vec::new();
            for thread in 0..threads {
                let mut schedule = Schedule::new(&load, thread, threads, start);
                let mut now = 0;
                loop {
                    match schedule.next(now) {
                        Next::Send { due } => all.push(due),
                        Next::Wait { until } => { prop_assert!(until > now); now = until; }
                        Next::Over => break,
                    }
                }
            }
            all.sort_unstable();
            let exact = (0..requests).map(|n| start + u64::try_from(u128::from(n) * u128::from(NANOS) / u128::from(rate)).unwrap());
            prop_assert_eq!(all, exact.collect::<Vec<_>>());
        }

        #[test]
        fn closed_loops_share_out_all_requests(requests in 0..10_000_u64, threads in 1..9_usize) {
            let load = Load { amount: Amount::Requests(requests), rate: None };
            let share = |thread| {
                let mut schedule = Schedule::new(&load, thread, threads, 0);
                let sent = (0..=requests).take_while(|now| schedule.next(*now) == Next::Send { due: *now });
                sent.count() as u64
            };
            let shares: Vec<_> = (0..threads).map(share).collect();
            prop_assert_eq!(shares.iter().sum::<u64>(), requests);
            prop_assert!(shares.iter().max().unwrap() - shares.iter().min().unwrap() <= 1);
        }

        #[test]
        fn no_rate_and_no_number_overflows(requests in any::<u64>(), rate in 1..=u64::MAX / NANOS, now in any::<u64>(), threads in 1..100_usize) {
            let load = Load { amount: Amount::Requests(requests), rate: Some(rate) };
            let mut schedule = Schedule::new(&load, threads - 1, threads, now / 2);
            schedule.issued = requests / 2;
            schedule.next(now);
        }
    }
}
