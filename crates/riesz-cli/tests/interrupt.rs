//! Ctrl-C stops work of every kind: at the prompt it gives the prompt back, elsewhere it ends the command.
//!
//! The prompt runs on a pseudo-terminal. `--nocapture` prints how long each kind of work took to stop.

#![cfg(unix)]
#![allow(unsafe_code, reason = "a pseudo-terminal is opened by a function of the system")]

use riesz::via::REPRESENTATIONS;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long work runs before it is interrupted.
const BEFORE: Duration = Duration::from_millis(700);
/// How long it may take to stop, on a machine that does other things as well.
const LONGEST: Duration = Duration::from_secs(20);
/// A loop that has no end for an hour.
const ENDLESS: &str = "loop x = 1.0 while x > 0.0 do x + 1.0";

/// What is typed, for each kind of work. It would take minutes.
fn lines() -> Vec<(&'static str, String)> {
    let nested = (0..14).fold("sin(x0) * x0".to_string(), |body, at| format!("grad(\\x{at} -> {body}, x{})", at + 1));
    vec![
        ("an evaluation", ENDLESS.into()),
        (
            "a gradient while it runs",
            format!("grad(\\y -> {}, 1.0)", ENDLESS.replace("1.0 do", "y do").replace("+ 1.0", "+ y")),
        ),
        ("a series", "taylor(\\x -> exp(sin(x)), 0.5, 1.0, 10000)".into()),
        ("a compilation", format!("grad(\\x14 -> {nested}, 0.5)")),
        ("an array", "sum(sum(sqrt(1.0 * i * j) | j < 100000) | i < 100000)".into()),
    ]
}

#[test]
fn the_prompt_comes_back() {
    let mut prompt = Prompt::open();
    for (work, line) in lines() {
        prompt.enter(&line);
        std::thread::sleep(BEFORE);
        let took = prompt.interrupt();
        println!("{work}: {took:?}");
        prompt.enter("20 + 22");
        prompt.expect("42 : Int");
    }
    prompt.enter(":quit");
    assert!(prompt.child.wait().unwrap().success());
}

#[test]
fn a_command_ends() {
    let loops: Vec<Vec<String>> = REPRESENTATIONS
        .iter()
        .map(|via| vec![format!("grad(\\y -> {ENDLESS} + y, 1.0)"), "--via".into(), via.name.into()])
        .chain([vec![ENDLESS.into()]])
        .collect();
    for arguments in loops {
        let took = interrupted(&arguments);
        println!("{arguments:?}: {took:?}");
    }
}

/// Machine code looks at the steps and the interrupt too, in loops with a condition and in straight ones.
#[test]
fn machine_code_ends() {
    let has_compiler = Command::new("rustc").arg("--version").output().is_ok();
    for backend in ["instant", "native"].into_iter().filter(|backend| has_compiler || *backend == "instant") {
        for expression in [ENDLESS, "sum(1.0 / real(i + 1) | i < 10^11)"] {
            let arguments = [expression, "--backend", backend].map(String::from);
            // The first run builds; then there is only the loop.
            let quick =
                Command::new(env!("CARGO_BIN_EXE_riesz")).arg("eval").args(&arguments).arg("--max-steps=1000").output();
            let quick = quick.unwrap();
            let said = String::from_utf8_lossy(&quick.stderr).into_owned();
            assert!(!quick.status.success() && said.contains("error[step-limit]"), "{arguments:?}: {said}");
            println!("{arguments:?}: {:?}", interrupted(&arguments));
        }
    }
}

/// Starts an evaluation, interrupts it, and waits for its end.
fn interrupted(arguments: &[String]) -> Duration {
    let mut child = interruptible()
        .arg("eval")
        .args(arguments)
        .arg("--max-steps=1000000000000")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(BEFORE);
    assert!(child.try_wait().unwrap().is_none(), "{arguments:?} is still running");
    let start = Instant::now();
    signal(&child);
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > LONGEST {
            child.kill().unwrap();
            panic!("{arguments:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    start.elapsed()
}

/// The command, also where the tests themselves run in the background, which ignores interrupts.
fn interruptible() -> Command {
    let riesz = env!("CARGO_BIN_EXE_riesz");
    if !cfg!(target_os = "linux") {
        return Command::new(riesz);
    }
    let mut command = Command::new("env");
    command.args(["--default-signal=INT", riesz]);
    command
}

fn signal(child: &Child) {
    let sent = Command::new("kill").args(["-s", "INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// The prompt on a pseudo-terminal.
struct Prompt {
    child: Child,
    keyboard: File,
    /// What the screen has shown since the last expectation.
    shown: Arc<Mutex<String>>,
}

impl Prompt {
    fn open() -> Prompt {
        let (master, slave) = terminal();
        let other = || Stdio::from(slave.try_clone().unwrap());
        let child = Command::new(env!("CARGO_BIN_EXE_riesz"))
            .args(["repl", "--max-steps=1000000000000"])
            .env("TERM", "xterm")
            .env("NO_COLOR", "1")
            .stdin(other())
            .stdout(other())
            .stderr(other())
            .spawn()
            .unwrap();
        let keyboard = File::from(master.try_clone().unwrap());
        let shown = Arc::new(Mutex::new(String::new()));
        let (mut screen, mut answers, store) = (File::from(master), keyboard.try_clone().unwrap(), shown.clone());
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = screen.read(&mut bytes) {
                let text = String::from_utf8_lossy(&bytes[..count]).into_owned();
                // A terminal tells where its cursor is.
                if text.contains("\x1b[6n") {
                    let _ = answers.write_all(b"\x1b[1;1R");
                }
                store.lock().unwrap().push_str(&text);
            }
        });
        let mut prompt = Prompt { child, keyboard, shown };
        prompt.expect("`:help` for help");
        prompt
    }

    fn enter(&mut self, line: &str) {
        self.keyboard.write_all(line.as_bytes()).unwrap();
        self.keyboard.write_all(b"\r").unwrap();
    }

    fn interrupt(&mut self) -> Duration {
        self.shown.lock().unwrap().clear();
        let start = Instant::now();
        signal(&self.child);
        self.expect("interrupted");
        start.elapsed()
    }

    /// Waits until the screen shows a text.
    fn expect(&mut self, text: &str) {
        let start = Instant::now();
        loop {
            let mut shown = self.shown.lock().unwrap();
            if shown.contains(text) {
                return shown.clear();
            }
            if start.elapsed() > LONGEST {
                let _ = self.child.kill();
                panic!("`{text}` is not shown, but {shown:?}");
            }
            drop(shown);
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// The two ends of a pseudo-terminal.
fn terminal() -> (OwnedFd, OwnedFd) {
    let (mut master, mut slave) = (-1, -1);
    let none = std::ptr::null_mut();
    // SAFETY: the two numbers are written to, and null stands for no name, no settings and no size.
    let result = unsafe { libc::openpty(&mut master, &mut slave, none, none.cast(), none.cast()) };
    assert_eq!(result, 0, "there is a pseudo-terminal");
    // SAFETY: both have just been opened, and nobody else closes them.
    unsafe { (OwnedFd::from_raw_fd(master), OwnedFd::from_raw_fd(slave)) }
}
