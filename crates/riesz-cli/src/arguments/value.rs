//! The values of options: bindings, sizes, representations, bytes, seconds.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use riesz::via::{REPRESENTATIONS, Representation};
use riesz::{Algebra, Limits};

/// `NAME=VALUE`
pub(super) fn binding(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if riesz::is_name(name.trim()) => Ok((name.trim().to_string(), value.to_string())),
        Some((name, _)) => Err(format!("`{name}` is not a name")),
        None => Err("write NAME=VALUE or NAME=@FILE".to_string()),
    }
}

/// `NAME=N`
pub(super) fn size(text: &str) -> Result<(String, i64), String> {
    let (name, value) = binding(text).map_err(|_| "write NAME=N".to_string())?;
    match value.trim().parse() {
        Ok(value) if value >= 0 => Ok((name, value)),
        _ => Err(format!("`{value}` is not a size")),
    }
}

/// The name of a representation.
pub(super) fn via() -> impl TypedValueParser<Value = &'static Representation> {
    let names = REPRESENTATIONS.iter().map(|representation| representation.name);
    PossibleValuesParser::new(names)
        .try_map(|name| Representation::find(&name).ok_or("there is no such representation"))
}

/// The name of an algebra.
pub(super) fn algebra() -> impl TypedValueParser<Value = Algebra> {
    PossibleValuesParser::new(Algebra::ALL.map(|(name, _)| name)).try_map(|name| {
        let found = Algebra::ALL.iter().find(|(other, _)| *other == name);
        found.map(|(_, algebra)| *algebra).ok_or("there is no such algebra")
    })
}

pub(super) fn default_memory() -> &'static str {
    static TEXT: std::sync::LazyLock<String> =
        std::sync::LazyLock::new(|| format!("{}G", Limits::default().memory >> 30));
    &TEXT
}

/// A name and the sizes it is to stand for: `n=10..1e5`.
pub(super) fn growth(text: &str) -> Result<(String, u32, u32), String> {
    let (name, sizes) = text.split_once('=').ok_or("write NAME=FROM..TO, such as n=10..1e5")?;
    if !riesz::is_name(name) {
        return Err(format!("`{name}` is not a name"));
    }
    let (from, to) = sizes.split_once("..").ok_or("write FROM..TO, such as 10..1e5")?;
    let size = |text: &str| match text.parse::<f64>() {
        Ok(size) if (1.0..=1e9).contains(&size) && size.fract() == 0.0 => Ok(size as u32),
        _ => Err(format!("`{text}` is not a size: write a whole number from 1 to 1e9")),
    };
    let (from, to) = (size(from)?, size(to)?);
    match from <= to {
        true => Ok((name.to_string(), from, to)),
        false => Err(format!("{from} is more than {to}: write the smaller size first")),
    }
}

/// A positive number of seconds.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds.is_finite() => Ok(seconds),
        _ => Err("write a positive number of seconds".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_memory_is_what_the_help_says() {
        assert_eq!(riesz::cache::bytes(default_memory()), Ok(Limits::default().memory));
    }

    #[test]
    fn sizes_grow_from_one_to_another() {
        assert_eq!(growth("n=10..1e5"), Ok(("n".into(), 10, 100_000)));
        assert_eq!(growth("n=3..3"), Ok(("n".into(), 3, 3)));
        for wrong in ["n", "n=5", "n=5..", "n=0..5", "n=5..2", "n=1..1e10", "n=1.5..2", "1=1..2", "=1..2", "n=nan..2"] {
            assert!(growth(wrong).is_err(), "{wrong}");
        }
    }
}
