//! `riesz doctor`: the installed compiler, the backend in use, and the reason.

use super::Status;
use super::cache::CacheContents;
use crate::arguments::Doctor;
use crate::output::{bytes, print_line};
use riesz::{Cache, Compiler, PATIENCE, Problem, Toolchain};
use serde_json::json;

/// Says what there is. That something is missing is an answer, and no failure.
pub fn run(arguments: Doctor) -> Status {
    let compiler = Compiler::installed();
    let cache = Cache::of_environment().and_then(|cache| Ok((CacheContents::by(&cache)?, cache)));
    let cause = compiler.as_ref().err().or(cache.as_ref().err());
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get());
    if arguments.json {
        let problem = |problem: &Problem| json!({"problem": problem.message, "cure": problem.cure});
        let compiler = match &compiler {
            Ok((path, version)) => json!({"path": path.display().to_string(), "version": first_line(version)}),
            Err(found) => problem(found),
        };
        let cache = match &cache {
            Ok((held, cache)) => json!({
                "directory": cache.directory().display().to_string(),
                "bytes": held.total,
                "limit": cache.limit(),
            }),
            Err(found) => problem(found),
        };
        let found = json!({
            "riesz": env!("CARGO_PKG_VERSION"),
            "compiler": compiler,
            "processor": riesz::processor(),
            "threads": threads,
            "cache": cache,
            "default": "auto",
            "native": cause.is_none(),
        });
        print_line(&found.to_string());
        return Status::Success;
    }
    let told = |problem: &Problem| match &problem.cure {
        Some(cure) => format!("{}\n           {cure}", problem.message),
        None => problem.message.clone(),
    };
    let compiler = match &compiler {
        Ok((path, version)) => format!("{}\n           {}", first_line(version), path.display()),
        Err(problem) => told(problem),
    };
    let kept = match &cache {
        Ok((held, cache)) => {
            format!(
                "{}\n           {} of at most {}",
                cache.directory().display(),
                bytes(held.total),
                bytes(cache.limit())
            )
        }
        Err(problem) => told(problem),
    };
    let begins = match Toolchain::automatic() {
        Some(_) => format!("the interpreter for up to {PATIENCE} steps, then machine code in memory"),
        None => "the interpreter, since this program was built without machine code in memory".to_string(),
    };
    let fastest = match cause {
        None => "`--backend native` runs fastest, and takes seconds to compile",
        Some(_) => "`--backend native` does not work here: see above for the missing parts",
    };
    let backend = format!("{begins}\n           {fastest}");
    print_line(&format!("riesz      {}", env!("CARGO_PKG_VERSION")));
    print_line(&format!("compiler   {compiler}"));
    print_line(&format!("processor  {}, {threads} threads", riesz::processor()));
    print_line(&format!("cache      {kept}"));
    print_line(&format!("backend    {backend}"));
    Status::Success
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
