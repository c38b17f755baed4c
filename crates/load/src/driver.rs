//! One thread's connections, and the loop that serves them.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, Event, EventFlags};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use crate::clock::{self, nanos, timespec};
use crate::pace::{Next, Schedule};
use crate::response::Malformed;
use crate::slot::{Received, Slot, State, Written};
use crate::tally::Tally;
use crate::{Error, Failure, Target};

/// What is read at a time: more would not stay in the cache where it is checked right after.
const BUFFER: usize = 128 * 1024;

/// Events that are taken at a time.
const EVENTS: usize = 256;

/// Requests that are begun before answers are looked at: with thousands of connections the first answers would lie waiting.
const BURST: usize = 64;

/// Connections that are being opened at a time.
const OPENING: usize = 64;

/// How long a connection may take to open before it is tried anew, twice as long each time, in nanoseconds.
///
/// The kernel answers for a server until as many connections wait to be accepted as the server allows, often 128, and takes no notice of
/// more. It would try again only after a second, then two, then four (tcp(7), `tcp_syn_retries`).
const PATIENCE: u64 = 20_000_000;

/// How often deadlines are looked at, at most and at least, in nanoseconds.
const SWEEPS: (u64, u64) = (1_000_000, 100_000_000);

const READABLE: EventFlags = EventFlags::IN.union(CLOSING);

/// What comes with the end of a connection, after which it must be read to its end: no further event follows.
const CLOSING: EventFlags = EventFlags::RDHUP.union(EventFlags::HUP).union(EventFlags::ERR);

/// One thread's connections.
#[derive(Debug)]
pub(crate) struct Driver {
    target: Target,
    epoll: OwnedFd,
    slots: Vec<Slot>,
    /// Slots that are free, the one that has been so longest first: in an open loop all connections take part.
    free: VecDeque<u32>,
    buffer: Vec<u8>,
    /// Requests that are under way.
    busy: usize,
    /// Nanoseconds between two looks at the deadlines.
    sweep: u64,
    timeout: u64,
}

/// A load while it is made.
struct Round<'a> {
    schedule: Schedule,
    tally: Tally,
    /// The last reading of the clock.
    now: u64,
    /// Whether there are requests that could be sent at once.
    pressed: bool,
    /// When the next request is due that a free connection waits for.
    wake: Option<u64>,
    next_sweep: u64,
    /// Connections that failed since one last worked.
    refused: usize,
    cancelled: &'a (dyn Fn() -> bool + Sync),
}

impl Driver {
    /// So many of the target's connections, none of them open.
    pub(crate) fn new(target: &Target, connections: usize) -> Result<Self, Error> {
        let epoll = epoll::create(CreateFlags::CLOEXEC).map_err(Error::system("cannot make an epoll instance"))?;
        let timeout = nanos(target.timeout);
        let count = u32::try_from(connections).map_err(|_| Error::Usage("too many connections".into()))?;
        Ok(Self {
            target: target.clone(),
            epoll,
            slots: (0..count).map(|_| Slot::new(target.expected.clone())).collect(),
            free: (0..count).collect(),
            buffer: vec![0; BUFFER],
            busy: 0,
            sweep: (timeout / 8).clamp(SWEEPS.0, SWEEPS.1),
            timeout,
        })
    }

    /// Opens all connections; or one, and closes it again, where each request is to have its own.
    pub(crate) fn connect(&mut self) -> Result<(), Error> {
        let all = if self.target.request.keep_alive() { self.slots.len() } else { 1 };
        let fail = |address: SocketAddr, opened: usize| {
            move |source: Errno| Error::Connect { address, opened, connections: all, source: source.into() }
        };
        let (address, start) = (self.target.address, clock::now());
        let mut events = Vec::with_capacity(EVENTS);
        let (mut begun, mut opened) = (0, 0);
        while opened < all {
            while begun < all && begun - opened < OPENING {
                self.open(begun, PATIENCE).map_err(fail(address, opened))?;
                begun += 1;
            }
            wait_for(&self.epoll, &mut events, PATIENCE).map_err(Error::system("cannot wait for connections"))?;
            let now = clock::now();
            if now.saturating_sub(start) >= self.timeout {
                return Err(fail(address, opened)(Errno::TIMEDOUT));
            }
            if events.is_empty() {
                self.open_again(begun, now).map_err(fail(address, opened))?;
            }
            for event in events.drain(..) {
                let Event { data, .. } = event;
                let slot = &mut self.slots[index_of(event) as usize];
                if slot.state == State::Opening && slot.is_addressed_by(data.u64()) {
                    slot.opened().map_err(fail(address, opened))?;
                    slot.state = State::Free;
                    opened += 1;
                }
            }
        }
        if !self.target.request.keep_alive() {
            self.slots[0].close();
        }
        Ok(())
    }

    /// Begins to open a connection that has no request to carry yet, and has so much patience with it.
    fn open(&mut self, place: usize, patience: u64) -> Result<(), Errno> {
        let slot = &mut self.slots[place];
        slot.open(&self.target.address, self.free[place], &self.epoll)?;
        slot.state = State::Opening;
        slot.due = clock::now();
        slot.deadline = slot.due.saturating_add(patience);
        Ok(())
    }

    /// Tries anew those of the first slots whose connection has taken too long to open.
    fn open_again(&mut self, begun: usize, now: u64) -> Result<(), Errno> {
        for place in 0..begun {
            let slot = &mut self.slots[place];
            if slot.state == State::Opening && slot.deadline <= now {
                let patience = slot.deadline - slot.due;
                slot.close();
                self.open(place, patience.saturating_mul(2))?;
            }
        }
        Ok(())
    }

    /// Makes a load. Ends early where it is cancelled.
    pub(crate) fn run(&mut self, schedule: Schedule, cancelled: &(dyn Fn() -> bool + Sync)) -> Result<Tally, Error> {
        let now = clock::now();
        let mut round = Round {
            schedule,
            tally: Tally::default(),
            now,
            pressed: false,
            wake: None,
            next_sweep: now + self.sweep,
            refused: 0,
            cancelled,
        };
        let mut events = Vec::with_capacity(EVENTS);
        let mut buffer = std::mem::take(&mut self.buffer);
        let result = self.serve(&mut round, &mut events, &mut buffer);
        self.buffer = buffer;
        self.settle();
        result.map(|()| round.tally).map_err(Error::system("cannot wait for answers"))
    }

    fn serve(&mut self, round: &mut Round<'_>, events: &mut Vec<Event>, buffer: &mut [u8]) -> io::Result<()> {
        // Connections that the server has closed since the last time are known before one is chosen.
        wait_for(&self.epoll, events, 0)?;
        loop {
            for event in events.drain(..) {
                self.handle(event, round, buffer);
            }
            if round.now >= round.next_sweep {
                if (round.cancelled)() {
                    return Ok(());
                }
                self.sweep(round);
            }
            self.fill(round);
            if self.busy == 0 && round.schedule.is_over(round.now) {
                return Ok(());
            }
            self.wait(round, events)?;
            round.now = clock::now();
        }
    }

    /// Waits for something to do.
    fn wait(&self, round: &Round<'_>, events: &mut Vec<Event>) -> io::Result<()> {
        if round.pressed {
            return wait_for(&self.epoll, events, 0);
        }
        let until = round.wake.map_or(round.next_sweep, |wake| wake.min(round.next_sweep));
        let left = until.saturating_sub(clock::now());
        if round.wake.is_some() {
            // A wait for events is in whole milliseconds, and requests are due at any moment.
            match poll(&mut [PollFd::new(&self.epoll, PollFlags::IN)], Some(&timespec(left))) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            return wait_for(&self.epoll, events, 0);
        }
        wait_for(&self.epoll, events, left)
    }

    /// Begins what is to be begun, on the connections that are free.
    fn fill(&mut self, round: &mut Round<'_>) {
        (round.pressed, round.wake) = (false, None);
        let mut begun = 0;
        while !self.free.is_empty() {
            if begun == BURST {
                round.pressed = true;
                return;
            }
            match round.schedule.next(round.now) {
                Next::Wait { until } => {
                    round.wake = Some(until);
                    return;
                }
                Next::Over => return,
                Next::Send { due } if due.saturating_add(self.timeout) <= round.now => {
                    round.tally.failures.add(Failure::Timeout, || "no connection was free in time".into());
                }
                Next::Send { due } => {
                    begun += 1;
                    self.begin(due, round);
                }
            }
        }
    }

    /// Begins a request on the connection that has been free longest.
    fn begin(&mut self, due: u64, round: &mut Round<'_>) {
        let Some(index) = self.free.pop_front() else { return };
        let slot = &mut self.slots[index as usize];
        slot.begin(due, due.saturating_add(self.timeout));
        self.busy += 1;
        if !slot.is_open() {
            if let Err(error) = slot.open(&self.target.address, index, &self.epoll) {
                self.fail(index, Failure::Connect, || io::Error::from(error).to_string(), round);
                return;
            }
            round.tally.opened += 1;
        }
        // To this machine itself a connection often stands at once. If not, its event will come.
        self.write(index, round);
    }

    fn handle(&mut self, event: Event, round: &mut Round<'_>, buffer: &mut [u8]) {
        let Event { flags, data, .. } = event;
        let index = index_of(event);
        let slot = &self.slots[index as usize];
        if !slot.is_addressed_by(data.u64()) {
            return;
        }
        if slot.state == State::Busy
            && !slot.has_written(self.target.request.bytes())
            && flags.intersects(EventFlags::OUT | EventFlags::HUP | EventFlags::ERR)
        {
            self.write(index, round);
        }
        if flags.intersects(READABLE) {
            self.read(index, flags.intersects(CLOSING), round, buffer);
        }
    }

    fn write(&mut self, index: u32, round: &mut Round<'_>) {
        let slot = &mut self.slots[index as usize];
        match slot.write(self.target.request.bytes()) {
            Ok(Written::All | Written::Part) => {}
            Err(error) => {
                let failure = slot.breakage();
                self.fail(index, failure, || io::Error::from(error).to_string(), round);
            }
        }
    }

    /// Reads what there is; to the end where the connection is `closing`.
    fn read(&mut self, index: u32, closing: bool, round: &mut Round<'_>, buffer: &mut [u8]) {
        loop {
            let slot = &mut self.slots[index as usize];
            if !slot.is_open() {
                return;
            }
            match slot.read(buffer) {
                Ok(Received::Bytes(bytes)) => {
                    round.tally.bytes += bytes as u64;
                    self.take(index, &buffer[..bytes], round);
                    // There was room for more, so that there was no more; what comes later has an event of its own.
                    if bytes < buffer.len() && !closing {
                        return;
                    }
                }
                Ok(Received::Nothing) => return,
                Ok(Received::End) => return self.end(index, round),
                Err(error) => {
                    let failure = slot.breakage();
                    return self.break_off(index, failure, || io::Error::from(error).to_string(), round);
                }
            }
        }
    }

    /// Takes what came on a connection.
    fn take(&mut self, index: u32, bytes: &[u8], round: &mut Round<'_>) {
        let slot = &mut self.slots[index as usize];
        if slot.state != State::Busy {
            // What comes with a response and is not of it makes that one wrong; this was not asked for by any request.
            self.break_off(index, Failure::Protocol, String::new, round);
            return;
        }
        let Slot { response, body, .. } = slot;
        match response.take(bytes, &mut |data| body.take(data)) {
            Ok(None) => {}
            Ok(Some(used)) if used < bytes.len() => {
                let more = bytes.len() - used;
                self.fail(index, Failure::Protocol, || format!("{more} bytes behind the response"), round);
            }
            Ok(Some(_)) => self.conclude(index, round),
            Err(Malformed(how)) => self.fail(index, Failure::Protocol, || how.into(), round),
        }
    }

    /// A response is whole.
    fn conclude(&mut self, index: u32, round: &mut Round<'_>) {
        round.now = clock::now();
        round.refused = 0;
        let slot = &mut self.slots[index as usize];
        let status = slot.response.status();
        if (200..300).contains(&status) {
            match slot.body.end() {
                Ok(digest) => round.tally.answered(slot.due, round.now, round.schedule.start(), digest),
                Err(how) => round.tally.failures.add(Failure::Body, || how),
            }
        } else {
            round.tally.failures.add(Failure::Status, || status.to_string());
        }
        self.busy -= 1;
        let request = &self.target.request;
        if slot.is_open() && !slot.response.keep_alive() && slot.has_written(request.bytes()) {
            slot.state = State::Leaving;
            slot.deadline = round.now.saturating_add(self.timeout);
            return;
        }
        if !request.keep_alive() || !slot.has_written(request.bytes()) {
            slot.close();
        }
        self.release(index);
    }

    /// The server has closed the connection.
    fn end(&mut self, index: u32, round: &mut Round<'_>) {
        let slot = &mut self.slots[index as usize];
        if slot.state == State::Busy && slot.response.close() {
            slot.close();
            return self.conclude(index, round);
        }
        let how = if slot.response.has_begun() { "closed within the response" } else { "closed without an answer" };
        self.break_off(index, Failure::Truncated, || how.into(), round);
    }

    /// Closes a connection. If a request was under way, it has failed.
    fn break_off(&mut self, index: u32, failure: Failure, detail: impl FnOnce() -> String, round: &mut Round<'_>) {
        let slot = &mut self.slots[index as usize];
        match slot.state {
            State::Busy => return self.fail(index, failure, detail, round),
            State::Leaving => self.release(index),
            // A free one is opened again when it is needed. While one is opened nothing else is done.
            State::Free | State::Opening => {}
        }
        self.slots[index as usize].close();
    }

    /// A request has failed, and its connection is of no more use.
    fn fail(&mut self, index: u32, failure: Failure, detail: impl FnOnce() -> String, round: &mut Round<'_>) {
        round.now = clock::now();
        round.tally.failures.add(failure, detail);
        self.slots[index as usize].close();
        self.busy -= 1;
        self.release(index);
        if failure == Failure::Connect {
            round.refused += 1;
            // Nobody is there any more, and nothing but time would end this.
            if round.schedule.is_timed() && round.refused > 2 * self.slots.len() {
                round.schedule.close();
            }
        }
    }

    fn release(&mut self, index: u32) {
        self.slots[index as usize].state = State::Free;
        self.free.push_back(index);
    }

    /// Gives up what has taken too long.
    fn sweep(&mut self, round: &mut Round<'_>) {
        round.next_sweep = round.now + self.sweep;
        for index in (0..).take(self.slots.len()) {
            let slot = &self.slots[index as usize];
            if matches!(slot.state, State::Busy | State::Leaving) && slot.deadline <= round.now {
                self.break_off(index, Failure::Timeout, || "no answer in time".into(), round);
            }
        }
    }

    /// Frees what is not free: connections that the server has not closed yet, and requests that were cancelled.
    fn settle(&mut self) {
        for index in (0..).take(self.slots.len()) {
            if self.slots[index as usize].state != State::Free {
                self.slots[index as usize].close();
                self.release(index);
            }
        }
        self.busy = 0;
    }
}

/// The slot that an event is of: the lower half of its data.
fn index_of(event: Event) -> u32 {
    let Event { data, .. } = event;
    (data.u64() & 0xffff_ffff) as u32
}

/// Waits for events, so many nanoseconds at most, rounded up to milliseconds. A signal ends it too.
fn wait_for(epoll: &OwnedFd, events: &mut Vec<Event>, nanos: u64) -> io::Result<()> {
    events.clear();
    match epoll::wait(epoll, spare_capacity(events), Some(&timespec(nanos))) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
