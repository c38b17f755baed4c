//! `heapmark load`

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};

use serde_json::Value;

use crate::{heapmark, reason, text};

/// A server that answers every request with the same status and body, and ends with the tests.
fn server(status: &'static str, body: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let address = listener.local_addr().expect("it has an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || answer(&stream, status, body));
        }
    });
    address
}

/// Answers until the client has gone.
fn answer(mut stream: &TcpStream, status: &str, body: &str) {
    let answer = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let mut length = 0;
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    while reader.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
        if let Some(number) = line.strip_prefix("Content-Length: ") {
            length = number.trim().parse().expect("it is a number");
        }
        if line == "\r\n" {
            reader.read_exact(&mut vec![0; length]).expect("all of it comes");
            if stream.write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
        line.clear();
    }
}

#[test]
fn a_report_is_printed_to_read_and_for_programs() {
    let url = format!("http://{}/hello", server("200 OK", "hello"));
    let output = heapmark(&["load", &url, "--requests", "40", "--connections", "2"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    for part in [&url[..], "closed loop, 2 connections kept, 1 thread", "Answered       40 requests", "100 %"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }

    let output =
        heapmark(&["load", &url, "-n", "40", "--rate", "10000", "--threads", "2", "--format", "json", "--same"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    for (key, value) in [("requests", 40), ("failed", 0), ("rate", 10_000), ("threads", 2), ("connections", 10)] {
        assert_eq!(report[key], value, "{key}: {report}");
    }
    assert_eq!(report["failures"]["timeout"], 0, "{report}");
    assert_eq!(report["latency"]["within"].as_array().map(Vec::len), Some(9), "{report}");
}

#[test]
fn failed_requests_are_told_and_make_the_exit_code() {
    let url = format!("http://{}", server("503 Busy", ""));
    let output = heapmark(&["load", &url, "-n", "5", "-c", "1", "--no-keep-alive", "--format", "json"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report comes with it");
    assert_eq!((&report["failed"], &report["failures"]["status"]), (&5.into(), &5.into()), "{report}");
    assert_eq!(report["first_failure"], "status: 503");
}

#[test]
fn what_is_posted_and_what_is_expected_are_files() {
    let url = format!("http://{}/upload", server("200 OK", "thanks"));
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, content: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).expect("the folder is ours");
        path.to_str().expect("UTF-8").to_owned()
    };
    let (posted, right, wrong) = (file("posted", "{\n}"), file("right", "thanks"), file("wrong", "thinks"));
    for (expected, code) in [(&right, 0), (&wrong, 1)] {
        let fields = ["--header", "content-type: application/json"];
        let output =
            heapmark(&[&["load", &url, "-n", "6", "--post", &posted, "--expect", expected], &fields[..]].concat());
        assert_eq!(output.status.code(), Some(code), "{}{}", text(&output.stdout), text(&output.stderr));
    }
    assert!(reason(&["load", &url, "--post", "/there/is/no/such/file"], 1).contains("/there/is/no/such/file"));
}

#[test]
fn what_makes_no_sense_is_a_usage_error_and_who_is_not_there_a_failure() {
    let gone = {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
        format!("http://{}/", listener.local_addr().expect("it has an address"))
    };
    assert!(reason(&["load", &gone, "-n", "1"], 1).contains("cannot connect"));
    assert!(reason(&["load", &gone, "-c", "4000000000"], 1).contains("connections are possible"));
    for arguments in [
        &["https://a/"][..],
        &["http://a b/"],
        &[&gone, "--threads", "11"],
        &[&gone, "--header", "host: x"],
        &[&gone, "--rate", "0"],
        &[&gone, "-n", "1", "-d", "1s"],
        &[&gone, "--timeout", "0s"],
        &[&gone, "--cpus", "100000"],
        &[],
    ] {
        reason(&[&["load"], arguments].concat(), 2);
    }
}

#[test]
fn probes_that_are_none_are_told_before_there_is_a_load() {
    let url = format!("http://{}/hello", server("200 OK", "hello"));
    let gone = {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
        format!("http://{}", listener.local_addr().expect("it has an address"))
    };
    let other = url.replace("/hello", "");
    for (probes, hint) in [(&gone, "refused"), (&other, "that is no probe")] {
        let why = reason(&["load", &url, "-n", "1", "--probes", probes], 1);
        assert!(why.contains(&format!("the probes at {probes}/ cannot be read: ")) && why.contains(hint), "{why}");
    }
    assert!(reason(&["load", &url, "-n", "1", "--probes", &url], 2).contains("http://HOST:PORT"));
}
