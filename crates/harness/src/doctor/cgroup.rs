//! Limits that control groups set, in both versions of their interface.

use std::path::{Path, PathBuf};

use crate::Bytes;

/// The limits of the group that this process is in, the tightest of its ancestors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Limits {
    /// Processors' worth of time.
    pub(super) cpus: Option<f64>,
    /// Memory.
    pub(super) memory: Option<Bytes>,
}

/// A hierarchy as it is mounted.
struct Mount {
    /// The group that is mounted.
    root: String,
    place: PathBuf,
    /// `cgroup` or `cgroup2`.
    kind: String,
    /// Options of the file system: the controllers, in version 1.
    options: Vec<String>,
}

impl Limits {
    /// Reads them; nothing where the kernel has no control groups, or none is mounted.
    pub(super) fn read(root: &Path) -> Option<Self> {
        let groups = std::fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
        let mounts = mounts(&std::fs::read_to_string(root.join("proc/self/mountinfo")).ok()?);
        if mounts.is_empty() {
            return None;
        }
        let mut limits = Self::default();
        // `hierarchy:controllers:group`, without controllers in version 2.
        for line in groups.lines() {
            let mut parts = line.splitn(3, ':').skip(1);
            let (Some(controllers), Some(group)) = (parts.next(), parts.next()) else { continue };
            let serves = |mount: &&Mount| match controllers {
                "" => mount.kind == "cgroup2",
                _ => mount.kind == "cgroup" && controllers.split(',').any(|c| mount.options.iter().any(|o| o == c)),
            };
            for mount in mounts.iter().filter(serves) {
                for folder in folders(root, mount, group) {
                    limits.tighten(cpus(&folder), memory(&folder));
                }
            }
        }
        Some(limits)
    }

    fn tighten(&mut self, cpus: Option<f64>, memory: Option<Bytes>) {
        self.cpus = [self.cpus, cpus].into_iter().flatten().reduce(f64::min);
        self.memory = [self.memory, memory].into_iter().flatten().min();
    }
}

/// The folder of a group and those of its ancestors, as far as they are mounted.
fn folders(root: &Path, mount: &Mount, group: &str) -> Vec<PathBuf> {
    let place = root.join(mount.place.strip_prefix("/").unwrap_or(&mount.place));
    let below = Path::new(group).strip_prefix(&mount.root).unwrap_or(Path::new(""));
    let own = place.join(below.strip_prefix("/").unwrap_or(below));
    own.ancestors().take_while(|folder| folder.starts_with(&place)).map(Path::to_path_buf).collect()
}

/// The lines of mountinfo that are about control groups: `id parent device root place options … - kind source options`
/// (`proc_pid_mountinfo(5)`).
fn mounts(text: &str) -> Vec<Mount> {
    let mount = |line: &str| {
        let (before, after) = line.split_once(" - ")?;
        let mut before = before.split(' ').skip(3);
        let (root, place) = (before.next()?.to_owned(), before.next()?.into());
        let mut after = after.split(' ');
        let kind = after.next()?.to_owned();
        let options = after.nth(1)?.split(',').map(str::to_owned).collect();
        kind.starts_with("cgroup").then_some(Mount { root, place, kind, options })
    };
    text.lines().filter_map(mount).collect()
}

/// `cpu.max` holds quota and period, or `max`; in version 1 they are files of their own, with -1 for no quota.
fn cpus(folder: &Path) -> Option<f64> {
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
    let (quota, period) = match read("cpu.max") {
        Some(text) => {
            let (quota, period) = text.trim().split_once(' ')?;
            (quota.to_owned(), period.to_owned())
        }
        None => (read("cpu.cfs_quota_us")?, read("cpu.cfs_period_us")?),
    };
    let (quota, period): (f64, f64) = (quota.trim().parse().ok()?, period.trim().parse().ok()?);
    (quota > 0.0 && period > 0.0).then_some(quota / period)
}

/// `memory.max` holds bytes or `max`; version 1 writes no limit as the greatest multiple of a page.
fn memory(folder: &Path) -> Option<Bytes> {
    const NONE_IN_VERSION_1: u64 = 1 << 62;
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
    let text = read("memory.max").or_else(|| read("memory.limit_in_bytes"))?;
    text.trim().parse().ok().filter(|bytes| *bytes < NONE_IN_VERSION_1).map(Bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, content) in files {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
        root
    }

    #[test]
    fn version_2_takes_the_tightest_of_the_ancestors() {
        let root = machine(&[
            ("proc/self/cgroup", "0::/a/b\n"),
            ("proc/self/mountinfo", "30 23 0:28 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"),
            ("sys/fs/cgroup/a/b/cpu.max", "max 100000\n"),
            ("sys/fs/cgroup/a/cpu.max", "150000 100000\n"),
            ("sys/fs/cgroup/a/b/memory.max", "1073741824\n"),
            ("sys/fs/cgroup/a/memory.max", "max\n"),
        ]);
        let expected = Limits { cpus: Some(1.5), memory: Some(Bytes(1 << 30)) };
        assert_eq!(Limits::read(root.path()), Some(expected));
    }

    #[test]
    fn version_1_has_a_hierarchy_for_each_controller() {
        let root = machine(&[
            ("proc/self/cgroup", "4:memory:/a\n1:cpu,cpuacct:/\n"),
            (
                "proc/self/mountinfo",
                "32 31 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n\
                 35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
            ),
            ("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n"),
            ("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"),
            ("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "2097152\n"),
        ]);
        let expected = Limits { cpus: Some(0.5), memory: Some(Bytes(2 << 20)) };
        assert_eq!(Limits::read(root.path()), Some(expected));
    }

    #[test]
    fn no_limit_is_none_and_no_groups_are_nothing() {
        let free = machine(&[
            ("proc/self/cgroup", "0::/\n"),
            ("proc/self/mountinfo", "30 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
            ("sys/fs/cgroup/memory.max", "max\n"),
        ]);
        assert_eq!(Limits::read(free.path()), Some(Limits::default()));
        assert_eq!(Limits::read(machine(&[]).path()), None);
    }

    #[test]
    fn a_mounted_subtree_is_found_from_its_root() {
        let root = machine(&[
            ("proc/self/cgroup", "0::/docker/abc\n"),
            ("proc/self/mountinfo", "30 23 0:28 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n"),
            ("sys/fs/cgroup/cpu.max", "200000 100000\n"),
        ]);
        assert_eq!(Limits::read(root.path()).unwrap().cpus, Some(2.0));
    }
}
