//! A line on a terminal that says how far some work is, and is wiped when the work is done.

use std::io::{IsTerminal, Write, stderr};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long to wait before showing what is done.
const PATIENCE: Duration = Duration::from_secs(1);

/// The last line of the standard error, where that is a terminal; nothing elsewhere.
#[derive(Default)]
pub struct Line {
    width: usize,
}

impl Line {
    /// Writes a text in place of the one that is shown.
    pub fn show(&mut self, text: &str) {
        if stderr().is_terminal() {
            let width = text.chars().count();
            let rest = " ".repeat(self.width.saturating_sub(width));
            // Progress that cannot be shown is no reason to stop.
            let _ = write!(stderr(), "\r{text}{rest}").and_then(|()| stderr().flush());
            self.width = width;
        }
    }

    /// Wipes the line.
    pub fn clear(&mut self) {
        if self.width > 0 {
            self.show("");
            let _ = write!(stderr(), "\r");
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.clear();
    }
}

/// How many of some things are done: a line that appears when they take long.
pub struct Progress {
    shared: Arc<Mutex<Shared>>,
    _over: Sender<()>,
}

struct Shared {
    name: String,
    done: usize,
    count: usize,
    line: Option<Line>,
    over: bool,
}

impl Shared {
    fn draw(&mut self) {
        if let Some(line) = &mut self.line {
            line.show(&format!("{}: {} of {}", self.name, self.done, self.count));
        }
    }
}

impl Progress {
    /// None of `count` things is done yet.
    pub fn new(name: &str, count: usize) -> Progress {
        let shared = Shared { name: name.to_string(), done: 0, count, line: None, over: false };
        let shared = Arc::new(Mutex::new(shared));
        let (over, waiting) = mpsc::channel::<()>();
        let late = shared.clone();
        // The sender is dropped when all is done.
        std::thread::spawn(move || {
            if waiting.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                let mut shared = late.lock().unwrap_or_else(PoisonError::into_inner);
                if !shared.over {
                    shared.line = Some(Line::default());
                    shared.draw();
                }
            }
        });
        Progress { shared, _over: over }
    }

    /// One more is done.
    pub fn advance(&self) {
        let mut shared = self.shared();
        shared.done += 1;
        shared.draw();
    }

    /// Writes something else to the terminal.
    pub fn suspend(&self, write: impl FnOnce()) {
        let mut shared = self.shared();
        if let Some(line) = &mut shared.line {
            line.clear();
        }
        write();
        shared.draw();
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        let mut shared = self.shared();
        (shared.over, shared.line) = (true, None);
    }
}
