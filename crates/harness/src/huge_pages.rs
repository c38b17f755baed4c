//! Whether a worker gets transparent huge pages, whatever its allocator: a knob that the harness has for every contender.
//!
//! Some allocators ask for huge pages and others do not, so on a host in the mode `madvise` contenders differ in page faults and
//! resident memory for a reason that has little to do with how they manage memory. The kernel keeps a switch for each process,
//! which survives exec (prctl(2), `PR_SET_THP_DISABLE`).

use std::fmt;

use serde::Deserialize;

use crate::Status;
use crate::machine::{THP_MODE, thp_mode};

/// What a process may do with transparent huge pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum HugePages {
    /// What the host allows, and the process inherits: nothing is changed.
    Host,
    /// None, even where the program asks for them.
    Never,
    /// Only where the program asks for them (`madvise(MADV_HUGEPAGE)`), even on a host in the mode `always`.
    Advised,
    /// Everywhere, which a process can have on a host in the mode `always` only.
    Always,
}

impl HugePages {
    /// The knob's name in `NAME@thp:never`. A worker's own knob of that name is out of reach.
    pub const KNOB: &'static str = "thp";

    const ALL: [Self; 4] = [Self::Host, Self::Never, Self::Advised, Self::Always];

    /// The knob's value.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Never => "never",
            Self::Advised => "advised",
            Self::Always => "always",
        }
    }

    /// What these knobs ask for; nothing if they do not. Fails where there is no such mode, or not on this host.
    pub(crate) fn asked_for(knobs: &[(String, String)]) -> Result<Option<Self>, Status> {
        let Some((_, word)) = knobs.iter().find(|(name, _)| name == Self::KNOB) else { return Ok(None) };
        let mode = Self::ALL.into_iter().find(|mode| mode.word() == word).ok_or_else(|| {
            let words = Self::ALL.map(Self::word).join(", ");
            Status::Knob { detail: format!("{}:{word} is none of {words}", Self::KNOB) }
        })?;
        mode.allowed_by(thp_mode().as_deref()).map_err(|detail| Status::Knob { detail })?;
        Ok(Some(mode))
    }

    /// Whether a process can have this where the host is in the mode `host`. Fails naming the file to change.
    fn allowed_by(self, host: Option<&str>) -> Result<(), String> {
        let enough: &[&str] = match self {
            Self::Host | Self::Never => return Ok(()),
            Self::Advised => &["madvise", "always"],
            Self::Always => &["always"],
        };
        let Some(host) = host else { return Err(format!("{self} cannot be had: the kernel lacks {THP_MODE}")) };
        if enough.contains(&host) {
            return Ok(());
        }
        let enough = enough.join(" or ");
        Err(format!("{self} cannot be had: {THP_MODE} says {host}, and {enough} has to be written to it, as root"))
    }

    /// What is in force in a process that was started so, by its `/proc/PID/status`: a word of the knob, or what else is there.
    ///
    /// `THP_enabled` is 0 where huge pages are switched off completely, and 1 where they are left to those who ask for them
    /// (Documentation/filesystems/proc.rst); the latter was the kernel's own answer when it was set.
    pub(crate) fn in_force(self, status: &str) -> &'static str {
        let line = status.lines().find_map(|line| line.strip_prefix("THP_enabled:"));
        match (self, line.map(str::trim)) {
            (Self::Host, _) | (Self::Never, Some("1")) => Self::Host.word(),
            (_, Some("0")) => Self::Never.word(),
            (Self::Advised | Self::Always, Some("1")) => self.word(),
            _ => "not told by the kernel",
        }
    }
}

impl fmt::Display for HugePages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", Self::KNOB, self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knobs(value: &str) -> Vec<(String, String)> {
        vec![("narenas".into(), "1".into()), ("thp".into(), value.into())]
    }

    #[test]
    fn it_is_asked_for_by_a_knob() {
        assert_eq!(HugePages::asked_for(&[]), Ok(None));
        assert_eq!(HugePages::asked_for(&knobs("never")), Ok(Some(HugePages::Never)));
        assert_eq!(HugePages::asked_for(&knobs("host")), Ok(Some(HugePages::Host)));
        let status = HugePages::asked_for(&knobs("madvise")).unwrap_err();
        assert_eq!(status.detail(), "thp:madvise is none of host, never, advised, always");
    }

    #[test]
    fn the_host_sets_bounds() {
        use HugePages::{Advised, Always, Host, Never};
        for (host, possible) in [
            (Some("always"), &[Host, Never, Advised, Always][..]),
            (Some("madvise"), &[Host, Never, Advised]),
            (Some("never"), &[Host, Never]),
            (None, &[Host, Never]),
        ] {
            for mode in HugePages::ALL {
                let allowed = mode.allowed_by(host);
                assert_eq!(allowed.is_ok(), possible.contains(&mode), "{mode} on {host:?}");
                assert!(allowed.err().is_none_or(|why| why.contains(THP_MODE)), "the file is named");
            }
        }
    }

    #[test]
    fn what_is_in_force_is_what_the_kernel_says() {
        use HugePages::{Advised, Always, Host, Never};
        let status = |enabled: &str| format!("Threads:\t1\nTHP_enabled:\t{enabled}\nSeccomp:\t0\n");
        for (mode, enabled, word) in [
            (Never, "0", "never"),
            (Never, "1", "host"),
            (Advised, "1", "advised"),
            (Advised, "0", "never"),
            (Always, "1", "always"),
            (Always, "0", "never"),
            (Host, "0", "host"),
        ] {
            assert_eq!(mode.in_force(&status(enabled)), word, "{mode} {enabled}");
        }
        assert_eq!(Never.in_force("Threads:\t1\n"), "not told by the kernel");
    }
}
