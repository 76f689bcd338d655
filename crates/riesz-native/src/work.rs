//! Working directories of builds: private, and removed however the build ends.
//!
//! A directory contains a file that its owner locks for its lifetime. The system releases the lock of a dead process,
//! so a directory whose file can be locked has no owner, and the next build removes it.

use crate::problem::Problem;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The file that says that the owner of a directory lives.
const ALIVE: &str = "alive";

/// A directory for one build, removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Work {
    path: PathBuf,
    /// Locked until the process ends.
    _alive: File,
}

impl Work {
    /// A new directory among those of other builds. Those whose owners have died are removed.
    pub fn new(among: &Path) -> Result<Work, Problem> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let failed = |error: std::io::Error| Problem::system("write to the cache", among, &error);
        crate::directory::make_private(among)?;
        // No process looks while a directory is there and its lock is not.
        let door = File::create(among.join("door")).map_err(failed)?;
        door.lock().map_err(failed)?;
        remove_dead(among);
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = among.join(format!("{}.{count}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => {}
                // Of another process of this number, on a machine that shares the disk.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(failed(error)),
            }
            let alive = File::create(path.join(ALIVE)).map_err(failed)?;
            alive.lock().map_err(failed)?;
            running().push(Running { work: path.clone(), compiler: None });
            return Ok(Work { path, _alive: alive });
        }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Notes the compiler that works here, or that it has ended.
    pub fn note(&self, compiler: Option<u32>) {
        if let Some(own) = running().iter_mut().find(|running| running.work == self.path) {
            own.compiler = compiler;
        }
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        running().retain(|running| running.work != self.path);
        // What is left behind is removed by the next build.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Removes the directories of processes that have died.
fn remove_dead(among: &Path) {
    let Ok(entries) = fs::read_dir(among) else { return };
    for entry in entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        let is_dead = match File::open(entry.path().join(ALIVE)) {
            Ok(alive) => alive.try_lock().is_ok(),
            // It was killed between its first two steps, or while it removed itself.
            Err(error) => error.kind() == ErrorKind::NotFound,
        };
        if is_dead {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// A build of this process.
struct Running {
    work: PathBuf,
    /// The process group of the compiler.
    compiler: Option<u32>,
}

fn running() -> MutexGuard<'static, Vec<Running>> {
    static RUNNING: Mutex<Vec<Running>> = Mutex::new(Vec::new());
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends all builds of this process, for a process that is about to end: compilers are killed, and what they have written
/// is removed.
pub fn abandon_builds() {
    for running in std::mem::take(&mut *running()) {
        if let Some(compiler) = running.compiler {
            crate::child::kill(compiler);
        }
        let _ = fs::remove_dir_all(&running.work);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_of_the_dead_are_removed_and_those_of_the_living_are_not() {
        let among = std::env::temp_dir().join(format!("riesz-work-{}", std::process::id()));
        let living = Work::new(&among).unwrap();
        fs::create_dir(among.join("1.0")).unwrap();
        fs::create_dir(among.join("1.1")).unwrap();
        File::create(among.join("1.1").join(ALIVE)).unwrap();
        let next = Work::new(&among).unwrap();
        assert!(!among.join("1.0").exists() && !among.join("1.1").exists());
        assert!(living.path().join(ALIVE).exists());
        drop((living, next));
        let left: Vec<_> = fs::read_dir(&among).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["door"]);
        fs::remove_dir_all(among).unwrap();
    }
}
