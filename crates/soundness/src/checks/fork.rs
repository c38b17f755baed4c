//! A child that is forked while other threads allocate must be able to allocate.
#![expect(unsafe_code, reason = "fork(2) and what parent and child need of the kernel for it")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fastrand::Rng;
use heapmark_protocol::Finding;

use super::size_between;
use crate::Promises;
use crate::block::{Block, How};
use crate::books::shared;
use crate::crew::Crew;
use crate::ended::{Checked, Ended, found, skipped};
use crate::stage::stage;

/// Threads that allocate all the while: whatever lock there is, one of them is likely to hold it.
const BUSY: usize = 3;

const FORKS: usize = 100;

/// How long a child may take. Its work takes a fraction of it on however busy a machine.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a child says with its exit code.
const FINE: i32 = 0;
const REFUSED: i32 = 10;
const CORRUPT: i32 = 11;

/// Forks again and again. Each child takes blocks of several sizes, grows and gives back one of its parent's, and ends.
pub(crate) fn fork(_: Promises) -> Checked {
    let over = shared(AtomicBool::new(false))?;
    let shift = Crew::<_, BUSY>::new(over, be_busy)?.start()?;
    let mut result = Ok(());
    for number in 1..=FORKS {
        if number % 10 == 1 {
            stage(format_args!("child {number} of {FORKS}"));
        }
        result = one_child(number);
        if result.is_err() {
            break;
        }
    }
    over.store(true, Ordering::Relaxed);
    result.and(shift.join())?;
    Ok("")
}

fn be_busy(over: &'static AtomicBool, number: usize) -> Result<(), Ended> {
    let mut rng = Rng::with_seed(number as u64);
    let mut blocks: [Option<Block>; 32] = [None; 32];
    while !over.load(Ordering::Relaxed) {
        let slot = &mut blocks[rng.usize(..32)];
        slot.take().map_or(Ok(()), Block::check_and_give_back)?;
        let mut block = Block::take(How::Fresh, size_between(&mut rng, 4, 14), 8)?;
        block.fill(number as u64);
        *slot = Some(block);
    }
    blocks.into_iter().flatten().try_for_each(Block::check_and_give_back)
}

/// Forks one child and waits for it.
fn one_child(number: usize) -> Result<(), Ended> {
    let mut block = Block::take(How::Fresh, 3000, 8)?;
    block.fill(number as u64);
    let mut ends = [0; 2];
    // SAFETY: the array has room for the two descriptors.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(skipped(format_args!("no pipe can be made")));
    }
    let [ours, theirs] = ends;
    // SAFETY: the child calls nothing but the allocator, which is what is looked at, and _exit.
    let child = unsafe { libc::fork() };
    if child == 0 {
        die_with_parent();
        leave(in_the_child(block));
    }
    // SAFETY: the descriptor is ours to close. The child holds the other copy, so that the pipe ends with the child.
    unsafe { libc::close(theirs) };
    let result =
        if child < 0 { Err(skipped(format_args!("no child can be forked"))) } else { wait_for(child, ours, number) };
    // SAFETY: as above.
    unsafe { libc::close(ours) };
    result?;
    block.check_and_give_back()
}

/// A child that hangs must not outlive a worker that is killed meanwhile; that the worker itself asked for this is not inherited.
fn die_with_parent() {
    // SAFETY: prctl with PR_SET_PDEATHSIG takes a signal number and touches no memory.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
}

/// What the child does; its exit code.
fn in_the_child(mut block: Block) -> i32 {
    let code = |ended: Ended| match ended {
        Ended::Found(Finding::Refused, _) => REFUSED,
        _ => CORRUPT,
    };
    let mut work = || {
        block.check()?;
        block.resize(5000)?;
        block.give_back();
        let mut blocks: [Option<Block>; 15] = [None; 15];
        for (exponent, slot) in blocks.iter_mut().enumerate() {
            let mut block = Block::take(How::Fresh, 8 << exponent, 8)?;
            block.fill(exponent as u64);
            *slot = Some(block);
        }
        blocks.into_iter().flatten().try_for_each(Block::check_and_give_back)
    };
    work().map_or_else(code, |()| FINE)
}

fn leave(code: i32) -> ! {
    // SAFETY: _exit(2) takes a number and does not return.
    unsafe { libc::_exit(code) }
}

/// Waits until the child's end of the pipe is closed, which its end does, and looks how it ended.
fn wait_for(child: libc::pid_t, pipe: libc::c_int, number: usize) -> Result<(), Ended> {
    let until = Instant::now() + PATIENCE;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let mut waiting = libc::pollfd { fd: pipe, events: libc::POLLIN, revents: 0 };
        let milliseconds = i32::try_from(left.as_millis()).unwrap_or(i32::MAX);
        // SAFETY: one valid pollfd.
        let ready = unsafe { libc::poll(&raw mut waiting, 1, milliseconds) };
        if ready > 0 {
            break;
        }
        // A signal only means to look again.
        if left.is_zero() {
            // SAFETY: the child has not been waited for, so the number is its own.
            unsafe { libc::kill(child, libc::SIGKILL) };
            status_of(child);
            let seconds = PATIENCE.as_secs();
            return Err(found(
                Finding::Hangs,
                format_args!("child {number} of {FORKS} does not end within {seconds} s"),
            ));
        }
    }
    let status = status_of(child);
    let of = format_args!("child {number} of {FORKS}");
    if libc::WIFSIGNALED(status) {
        return Err(found(Finding::Aborts, format_args!("{of} was ended by signal {}", libc::WTERMSIG(status))));
    }
    match libc::WEXITSTATUS(status) {
        FINE => Ok(()),
        REFUSED => Err(found(Finding::Refused, format_args!("{of} was refused a block"))),
        CORRUPT => Err(found(Finding::Corrupt, format_args!("{of} found a block that does not hold what was written"))),
        other => Err(found(Finding::Aborts, format_args!("{of} exited with {other}"))),
    }
}

/// Waits for the child's end and takes its status.
fn status_of(child: libc::pid_t) -> libc::c_int {
    let mut status = 0;
    // SAFETY: the status is valid for a write. A call that a signal interrupted is made again.
    while unsafe { libc::waitpid(child, &raw mut status, 0) } < 0
        && std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR)
    {}
    status
}
