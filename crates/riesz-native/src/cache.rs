//! The cache of compiled libraries, by a hash of their inputs.
//!
//! ```text
//! RIESZ_CACHE/native/KEY/program.so    a library
//!                        sha256        its checksum
//!                    work/             builds that are under way
//! ```
//!
//! A key is the SHA-256 of all inputs of a library. An entry is written to a temporary place and then moved, so that it
//! exists with its checksum or not at all. A library is loaded only if its checksum matches; an entry that was damaged
//! by the disk, a full quota or a crash is built again. Only the user can write to the directory (`directory`): the
//! checksum protects against damage, the directory against attacks.

use crate::directory::{check_private, make_private, sync, write_whole};
use crate::problem::Problem;
use crate::work::Work;
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// How many bytes are kept where `RIESZ_CACHE_LIMIT` does not say.
const LIMIT: u64 = 1 << 30;

/// The file of an entry that holds the checksum.
const CHECKSUM: &str = "sha256";

/// A file that tells backup programs to omit the folder.
const TAG: (&str, &str) = ("CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n# Native code of Riesz.\n");

/// A directory for libraries.
#[derive(Clone, Debug)]
pub struct Cache {
    directory: PathBuf,
    limit: u64,
}

/// The kind of a library, which determines its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The functions that generated code calls.
    Runtime,
    /// Generated code.
    Program,
}

impl Kind {
    const ALL: [Kind; 2] = [Kind::Runtime, Kind::Program];

    pub(crate) fn file(self) -> &'static str {
        match self {
            Kind::Runtime => "libriesz_runtime.rlib",
            Kind::Program => "program.so",
        }
    }
}

/// A library that is kept.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its kind.
    pub kind: Kind,
    /// How many bytes it has.
    pub bytes: u64,
    /// When it was used last.
    pub used: SystemTime,
    path: PathBuf,
}

impl Cache {
    /// Where the environment says: in `RIESZ_CACHE`, or where the user's caches are. A folder that others share is never
    /// chosen.
    pub fn of_environment() -> Result<Cache, Problem> {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        // Names that are not absolute are no names of such directories, their standard says.
        let absolute = |name: &str| variable(name).filter(|path| path.is_absolute());
        let caches = || absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")));
        let Some(directory) = variable("RIESZ_CACHE").or_else(|| caches().map(|caches| caches.join("riesz"))) else {
            let message = "there is no place to keep native code: RIESZ_CACHE, XDG_CACHE_HOME and HOME are not set";
            return Err(Problem::new(message).cure("set RIESZ_CACHE to a directory of yours"));
        };
        let limit = match std::env::var("RIESZ_CACHE_LIMIT") {
            Ok(text) if !text.is_empty() => bytes(&text).map_err(|problem| {
                Problem::new(format!("RIESZ_CACHE_LIMIT is `{text}`, which is not a number of bytes")).cure(problem)
            })? as u64,
            _ => LIMIT,
        };
        Ok(Cache { limit, ..Cache::at(&directory) })
    }

    /// In a directory of one's choice.
    pub fn at(directory: &Path) -> Cache {
        let whole = std::path::absolute(directory).unwrap_or_else(|_| directory.to_path_buf());
        Cache { directory: whole.join("native"), limit: LIMIT }
    }

    /// The folder of the cache.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// How many bytes are kept at most.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// The same with another limit.
    pub fn with_limit(self, limit: u64) -> Cache {
        Cache { limit, ..self }
    }

    /// Makes sure that the directory is there, and private.
    pub(crate) fn open(&self) -> Result<(), Problem> {
        let is_new = !self.directory.exists();
        if let Some(above) = self.directory.parent() {
            make_private(above)?;
        }
        make_private(&self.directory)?;
        if is_new {
            // For others; nothing here depends on it.
            let _ = write_whole(&self.directory.join(TAG.0), TAG.1.as_bytes());
        }
        Ok(())
    }

    /// A directory for a build.
    pub(crate) fn work(&self) -> Result<Work, Problem> {
        self.open()?;
        Work::new(&self.directory.join("work"))
    }

    /// The library of a key, if it is kept and undamaged.
    pub(crate) fn find(&self, key: &str, kind: Kind) -> Result<Option<PathBuf>, Problem> {
        self.open()?;
        let entry = self.directory.join(key);
        match verified(&entry, kind) {
            Ok(true) => {
                // When it was used last; where that cannot be noted, it goes earlier.
                let _ = File::options()
                    .append(true)
                    .open(entry.join(CHECKSUM))
                    .and_then(|file| file.set_modified(SystemTime::now()));
                Ok(Some(entry.join(kind.file())))
            }
            Ok(false) => {
                remove(&entry).map_err(|error| Problem::system("remove a damaged library from", &entry, &error))?;
                Ok(None)
            }
            Err(error) if error.kind() == ErrorKind::NotFound && !entry.exists() => Ok(None),
            Err(_) => {
                remove(&entry).map_err(|error| Problem::system("remove a damaged library from", &entry, &error))?;
                Ok(None)
            }
        }
    }

    /// Keeps what has been built, under its key; where it is from now on.
    pub(crate) fn keep(&self, key: &str, kind: Kind, built: &Path, work: &Work) -> Result<PathBuf, Problem> {
        let entry = self.directory.join(key);
        let failed = |error: io::Error| Problem::system("write to the cache", &self.directory, &error);
        let staged = work.path().join("entry");
        fs::create_dir(&staged).map_err(failed)?;
        let file = staged.join(kind.file());
        fs::rename(built, &file).map_err(failed)?;
        let sum = checksum(&file).map_err(failed)?;
        fs::write(staged.join(CHECKSUM), sum).map_err(failed)?;
        for path in [&file, &staged.join(CHECKSUM), &staged] {
            sync(path).map_err(failed)?;
        }
        if let Err(error) = fs::rename(&staged, &entry) {
            // Another process may have built the same in the meantime.
            match self.find(key, kind)? {
                Some(library) => return Ok(library),
                None if entry.exists() => return Err(failed(error)),
                None => fs::rename(&staged, &entry).map_err(failed)?,
            }
        }
        // A name that the disk forgets is built again.
        let _ = sync(&self.directory);
        self.prune(&entry);
        Ok(entry.join(kind.file()))
    }

    /// The libraries that are kept, those first that have not been used for longest.
    pub fn entries(&self) -> Result<Vec<Entry>, Problem> {
        if !self.directory.exists() {
            return Ok(Vec::new());
        }
        check_private(&self.directory)?;
        let entries =
            fs::read_dir(&self.directory).map_err(|error| Problem::system("read", &self.directory, &error))?;
        let keys = entries.flatten().filter(|entry| is_key(&entry.file_name().to_string_lossy()));
        let mut found: Vec<Entry> = keys.filter_map(|entry| look_at(entry.path()).ok()).collect();
        found.sort_by_key(|entry| entry.used);
        Ok(found)
    }

    /// Removes all libraries; how many bytes they had.
    pub fn clear(&self) -> Result<u64, Problem> {
        let mut total = 0;
        for entry in self.entries()? {
            remove(&entry.path).map_err(|error| Problem::system("remove", &entry.path, &error))?;
            total += entry.bytes;
        }
        if self.directory.exists() {
            // Those that builds left when they were killed go with it.
            drop(self.work()?);
        }
        Ok(total)
    }

    /// Removes those that have not been used for longest until the rest is within the limit. The one that has just been
    /// made stays.
    fn prune(&self, made: &Path) {
        let Ok(entries) = self.entries() else { return };
        let mut total: u64 = entries.iter().map(|entry| entry.bytes).sum();
        for entry in entries.iter().filter(|entry| entry.path != made) {
            if total <= self.limit {
                return;
            }
            if remove(&entry.path).is_ok() {
                total -= entry.bytes;
            }
        }
    }
}

/// Whether a library has its checksum.
fn verified(entry: &Path, kind: Kind) -> io::Result<bool> {
    let known = fs::read_to_string(entry.join(CHECKSUM))?;
    let file = entry.join(kind.file());
    Ok(fs::symlink_metadata(&file)?.is_file() && checksum(&file)? == known)
}

fn checksum(path: &Path) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let (mut file, mut part) = (File::open(path)?, vec![0; 1 << 16]);
    loop {
        match io::Read::read(&mut file, &mut part)? {
            0 => return Ok(hex(hasher)),
            count => hasher.update(&part[..count]),
        }
    }
}

/// Removes an entry: out of sight at once, then from the disk.
fn remove(entry: &Path) -> io::Result<()> {
    let is_directory = fs::symlink_metadata(entry)?.is_dir();
    let gone = entry.with_extension(format!("{}.gone", std::process::id()));
    let removed = match fs::rename(entry, &gone) {
        Ok(()) if is_directory => fs::remove_dir_all(&gone),
        Ok(()) => fs::remove_file(&gone),
        Err(error) => Err(error),
    };
    match removed {
        // Another process has been faster.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

fn look_at(path: PathBuf) -> io::Result<Entry> {
    let used = fs::symlink_metadata(path.join(CHECKSUM))?;
    for kind in Kind::ALL {
        if let Ok(library) = fs::symlink_metadata(path.join(kind.file())) {
            return Ok(Entry { kind, bytes: library.len() + used.len(), used: used.modified()?, path });
        }
    }
    // What is damaged counts too, and goes first.
    Ok(Entry { kind: Kind::Program, bytes: used.len(), used: SystemTime::UNIX_EPOCH, path })
}

/// The key of a library, from everything that it depends on.
pub(crate) fn key<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        // With its length, so that no two lists of parts read the same.
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hex(hasher)
}

fn hex(hasher: Sha256) -> String {
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn is_key(name: &str) -> bool {
    name.len() == 64 && name.chars().all(|c| c.is_ascii_hexdigit())
}

/// A number of bytes, possibly with a unit: K, M, G or T, each 1024 of the one before.
pub fn bytes(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: usize =
        digits.parse().map_err(|_| "write a number of bytes, such as 1000000, 512M or 2G".to_string())?;
    let unit: usize = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        "t" | "tb" | "tib" => 1 << 40,
        unit => return Err(format!("`{unit}` is not one of the units K, M, G and T")),
    };
    number.checked_mul(unit).ok_or_else(|| "this is more than any machine has".to_string())
}

#[cfg(test)]
mod tests;
