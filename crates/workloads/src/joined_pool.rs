//! A rayon pool whose threads have ended when it is gone.

use std::thread::{Builder, JoinHandle};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// A thread pool that waits for its threads when it is dropped. Rayon's own drop only tells them to end, and what they
/// still hold would be counted as memory that was not given back.
pub(crate) struct JoinedPool {
    pool: Option<ThreadPool>,
    threads: Vec<JoinHandle<()>>,
}

impl JoinedPool {
    /// Starts `count` threads. Fails with a line for the user of `workload`.
    pub(crate) fn start(workload: &str, count: usize) -> Result<Self, String> {
        let mut threads = Vec::with_capacity(count);
        let pool = ThreadPoolBuilder::new()
            .num_threads(count)
            .spawn_handler(|worker| {
                threads.push(Builder::new().spawn(|| worker.run())?);
                Ok(())
            })
            .build()
            .map_err(|error| format!("{workload} cannot start {count} threads: {error}"))?;
        Ok(Self { pool: Some(pool), threads })
    }
}

impl std::ops::Deref for JoinedPool {
    type Target = ThreadPool;

    fn deref(&self) -> &ThreadPool {
        self.pool.as_ref().expect("the pool is there until this is dropped")
    }
}

impl Drop for JoinedPool {
    fn drop(&mut self) {
        drop(self.pool.take());
        for thread in self.threads.drain(..) {
            // A panic on a thread of the pool has already been passed on to where the work was given.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn the_threads_have_ended_when_the_pool_is_dropped() {
        static ENDED: AtomicUsize = AtomicUsize::new(0);
        struct CountEnd;
        impl Drop for CountEnd {
            fn drop(&mut self) {
                ENDED.fetch_add(1, Ordering::Relaxed);
            }
        }
        thread_local!(static END: CountEnd = const { CountEnd });
        let pool = JoinedPool::start("a/b", 3).unwrap();
        pool.broadcast(|_| END.with(|_| ()));
        drop(pool);
        assert_eq!(ENDED.load(Ordering::Relaxed), 3);
    }
}
