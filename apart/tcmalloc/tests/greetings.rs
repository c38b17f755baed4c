//! Both programs prove what they say they are.

use std::io::{BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Command;

/// The first line of a program, in an environment that has another tunable in it.
fn greeting(program: &str) -> String {
    let (mut ours, theirs) = UnixStream::pair().expect("a pair of sockets");
    let mut child = Command::new(program)
        .env("GLIBC_TUNABLES", "glibc.malloc.arena_max=1")
        .stdin(OwnedFd::from(theirs))
        .spawn()
        .expect("the program starts");
    let mut line = String::new();
    BufReader::new(&ours).read_line(&mut line).expect("the program greets");
    ours.write_all(b"quit\n").expect("the program listens");
    assert!(child.wait().expect("the program ends").success());
    line
}

#[test]
fn each_program_has_the_caches_of_its_name() {
    for (program, name, caches) in [
        (env!("CARGO_BIN_EXE_heapmark-worker-tcmalloc"), "tcmalloc", "thread"),
        (env!("CARGO_BIN_EXE_heapmark-worker-tcmalloc-percpu"), "tcmalloc-percpu", "CPU"),
    ] {
        let greeting = greeting(program);
        for field in [&format!(" name={name} "), &format!("caches%20per%20{caches}"), " proof=api ", " debug_build=0 "]
        {
            assert!(greeting.contains(field), "{field:?} in {greeting}");
        }
    }
}
