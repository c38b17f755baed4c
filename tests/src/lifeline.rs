//! A socket that a program opens before anything else and never closes: it closes when the last process that holds it is
//! gone. A child made by `fork` holds it too. So the other end sees exactly when nothing is left running.
#![expect(unsafe_code, reason = "getauxval(3), socket(2), connect(2) and write(2), before the allocator may be called")]

use std::ffi::{CStr, c_char};
use std::sync::atomic::{AtomicI32, Ordering};

/// The file name of the socket; it lies beside the program, under the path that it was started by.
pub const LIFELINE: &str = "lifeline";

/// The open lifeline, or -1.
static SOCKET: AtomicI32 = AtomicI32::new(-1);

/// Connects to the lifeline beside the program, if there is one. It runs before `main` and allocates nothing.
pub extern "C" fn attach() {
    // SAFETY: the call takes a number and gives one back.
    let program = unsafe { libc::getauxval(libc::AT_EXECFN) } as *const c_char;
    if program.is_null() {
        return;
    }
    // SAFETY: the kernel puts the path that it was asked to execute on the stack of the new process, see getauxval(3), and
    // nobody writes to it.
    let program = unsafe { CStr::from_ptr(program) }.to_bytes();
    let folder = program.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    let mut address = libc::sockaddr_un { sun_family: AF_UNIX, sun_path: [0; 108] };
    let path = program[..folder].iter().chain(LIFELINE.as_bytes());
    // One byte stays for the end of the string.
    let room = address.sun_path.len() - 1;
    for (slot, &byte) in address.sun_path[..room].iter_mut().zip(path) {
        *slot = byte.cast_signed();
    }
    // SAFETY: the address is a whole `sockaddr_un` on the stack, of the length given.
    unsafe {
        let socket = libc::socket(libc::AF_UNIX, libc::SOCK_STREAM, 0);
        if libc::connect(socket, (&raw const address).cast(), LENGTH) == 0 {
            SOCKET.store(socket, Ordering::Relaxed);
        } else {
            libc::close(socket);
        }
    }
}

/// `AF_UNIX` in the type of the address.
#[expect(clippy::cast_possible_truncation, reason = "the constant is 1")]
const AF_UNIX: libc::sa_family_t = libc::AF_UNIX as libc::sa_family_t;

/// The length of an address.
#[expect(clippy::cast_possible_truncation, reason = "110 bytes")]
const LENGTH: libc::socklen_t = size_of::<libc::sockaddr_un>() as libc::socklen_t;

/// Tells the other end that this program is about to stop answering.
pub(crate) fn signal() {
    let socket = SOCKET.load(Ordering::Relaxed);
    if socket >= 0 {
        // SAFETY: the byte is valid for reads; a failure means that nobody listens, which is fine.
        unsafe { libc::write(socket, b"!".as_ptr().cast(), 1) };
    }
}
