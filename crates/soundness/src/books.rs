//! Memory for the books of a check: mapped by the kernel, so that the allocator under test can neither hand it out nor
//! spoil it. It is never given back; the process ends with its check.
#![expect(unsafe_code, reason = "mmap(2), and references into mappings that live as long as the process")]

use crate::ended::{Ended, skipped};

/// A fresh mapping with room for `count` values. Fails where the kernel has none, which is nobody's fault here.
fn map<T>(count: usize) -> Result<*mut T, Ended> {
    // Mappings begin at a page.
    assert!(align_of::<T>() <= 4096);
    let size = count * size_of::<T>();
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a fresh anonymous mapping disturbs nothing.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), size.max(1), access, kind, -1, 0) };
    if start == libc::MAP_FAILED {
        return Err(skipped(format_args!("the kernel has no {size} bytes for the books of the check")));
    }
    Ok(start.cast())
}

/// A table of `count` copies of `value`, all of it resident, so that using it later adds nothing to the process.
pub(crate) fn table<T: Copy>(count: usize, value: T) -> Result<&'static mut [T], Ended> {
    let start = map::<T>(count)?;
    for index in 0..count {
        // SAFETY: the mapping has room for `count` values, and nobody else knows it.
        unsafe { start.add(index).write(value) };
    }
    // SAFETY: all values have just been written, and the mapping is this reference's alone, for ever.
    Ok(unsafe { std::slice::from_raw_parts_mut(start, count) })
}

/// A value that threads can share whether or not the one that made it is still there.
pub(crate) fn shared<T: Sync>(value: T) -> Result<&'static T, Ended> {
    let start = map::<T>(1)?;
    // SAFETY: the mapping has room for the value and is never used for anything else.
    unsafe {
        start.write(value);
        Ok(&*start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_hold_what_is_put_into_them() {
        let table = table(10_000, 7_u16).unwrap();
        table[9_999] = 8;
        assert_eq!((table[0], table[9_999], table.len()), (7, 8, 10_000));
        assert_eq!(shared((1, "two")).unwrap(), &(1, "two"));
    }

    #[test]
    fn what_the_kernel_does_not_have_is_nobodys_fault() {
        assert!(matches!(map::<u8>(usize::MAX / 4), Err(Ended::Skipped(_))));
    }
}
