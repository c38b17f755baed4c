//! What is tried next, on standard error: the last line says where a process that ended in the middle was.

use std::fmt;
use std::io::Write;

use heapmark_protocol::Text;

/// Says what is tried next. Nothing is allocated for it.
pub(crate) fn stage(what: fmt::Arguments<'_>) {
    let line = Text::<200>::of(format_args!("{what}\n"));
    // Where nobody listens the check goes on.
    let _ = std::io::stderr().write_all(line.as_str().as_bytes());
}
