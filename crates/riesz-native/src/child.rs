//! The compiler as a child process that does not outlive its parent.

use crate::work::Work;
use std::io;
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Is told how long the compiler has been running, again and again, and when it has ended.
pub type BuildObserver = Arc<dyn Fn(Building) + Send + Sync>;

/// The progress of a compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Building {
    /// It has been running for so long.
    For(Duration),
    /// It has ended.
    Done,
}

/// How long to wait between two looks at the compiler.
const PAUSE: Duration = Duration::from_millis(10);

/// Runs a compiler to its end. It is killed when this process is, and by [`crate::abandon_builds`].
pub(crate) fn run(command: &mut Command, work: &Work, watch: Option<&BuildObserver>) -> io::Result<ExitStatus> {
    bind(command);
    let mut child = command.spawn()?;
    work.note(Some(child.id()));
    let start = Instant::now();
    let outcome = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Ok(status),
            Ok(None) => {}
            Err(error) => break Err(error),
        }
        if let Some(watch) = watch {
            watch(Building::For(start.elapsed()));
        }
        std::thread::sleep(PAUSE);
    };
    work.note(None);
    if let Some(watch) = watch {
        watch(Building::Done);
    }
    outcome
}

/// Puts a process into a group of its own, with what it starts, and has it killed when this thread is gone.
#[cfg(unix)]
fn bind(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        let parent = std::process::id();
        // SAFETY: between fork and exec only functions may be called that are safe in a signal handler. These two are
        // system calls, and the closure allocates nothing. The thread that starts the compiler waits for it, so that
        // the compiler outlives neither the thread nor, thereby, the process.
        unsafe {
            command.pre_exec(move || {
                if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
                    return Err(io::Error::last_os_error());
                }
                // Whoever died before that can send no signal any more.
                match libc::getppid() as u32 == parent {
                    true => Ok(()),
                    false => Err(io::Error::from(io::ErrorKind::Interrupted)),
                }
            });
        }
    }
}

#[cfg(not(unix))]
fn bind(_: &mut Command) {}

/// Kills a compiler, and what it has started.
#[cfg(unix)]
pub(crate) fn kill(group: u32) {
    if let Ok(group @ 2..) = i32::try_from(group) {
        // SAFETY: a system call without pointers. The group was made for a compiler that has not been waited for, so its
        // number is not another's.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
}

#[cfg(not(unix))]
pub(crate) fn kill(_: u32) {}
