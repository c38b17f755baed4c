//! A stage for one test: a folder in which workers are started, and lifelines that tell which of them still run.

use std::collections::HashSet;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use heapmark::{Settings, Stop, Worker};
use heapmark_tests::LIFELINE;
use rustix::net::sockopt::socket_peercred;
use rustix::process::{Pid, getpid};
use tempfile::TempDir;

/// The program of a worker of these tests, by the end of its name.
macro_rules! program {
    ($name:literal) => {
        env!(concat!("CARGO_BIN_EXE_heapmark-", $name))
    };
}
pub(crate) use program;

/// How long something may take that should happen at once, on however busy a machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// A process with a lifeline, and what it started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Life {
    pub(crate) pid: Pid,
    /// Counts the lifelines, since the kernel uses process numbers again.
    number: usize,
}

/// What a lifeline tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// A process has started.
    Born(Life),
    /// It says that it is about to stop answering.
    Stuck(Life),
    /// It is gone, and so is everything that it started.
    Gone(Life),
}

/// The folder, and who has been in it.
#[derive(Debug)]
pub(crate) struct Scene {
    folder: TempDir,
    news: Receiver<News>,
    heard: Vec<News>,
}

impl Scene {
    /// An empty scene.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        let listener = UnixListener::bind(folder.path().join(LIFELINE)).expect("a socket in a fresh folder");
        let (sender, news) = channel();
        std::thread::spawn(move || {
            listener.incoming().flatten().enumerate().for_each(|(number, line)| follow(number, line, sender.clone()));
        });
        Self { folder, news, heard: Vec::new() }
    }

    /// The folder that the workers are started in.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Where a program is to be started, so that it finds its lifeline.
    pub(crate) fn program(&self, program: &str) -> PathBuf {
        let program = Path::new(program);
        let link = self.folder().join(program.file_name().expect("a program has a name"));
        if !link.exists() {
            symlink(program, &link).expect("a link in a folder of our own");
        }
        link
    }

    /// A worker of this name.
    pub(crate) fn worker(&self, name: &str, program: &str) -> Worker {
        Worker::at(name, self.program(program))
    }

    /// Waits until a worker says that it is stuck; who.
    pub(crate) fn wait_until_stuck(&mut self) -> Life {
        loop {
            if let News::Stuck(life) = self.hear() {
                return life;
            }
        }
    }

    /// Those who run, as far as is known.
    pub(crate) fn running(&self) -> HashSet<Life> {
        let mut running = HashSet::new();
        for news in &self.heard {
            match news {
                News::Born(life) => running.insert(*life),
                News::Gone(life) => running.remove(life),
                News::Stuck(_) => false,
            };
        }
        running
    }

    /// Asserts that whatever was started here is gone, and that it was as many processes as this at least; how many it was.
    pub(crate) fn assert_nothing_runs(mut self, at_least: usize) -> usize {
        // Connections are accepted in turn, so that everyone who came before this one is known once it is.
        let us = UnixStream::connect(self.folder().join(LIFELINE)).expect("our own lifeline");
        let arrived = |news: &News| matches!(news, News::Born(life) if life.pid == getpid());
        while !self.heard.iter().any(arrived) {
            self.hear();
        }
        drop(us);
        while !self.running().is_empty() {
            self.hear();
        }
        let born = self.heard.iter().filter(|news| matches!(news, News::Born(_))).count() - 1;
        assert!(born >= at_least, "only {born} processes held a lifeline");
        born
    }

    /// The next news.
    fn hear(&mut self) -> News {
        let news = self.news.recv_timeout(PATIENCE);
        let news = news.unwrap_or_else(|_| panic!("nothing happens, and these still run: {:?}", self.running()));
        self.heard.push(news);
        news
    }
}

/// Reports what one lifeline tells, from a thread of its own.
fn follow(number: usize, mut socket: UnixStream, news: Sender<News>) {
    let pid = socket_peercred(&socket).expect("a Unix socket knows its peer").pid;
    let life = Life { pid, number };
    // Nobody listens any more once the test is over.
    let _ = news.send(News::Born(life));
    std::thread::spawn(move || {
        let mut byte = [0];
        while let Ok(1) = socket.read(&mut byte) {
            let _ = news.send(News::Stuck(life));
        }
        let _ = news.send(News::Gone(life));
    });
}

/// The least work that goes through every step, in two blocks, with workers that are debug builds.
pub(crate) fn settings() -> Settings {
    Settings { allow_debug: true, stop: Stop::Blocks(2), ..Settings::smoke() }
}
