//! A checksum over bodies.

/// FNV-1a in 64 bits (Fowler, Noll and Vo; RFC 9923).
pub(crate) const fn checksum(bytes: &[u8]) -> u64 {
    let mut sum: u64 = 0xcbf2_9ce4_8422_2325;
    let mut rest = bytes;
    while let Some((byte, tail)) = rest.split_first() {
        sum = (sum ^ *byte as u64).wrapping_mul(0x0100_0000_01b3);
        rest = tail;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the test vectors that the authors publish.
    #[test]
    fn it_is_fnv_1a() {
        assert_eq!(checksum(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(checksum(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(checksum(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
