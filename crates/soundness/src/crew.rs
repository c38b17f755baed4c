//! Threads made without the heap under test: those of the standard library allocate when they start.
#![expect(unsafe_code, reason = "pthread_create(3), pthread_timedjoin_np(3) and what they need")]

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::sync::{Mutex, PoisonError};

use heapmark_protocol::Finding;

use crate::books::shared;
use crate::ended::{Ended, found, skipped};

/// How long a thread may take to end. On however busy a machine its work takes a fraction of it.
const PATIENCE_SECONDS: i64 = 30;

/// Enough for the frames of a check and whatever the allocator keeps for each thread on the stack.
const STACK: usize = 1 << 20;

/// What a thread does: with what all share, and its number among them.
type Work<S> = fn(&'static S, usize) -> Result<(), Ended>;

/// `N` threads that do the same work, as often as they are asked.
pub(crate) struct Crew<S: Sync + 'static, const N: usize> {
    posts: &'static [Post<S>; N],
}

/// The place of one thread.
struct Post<S: Sync + 'static> {
    shared: &'static S,
    work: Work<S>,
    number: usize,
    /// Why its work ended early.
    ended: Mutex<Option<Ended>>,
}

/// Threads at work.
pub(crate) struct Shift<S: Sync + 'static, const N: usize> {
    posts: &'static [Post<S>; N],
    threads: [Option<libc::pthread_t>; N],
}

impl<S: Sync + 'static, const N: usize> Crew<S, N> {
    /// A crew that shares this. Nobody works yet.
    pub(crate) fn new(shared_with_all: &'static S, work: Work<S>) -> Result<Self, Ended> {
        let posts =
            std::array::from_fn(|number| Post { shared: shared_with_all, work, number, ended: Mutex::new(None) });
        Ok(Self { posts: shared(posts)? })
    }

    /// Has all work, and waits for them. The first thing that one of them found.
    pub(crate) fn run(&self) -> Result<(), Ended> {
        self.start()?.join()
    }

    /// Has all begin to work.
    pub(crate) fn start(&self) -> Result<Shift<S, N>, Ended> {
        let mut shift = Shift { posts: self.posts, threads: [None; N] };
        for (post, thread) in self.posts.iter().zip(&mut shift.threads) {
            *thread = Some(spawn(post)?);
        }
        Ok(shift)
    }
}

impl<S: Sync + 'static, const N: usize> Shift<S, N> {
    /// Waits for all. The first thing that one of them found.
    ///
    /// A thread that does not end is left alone, with what it shares: all of that lives as long as the process.
    pub(crate) fn join(self) -> Result<(), Ended> {
        for thread in self.threads.into_iter().flatten() {
            wait_for(thread)?;
        }
        let take = |post: &Post<S>| post.ended.lock().unwrap_or_else(PoisonError::into_inner).take();
        // All of them, so that none is left for the next shift.
        let ended = self.posts.iter().map(take).fold(None, Option::or);
        ended.map_or(Ok(()), Err)
    }
}

/// What a thread begins with.
extern "C" fn enter<S: Sync + 'static>(post: *mut c_void) -> *mut c_void {
    // SAFETY: `spawn` passes a post, which lives as long as the process.
    let post = unsafe { &*post.cast::<Post<S>>() };
    if let Err(ended) = (post.work)(post.shared, post.number) {
        *post.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(ended);
    }
    std::ptr::null_mut()
}

fn spawn<S: Sync + 'static>(post: &'static Post<S>) -> Result<libc::pthread_t, Ended> {
    let mut thread = MaybeUninit::<libc::pthread_t>::zeroed();
    let mut attributes = MaybeUninit::<libc::pthread_attr_t>::zeroed();
    // SAFETY: the attributes are initialised before they are used and destroyed after it; `enter` takes a post, and this one
    // is shared by reference only; all-zero is a number should the thread not be made.
    let (error, thread) = unsafe {
        libc::pthread_attr_init(attributes.as_mut_ptr());
        libc::pthread_attr_setstacksize(attributes.as_mut_ptr(), STACK);
        let post: *const Post<S> = post;
        let error = libc::pthread_create(thread.as_mut_ptr(), attributes.as_ptr(), enter::<S>, post.cast_mut().cast());
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
        (error, thread.assume_init())
    };
    if error == 0 { Ok(thread) } else { Err(skipped(format_args!("no thread can be started: error {error}"))) }
}

fn wait_for(thread: libc::pthread_t) -> Result<(), Ended> {
    let mut until = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: the time is valid for writes, and all-zero is a time; the thread was made by `spawn` and is joined once.
    let error: c_int = unsafe {
        libc::clock_gettime(libc::CLOCK_REALTIME, until.as_mut_ptr());
        let mut until = until.assume_init();
        until.tv_sec += PATIENCE_SECONDS;
        libc::pthread_timedjoin_np(thread, std::ptr::null_mut(), &raw const until)
    };
    match error {
        0 => Ok(()),
        libc::ETIMEDOUT => {
            Err(found(Finding::Hangs, format_args!("a thread does not end within {PATIENCE_SECONDS} s")))
        }
        other => Err(skipped(format_args!("a thread cannot be waited for: error {other}"))),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn everyone_works_each_time() {
        let numbers = shared([const { AtomicUsize::new(0) }; 4]).unwrap();
        let work: Work<[AtomicUsize; 4]> = |numbers, number| {
            numbers[number].fetch_add(1, Ordering::Relaxed);
            Ok(())
        };
        let crew = Crew::<_, 4>::new(numbers, work).unwrap();
        for round in 1..=3 {
            crew.run().unwrap();
            assert!(numbers.iter().all(|count| count.load(Ordering::Relaxed) == round));
        }
    }

    #[test]
    fn what_one_finds_is_found() {
        let work: Work<()> = |(), number| match number {
            2 => Err(found(Finding::Corrupt, format_args!("by the third"))),
            _ => Ok(()),
        };
        let crew = Crew::<(), 3>::new(&(), work).unwrap();
        for _ in 0..2 {
            assert_eq!(crew.run(), Err(Ended::Found(Finding::Corrupt, "by the third")));
        }
    }
}
