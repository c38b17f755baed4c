//! `heapmark serve`, and `heapmark load` with the probes of what it serves.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::{heapmark, json, printed, reason, text};

/// A server at work, killed where a test fails.
struct Server {
    command: Child,
    output: BufReader<ChildStdout>,
    url: String,
    probes: String,
}

impl Server {
    /// Waits until it serves, which is once its worker was built.
    fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heapmark"));
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("HEAPMARK_")) {
            command.env_remove(name);
        }
        command.arg("serve").args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut command = command.spawn().expect("the command runs");
        let mut output = BufReader::new(command.stdout.take().expect("a pipe"));
        let mut line = String::new();
        output.read_line(&mut line).expect("it is UTF-8");
        let Some((url, probes)) = line.trim_end().split_once("\tprobes ") else {
            let output = command.wait_with_output().expect("it ends");
            panic!("{arguments:?} does not serve: {line:?}; {}", text(&output.stderr));
        };
        Self { output, url: url.to_owned(), probes: probes.to_owned(), command }
    }

    /// Puts it under load; what that prints.
    fn load(&self, arguments: &[&str]) -> Value {
        let common = ["load", &self.url, "--probes", &self.probes, "--format", "json"];
        json(&[&common[..], arguments].concat())
    }

    /// As somebody at the keyboard would.
    fn interrupt(&self) {
        kill_process(Pid::from_child(&self.command), Signal::INT).expect("it is there");
    }

    /// Waits for its end; the code, what it printed after its first line, and what it said.
    fn end(mut self) -> (Option<i32>, String, String) {
        let (mut figures, mut said) = (String::new(), String::new());
        self.output.read_to_string(&mut figures).expect("it is UTF-8");
        let mut errors = self.command.stderr.take().expect("a pipe");
        errors.read_to_string(&mut said).expect("it is UTF-8");
        (self.command.wait().expect("it is ours").code(), figures, said)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Where it has ended there is nobody to kill.
        let _ = self.command.kill();
        let _ = self.command.wait();
    }
}

#[test]
fn every_stack_serves_until_it_is_interrupted_even_with_a_client_that_stays() {
    for stack in ["hyper", "axum", "actix", "tiny_http"] {
        let parameter = format!("stack={stack}");
        let server =
            Server::start(&["service/hello", "--param", &parameter, "--threads", "2", "--settle", "0.1s,0.05s"]);
        let report = server.load(&["-n", "60", "-c", "3"]);
        assert_eq!((&report["requests"], &report["failed"]), (&60.into(), &0.into()), "{report}");
        let seen = &report["server"];
        assert_eq!((&seen["contender"], &seen["threads"].is_u64()), (&"system".into(), &true), "{report}");
        let workload = seen["workload"].as_str().unwrap_or_default();
        assert_eq!(workload, format!("service/hello?stack={stack}&threads=2"));
        for key in ["user_ns", "system_ns", "rss_before", "rss_after", "peak_rss", "peak_rss_before", "anonymous"] {
            assert!(seen[key].is_u64(), "{key}: {report}");
        }
        assert!(seen["peak_rss"].as_u64() >= seen["rss_after"].as_u64(), "{report}");

        let address = server.url.strip_prefix("http://").and_then(|rest| rest.split('/').next()).expect("an address");
        let mut client = TcpStream::connect(address).expect("it listens");
        client.write_all(b"GET /hello HTTP/1.1\r\nHost: x\r\n\r\n").expect("it listens");
        let mut status = [0; 12];
        client.read_exact(&mut status).expect("it answers");
        assert_eq!(&status, b"HTTP/1.1 200");

        server.interrupt();
        let (code, figures, said) = server.end();
        assert_eq!(code, Some(0), "{stack}: {said}");
        assert!(figures.starts_with("Answered       61 requests in "), "{stack}: {figures}");
        for line in ["CPU time ", "Peak RSS ", "RSS at the end ", "RSS dropped ", "RSS 50.0 ms on ", "RSS 100 ms on "] {
            assert!(figures.lines().any(|there| there.starts_with(line)), "{line:?} in {figures}");
        }
        assert!(said.contains("system serves service/hello with") && said.contains(&parameter), "{said}");
    }
}

#[test]
fn what_is_to_be_posted_and_what_comes_back_is_asked_for_with_the_probes() {
    let server = Server::start(&["service/rpc?parts=5", "--settle", "0"]);
    let report = server.load(&["-n", "20"]);
    assert_eq!((&report["requests"], &report["failed"]), (&20.into(), &0.into()), "{report}");
    let shown = printed(&["load", &server.url, "--probes", &server.probes, "-n", "5"]);
    for line in ["The server     system (glibc", "CPU time there ", "Peak RSS there ", "RSS there      "] {
        assert!(shown.lines().any(|there| there.starts_with(line)), "{line:?} in {shown}");
    }
    // Who is told otherwise does otherwise: nothing is posted elsewhere, and another answer is expected.
    let elsewhere = server.url.replace("/rpc", "/hello");
    assert_eq!(json(&["load", &elsewhere, "--probes", &server.probes, "-n", "3", "--format", "json"])["requests"], 3);
    let other = heapmark(&["load", &server.url, "--probes", &server.probes, "-n", "3", "--expect", "/dev/null"]);
    assert_eq!(other.status.code(), Some(1), "{}", text(&other.stdout));
    server.interrupt();
    assert_eq!(server.end().0, Some(0));
}

#[test]
fn a_server_that_crashes_is_told_with_how_and_makes_the_code() {
    let server = Server::start(&["service/hello", "-a", "handicap@crash_after:30", "--threads", "1"]);
    let output = heapmark(&["load", &server.url, "--probes", &server.probes, "-n", "50", "-c", "1"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(shown.contains("Answered       30 requests") && !shown.contains("The server"), "{shown}");
    assert!(text(&output.stderr).contains("the probes at http://"), "{}", text(&output.stderr));
    let (code, figures, said) = server.end();
    assert_eq!((code, &*figures), (Some(1), ""), "{said}");
    let last = said.lines().last().unwrap_or_default();
    assert!(last.starts_with("heapmark: handicap@crash_after:30: killed by SIGABRT: serving"), "{said}");
    assert!(last.contains("; after "), "{said}");
}

#[test]
fn a_port_that_is_taken_is_told() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let address = taken.local_addr().expect("it has one").to_string();
    let why = reason(&["serve", "service/hello", "--listen", &address], 1);
    assert!(why.contains(&format!("cannot listen on {address}: ")) && why.contains("in use"), "{why}");
    let why = reason(&["serve", "service/hello", "--probes", &address], 1);
    assert!(why.starts_with(&format!("heapmark: cannot listen on {address}: ")), "{why}");
}

#[test]
fn what_makes_no_sense_is_refused_and_who_cannot_serve_is_told() {
    for (arguments, hint) in [
        (&["service/none"][..], "service/lotofobjects"),
        (&["service/hello", "--param", "colour=blue"], "it has stack"),
        (&["service/hello", "--param", "connections=0"], "from 1 to"),
        (&["service/hello", "-a", "nobody"], "no allocator is named \"nobody\"; there are"),
        (&["service/hello?"], "write NAME or NAME?"),
    ] {
        let why = reason(&[&["serve"], arguments].concat(), 2);
        assert!(why.contains(hint), "{arguments:?}: {why}");
    }
    for arguments in
        [&[][..], &["service/hello", "--listen", "here"], &["service/hello", "-a", "a b"], &["a/b", "--settle", "soon"]]
    {
        reason(&[&["serve"], arguments].concat(), 2);
    }
    for (arguments, hint) in [
        (&["service/hello", "--worker", "dead=/bin/false", "-a", "dead"][..], "dead: failed to start"),
        (&["service/hello", "-a", "system@colour:blue"], "system@colour:blue: knob did not take"),
        (&["service/hello", "--param", "rate=5"], "system: refused: service/hello: rate"),
        (&["json/lotofobjects"], "system: refused: json/lotofobjects is no server"),
    ] {
        let why = reason(&[&["serve"], arguments].concat(), 1);
        assert!(why.contains(hint), "{arguments:?}: {why}");
    }
}
