//! The source of the runtime, which is compiled on the machine on which generated code runs.

/// The source of the runtime, file by file.
pub(crate) const RUNTIME: &[(&str, &str)] = &[
    ("tile.rs", include_str!("../../riesz-runtime/src/tile.rs")),
    ("memory.rs", include_str!("../../riesz-runtime/src/memory.rs")),
    ("arithmetic.rs", include_str!("../../riesz-runtime/src/arithmetic.rs")),
    ("integer.rs", include_str!("../../riesz-runtime/src/integer.rs")),
    ("gather.rs", include_str!("../../riesz-runtime/src/gather.rs")),
    ("lanes.rs", include_str!("../../riesz-runtime/src/lanes.rs")),
    ("power.rs", include_str!("../../riesz-runtime/src/power.rs")),
    ("elementary.rs", include_str!("../../riesz-runtime/src/elementary.rs")),
    ("angle.rs", include_str!("../../riesz-runtime/src/angle.rs")),
    ("single/mod.rs", include_str!("../../riesz-runtime/src/single/mod.rs")),
    ("single/math.rs", include_str!("../../riesz-runtime/src/single/math.rs")),
    ("single/matrix.rs", include_str!("../../riesz-runtime/src/single/matrix.rs")),
    ("math.rs", include_str!("../../riesz-runtime/src/math.rs")),
    ("boundary.rs", include_str!("../../riesz-runtime/src/boundary.rs")),
    ("lib.rs", include_str!("../../riesz-runtime/src/lib.rs")),
    ("buffer.rs", include_str!("../../riesz-runtime/src/buffer.rs")),
    ("chunk.rs", include_str!("../../riesz-runtime/src/chunk.rs")),
    ("crew.rs", include_str!("../../riesz-runtime/src/crew.rs")),
    ("context.rs", include_str!("../../riesz-runtime/src/context.rs")),
    ("gamma.rs", include_str!("../../riesz-runtime/src/gamma.rs")),
    ("special.rs", include_str!("../../riesz-runtime/src/special.rs")),
    ("cholesky.rs", include_str!("../../riesz-runtime/src/cholesky.rs")),
    ("factor.rs", include_str!("../../riesz-runtime/src/factor.rs")),
    ("triangular.rs", include_str!("../../riesz-runtime/src/triangular.rs")),
    ("turn.rs", include_str!("../../riesz-runtime/src/turn.rs")),
    ("matrix.rs", include_str!("../../riesz-runtime/src/matrix.rs")),
    ("number.rs", include_str!("../../riesz-runtime/src/number.rs")),
    ("product.rs", include_str!("../../riesz-runtime/src/product.rs")),
    ("circle.rs", include_str!("../../riesz-runtime/src/circle.rs")),
    ("cofactor.rs", include_str!("../../riesz-runtime/src/cofactor.rs")),
    ("recycle.rs", include_str!("../../riesz-runtime/src/recycle.rs")),
    ("rows.rs", include_str!("../../riesz-runtime/src/rows.rs")),
    ("strip.rs", include_str!("../../riesz-runtime/src/strip.rs")),
];

#[cfg(test)]
mod tests {
    use super::RUNTIME;
    use std::path::Path;

    #[test]
    fn every_file_of_the_runtime_is_there() {
        fn walk(folder: &Path, root: &Path, found: &mut Vec<String>) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => walk(&path, root, found),
                    false => found.push(path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/")),
                }
            }
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../riesz-runtime/src");
        let (mut found, mut known) = (Vec::new(), Vec::new());
        walk(&root, &root, &mut found);
        known.extend(RUNTIME.iter().map(|(name, _)| name.to_string()));
        found.sort();
        known.sort();
        assert_eq!(known, found);
    }
}
