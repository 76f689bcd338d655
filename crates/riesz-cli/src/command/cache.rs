//! `riesz cache`: the place and size of the cached native code.

use super::Status;
use crate::arguments::{Cache as Arguments, CacheAction};
use crate::output::{bytes, print_line};
use crate::report::Report;
use riesz::cache::Kind;
use riesz::{Cache, Problem, Sources};
use serde_json::json;

/// Shows or clears the cache.
pub fn run(arguments: Arguments) -> Status {
    let found = Cache::of_environment().and_then(|cache| match arguments.action {
        CacheAction::Show => show(&cache, arguments.json),
        CacheAction::Clear => clear(&cache, arguments.json),
    });
    match found {
        Ok(text) => {
            print_line(&text);
            Status::Success
        }
        Err(problem) => {
            Report::new(arguments.messages).show(&[problem.diagnostic()], &Sources::default());
            Status::Failure
        }
    }
}

fn show(cache: &Cache, as_json: bool) -> Result<String, Problem> {
    let CacheContents { programs, runtimes, total } = CacheContents::by(cache)?;
    let directory = cache.directory().display();
    Ok(match as_json {
        true => json!({
            "directory": directory.to_string(),
            "programs": programs,
            "runtimes": runtimes,
            "bytes": total,
            "limit": cache.limit(),
        })
        .to_string(),
        false => format!(
            "directory  {directory}\nprograms   {programs}\nruntimes   {runtimes}\nsize       {} of at most {}",
            bytes(total),
            bytes(cache.limit())
        ),
    })
}

fn clear(cache: &Cache, as_json: bool) -> Result<String, Problem> {
    let (removed, directory) = (cache.clear()?, cache.directory().display());
    Ok(match as_json {
        true => json!({"directory": directory.to_string(), "removed": removed}).to_string(),
        false => format!("removed {} from {directory}", bytes(removed)),
    })
}

/// The contents of a cache.
pub struct CacheContents {
    /// How many libraries of generated code.
    pub programs: usize,
    /// How many of what it calls.
    pub runtimes: usize,
    /// How many bytes they have.
    pub total: u64,
}

impl CacheContents {
    /// The current contents of a cache.
    pub fn by(cache: &Cache) -> Result<CacheContents, Problem> {
        let entries = cache.entries()?;
        let programs = entries.iter().filter(|entry| entry.kind == Kind::Program).count();
        let total = entries.iter().map(|entry| entry.bytes).sum();
        Ok(CacheContents { programs, runtimes: entries.len() - programs, total })
    }
}
