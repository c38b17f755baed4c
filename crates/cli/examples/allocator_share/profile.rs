//! A profile, read from what `perf script` prints.

/// All moments at which it was looked.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Profile {
    pub(crate) moments: Vec<Moment>,
}

/// Where one thread was at one moment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    /// By the monotonic clock.
    pub(crate) time_ns: u64,
    /// Where it was, then who had called, and so on outwards: in the kernel, if it was there, then in the program.
    pub(crate) frames: Vec<Frame>,
}

/// A place in a program or in the kernel.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// In the kernel an address, else an offset in the file.
    pub(crate) place: u64,
    /// The function's name, or `[unknown]`.
    pub(crate) symbol: String,
    /// The program or library.
    pub(crate) file: String,
}

impl Frame {
    /// Whether this is in the kernel, whose addresses are the upper half on every 64-bit processor that Linux runs on. The
    /// very last address is what perf puts where it cannot follow the stack any further.
    pub(crate) fn in_kernel(&self) -> bool {
        self.place >> 63 == 1 && self.place != u64::MAX
    }
}

impl Profile {
    /// Reads blocks of a line with a time, lines with frames, and an empty line.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut moments: Vec<Moment> = Vec::new();
        for line in text.lines() {
            let wrong = || format!("perf printed what is no part of a profile: {line:?}");
            let words = line.trim();
            if words.is_empty() {
                continue;
            }
            if line.starts_with('\t') {
                let last = moments.last_mut().ok_or_else(wrong)?;
                last.frames.push(frame(words).ok_or_else(wrong)?);
            } else {
                moments.push(Moment { time_ns: time(words).ok_or_else(wrong)?, frames: Vec::new() });
            }
        }
        Ok(Self { moments })
    }
}

/// `2703.611574820:`
fn time(text: &str) -> Option<u64> {
    let (seconds, nanos) = text.strip_suffix(':')?.split_once('.')?;
    let nanos: u64 = (nanos.len() == 9).then(|| nanos.parse().ok())??;
    seconds.parse::<u64>().ok()?.checked_mul(1_000_000_000)?.checked_add(nanos)
}

/// `96b22 sysmalloc (/lib/libc.so.6)`; a name can have spaces and parentheses in it.
fn frame(text: &str) -> Option<Frame> {
    let (place, rest) = text.split_once(' ')?;
    let (symbol, file) = rest
        .strip_suffix(')')?
        .rsplit_once(" (")
        .or_else(|| Some(("[unknown]", rest.strip_suffix(')')?.strip_prefix('(')?)))?;
    Some(Frame { place: u64::from_str_radix(place, 16).ok()?, symbol: symbol.to_owned(), file: file.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_frames_are_read() {
        let text = "
 2703.612550686: \n\t           96b22 sysmalloc (/lib/libc.so.6)
\t    30067d <T as core::ops::function::Fn<(A, B)>>::call (.llvm.1) (/bin/a worker)
\tffffffffffffffff [unknown] ([unknown])

 2703.700000001: \n\tffffffff81630273 clear_page_erms ([kernel.kallsyms])
";
        let frame = |place, symbol: &str, file: &str| Frame { place, symbol: symbol.into(), file: file.into() };
        let first = vec![
            frame(0x96b22, "sysmalloc", "/lib/libc.so.6"),
            frame(0x30_067d, "<T as core::ops::function::Fn<(A, B)>>::call (.llvm.1)", "/bin/a worker"),
            frame(u64::MAX, "[unknown]", "[unknown]"),
        ];
        let second = vec![frame(0xffff_ffff_8163_0273, "clear_page_erms", "[kernel.kallsyms]")];
        let profile = Profile::parse(text).unwrap();
        let expected = vec![
            Moment { time_ns: 2_703_612_550_686, frames: first },
            Moment { time_ns: 2_703_700_000_001, frames: second },
        ];
        assert_eq!(profile.moments, expected);
        let kernel: Vec<bool> =
            profile.moments.iter().flat_map(|moment| &moment.frames).map(Frame::in_kernel).collect();
        assert_eq!(kernel, [false, false, false, true]);
    }

    #[test]
    fn what_is_no_profile_is_refused() {
        for text in
            ["\t96b22 sysmalloc (libc)", "12.5:", "hello", "1.000000000:\n\tnot-hex a (b)", "1.000000000:\n\t12 a"]
        {
            assert!(Profile::parse(text).is_err(), "{text:?}");
        }
        assert_eq!(Profile::parse("").unwrap().moments, []);
    }
}
