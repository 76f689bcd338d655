//! The source of the runtime, which is compiled on the machine on which generated code runs.

pub(crate) use riesz_runtime::source::SOURCE as RUNTIME;

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
