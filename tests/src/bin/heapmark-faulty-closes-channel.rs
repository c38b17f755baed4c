//! Closes its channel, but goes on running.

heapmark_tests::hold_lifeline!();

fn main() -> std::io::Result<()> {
    heapmark_tests::greet(heapmark_protocol::VERSION);
    let nothing = std::fs::File::open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    loop {
        std::thread::park();
    }
}
