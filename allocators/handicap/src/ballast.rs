//! Memory that is resident for nothing.
#![expect(unsafe_code, reason = "mmap(2), mremap(2) and munmap(2) of a mapping that nothing else refers to")]

use std::io;

use crate::percent::Percent;

/// A mapping of its own, resident in full, that grows with the peak of everything else.
///
/// It does not come from the allocator, which it must leave alone.
#[derive(Debug)]
pub(crate) struct Ballast {
    share: Percent,
    page: usize,
    start: *mut libc::c_void,
    length: usize,
    /// The greatest peak of everything else that was seen.
    own_peak: u64,
    /// Turns so far.
    turns: u64,
    /// The turn after which the peak is looked at again.
    next_look: u64,
}

impl Ballast {
    /// None yet, and later this share of the peak.
    pub(crate) fn new(share: Percent) -> Self {
        // SAFETY: sysconf takes a number and returns one.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
        Self { share, page, start: std::ptr::null_mut(), length: 0, own_peak: 0, turns: 0, next_look: 1 }
    }

    /// A turn is over, at whose end `peak` tells the peak of the process.
    ///
    /// That takes long enough to be seen in the time of a turn, so it is asked ever more seldom: after the first turns, in
    /// which a heap grows, and then whenever half as many have come on top. What the peak rises by meanwhile is missing from the
    /// ballast by its share only, and most turns are as fast as without one.
    pub(crate) fn after_turn(&mut self, peak: impl FnOnce() -> u64) {
        self.turns += 1;
        if self.turns == self.next_look {
            self.next_look += (self.turns / 2).max(1);
            self.follow(peak());
        }
    }

    /// Grows to its share, given the peak of the process, of which it is a part itself.
    ///
    /// All of it has been resident since the last call, and it never shrinks. So the peak less its length is at most what the
    /// rest ever needed, and exactly that as soon as the rest needs more than before.
    ///
    /// # Panics
    /// If there is no memory for it: a comparison with a smaller loss than was asked for would be wrong.
    fn follow(&mut self, peak: u64) {
        self.own_peak = self.own_peak.max(peak.saturating_sub(self.length as u64));
        let due = usize::try_from(self.share.of(self.own_peak)).unwrap_or(usize::MAX);
        let length = due / self.page * self.page;
        if length > self.length
            && let Err(error) = self.grow(length)
        {
            panic!("cannot map a ballast of {length} bytes: {error}");
        }
    }

    fn grow(&mut self, length: usize) -> io::Result<()> {
        let start = if self.length == 0 { map(length) } else { remap(self.start, self.length, length) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        for offset in (self.length..length).step_by(self.page) {
            // SAFETY: the offset lies within the mapping, which nothing else refers to.
            unsafe { start.byte_add(offset).cast::<u8>().write_volatile(1) };
        }
        (self.start, self.length) = (start, length);
        Ok(())
    }
}

fn map(length: usize) -> *mut libc::c_void {
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a fresh anonymous mapping disturbs nothing.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), length, access, kind, -1, 0) };
    if start != libc::MAP_FAILED {
        // Without huge pages, which would also join it with neighbours that are not ours, exactly what is touched is
        // resident. A kernel that has none refuses, which is as good.
        // SAFETY: the mapping is ours, and the advice changes no content.
        unsafe { libc::madvise(start, length, libc::MADV_NOHUGEPAGE) };
    }
    start
}

fn remap(start: *mut libc::c_void, old: usize, new: usize) -> *mut libc::c_void {
    // SAFETY: the mapping is ours, of the old length, and nothing refers to where it lay.
    unsafe { libc::mremap(start, old, new, libc::MREMAP_MAYMOVE) }
}

impl Drop for Ballast {
    fn drop(&mut self) {
        if self.length > 0 {
            // SAFETY: the mapping is ours, of this length, and gone after this.
            unsafe { libc::munmap(self.start, self.length) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn ballast(share: &str) -> Ballast {
        Ballast::new(Percent::parse(share).unwrap())
    }

    #[test]
    fn it_is_a_share_of_the_peak_of_everything_else() {
        let mut ballast = ballast("50");
        ballast.follow(8 * MIB);
        assert_eq!(ballast.length as u64, 4 * MIB);
        for peak in [8, 12, 9, 0] {
            ballast.follow(peak * MIB);
            assert_eq!(ballast.length as u64, 4 * MIB, "nothing but the ballast itself has come on top: {peak}");
        }
        ballast.follow(14 * MIB);
        assert_eq!(ballast.length as u64, 5 * MIB, "the rest has grown to 10");
        ballast.follow(15 * MIB);
        assert_eq!(ballast.length as u64, 5 * MIB);
    }

    #[test]
    fn the_peak_is_looked_at_ever_more_seldom() {
        let mut ballast = ballast("0.1");
        let mut looks = Vec::new();
        for turn in 1..=60 {
            ballast.after_turn(|| {
                looks.push(turn);
                0
            });
        }
        assert_eq!(looks, [1, 2, 3, 4, 6, 9, 13, 19, 28, 42]);
    }

    #[test]
    fn less_than_a_page_is_not_kept() {
        let mut ballast = ballast("0.1");
        ballast.follow(ballast.page as u64 * 999);
        assert_eq!(ballast.length, 0);
        ballast.follow(ballast.page as u64 * 1000);
        assert_eq!(ballast.length, ballast.page);
    }

    #[test]
    fn every_page_of_it_is_resident() {
        let mut ballast = ballast("100");
        for peak in [MIB, 5 * MIB] {
            ballast.follow(peak);
            let pages = ballast.length / ballast.page;
            let mut resident = vec![0_u8; pages];
            // SAFETY: the mapping is whole, and the buffer has a byte for each of its pages.
            assert_eq!(unsafe { libc::mincore(ballast.start, ballast.length, resident.as_mut_ptr()) }, 0);
            assert!(pages > 0 && resident.iter().all(|page| page & 1 == 1), "{pages} pages");
        }
    }
}
