//! An entry of the cache is the library that was built, or nothing: damage, other users, and links.

use super::*;

/// A cache in a new directory, which goes with it.
struct Scene {
    root: PathBuf,
    cache: Cache,
}

impl Scene {
    fn new(name: &str) -> Scene {
        let root = fs::canonicalize(std::env::temp_dir()).unwrap().join(format!("riesz-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir(&root).unwrap();
        #[cfg(unix)]
        fs::set_permissions(&root, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
        Scene { cache: Cache::at(&root.join("cache")), root }
    }

    /// Keeps bytes under the key of a name.
    fn keep(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let work = self.cache.work().unwrap();
        let built = work.path().join("built");
        fs::write(&built, bytes).unwrap();
        self.cache.keep(&key([name]), Kind::Program, &built, &work).unwrap()
    }

    fn find(&self, name: &str) -> Result<Option<PathBuf>, Problem> {
        self.cache.find(&key([name]), Kind::Program)
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

#[test]
fn what_is_kept_is_found_and_is_the_users_alone() {
    let scene = Scene::new("kept");
    assert_eq!(scene.find("a"), Ok(None));
    let library = scene.keep("a", b"library");
    assert_eq!(scene.find("a"), Ok(Some(library.clone())));
    assert_eq!(scene.find("b"), Ok(None));
    assert_eq!(fs::read(library).unwrap(), b"library");
    #[cfg(unix)]
    for directory in [&scene.root.join("cache"), scene.cache.directory()] {
        use std::os::unix::fs::MetadataExt;
        assert_eq!(fs::metadata(directory).unwrap().mode() & 0o7777, 0o700, "{}", directory.display());
    }
    // Two processes that build the same at the same time agree on one.
    scene.keep("a", b"library");
    assert_eq!(scene.cache.entries().unwrap().len(), 1);
    assert!(scene.cache.clear().unwrap() > 7);
    assert_eq!(scene.find("a"), Ok(None));
}

#[test]
fn what_is_damaged_is_not_found_and_can_be_kept_again() {
    let scene = Scene::new("damaged");
    type Damage = fn(&Path);
    let damages: [(&str, Damage); 7] = [
        ("truncated", |library| fs::File::options().write(true).open(library).unwrap().set_len(3).unwrap()),
        ("emptied", |library| fs::write(library, b"").unwrap()),
        ("flipped", |library| fs::write(library, b"librbry").unwrap()),
        ("longer", |library| fs::write(library, b"library\0").unwrap()),
        ("removed", |library| fs::remove_file(library).unwrap()),
        ("no checksum", |library| fs::remove_file(library.with_file_name(CHECKSUM)).unwrap()),
        ("another checksum", |library| fs::write(library.with_file_name(CHECKSUM), b"0").unwrap()),
    ];
    for (name, damage) in damages {
        let library = scene.keep("a", b"library");
        damage(&library);
        assert_eq!(scene.find("a"), Ok(None), "{name}");
        assert_eq!(scene.find("a"), Ok(None), "{name}");
        assert_eq!(scene.keep("a", b"library"), library);
        assert_eq!(scene.find("a"), Ok(Some(library)), "{name}");
    }
}

#[test]
#[cfg(unix)]
fn a_library_that_is_a_link_is_not_found() {
    let scene = Scene::new("link");
    let library = scene.keep("a", b"library");
    let elsewhere = scene.root.join("elsewhere");
    fs::rename(&library, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &library).unwrap();
    assert_eq!(scene.find("a"), Ok(None));
    assert_eq!(fs::read(elsewhere).unwrap(), b"library");
}

#[test]
#[cfg(unix)]
fn a_directory_that_others_can_write_to_is_refused() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let scene = Scene::new("others");
    scene.keep("a", b"library");
    let above = scene.root.join("cache");
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let refused = |what: &str, cause: &str| {
        let problem = scene.find("a").expect_err(what);
        assert!(problem.message.contains(cause) && problem.cure.is_some(), "{what}: {problem}");
        assert!(problem.message.contains(above.to_str().unwrap()), "{what}: {problem}");
        assert!(scene.cache.work().is_err(), "{what}");
    };
    for directory in [&above, scene.cache.directory()] {
        for (bits, cause) in [(0o777, "mode 777"), (0o770, "mode 770"), (0o702, "mode 702"), (0o1777, "mode 1777")] {
            mode(directory, bits);
            refused(&format!("{} {bits:o}", directory.display()), cause);
            mode(directory, 0o700);
            assert!(scene.find("a").unwrap().is_some());
        }
        // Those that others can only read are made private.
        mode(directory, 0o755);
        assert!(scene.find("a").unwrap().is_some());
        assert_eq!(fs::metadata(directory).unwrap().permissions().mode() & 0o777, 0o700);
    }
    // Everybody could rename the cache away and put another in its place.
    mode(&scene.root, 0o777);
    let problem = scene.find("a").unwrap_err();
    assert!(problem.message.contains("can be written to by everybody"), "{problem}");
    mode(&scene.root, 0o1777);
    assert!(scene.find("a").unwrap().is_some());
    mode(&scene.root, 0o700);
    for directory in [scene.cache.directory(), &above] {
        let away = scene.root.join("away");
        fs::rename(directory, &away).unwrap();
        symlink(&away, directory).unwrap();
        refused("a link", "it is a symbolic link");
        fs::remove_file(directory).unwrap();
        fs::write(directory, b"").unwrap();
        refused("a file", "");
        fs::remove_file(directory).unwrap();
        fs::rename(&away, directory).unwrap();
    }
    assert!(scene.find("a").unwrap().is_some());
}

#[test]
#[cfg(unix)]
fn a_directory_of_somebody_else_is_refused() {
    let scene = Scene::new("stranger");
    scene.keep("a", b"library");
    if let Err(error) = std::os::unix::fs::chown(scene.cache.directory(), Some(12345), None) {
        println!("skipped: only root can give a directory to another user: {error}");
        return;
    }
    let problem = scene.find("a").unwrap_err();
    assert!(problem.message.contains("belongs to user 12345, not to you"), "{problem}");
    std::os::unix::fs::chown(scene.cache.directory(), Some(0), None).unwrap();
    std::os::unix::fs::chown(&scene.root, Some(12345), None).unwrap();
    let problem = scene.find("a").unwrap_err();
    assert!(problem.message.contains("belongs to user 12345"), "{problem}");
}

#[test]
fn those_that_were_used_last_stay() {
    let mut scene = Scene::new("prune");
    scene.cache = scene.cache.clone().with_limit(1000);
    let long_ago = |name: &str, seconds: u64| {
        let file = scene.cache.directory().join(key([name])).join(CHECKSUM);
        let file = File::options().append(true).open(file).unwrap();
        file.set_modified(SystemTime::now() - std::time::Duration::from_secs(seconds)).unwrap();
    };
    for (name, seconds) in [("a", 300), ("b", 200), ("c", 100)] {
        scene.keep(name, &[7; 200]);
        long_ago(name, seconds);
    }
    // Using it makes `a` the youngest.
    assert!(scene.find("a").unwrap().is_some());
    scene.keep("d", &[7; 200]);
    let kept = ["a", "b", "c", "d"].map(|name| scene.find(name).unwrap().is_some());
    assert_eq!(kept, [true, false, true, true]);
    // What is larger than all that may be kept is there for the one who has just built it.
    scene.keep("e", &[7; 5000]);
    let kept = ["a", "b", "c", "d", "e"].map(|name| scene.find(name).unwrap().is_some());
    assert_eq!(kept, [false, false, false, false, true]);
}

#[test]
fn keys_depend_on_every_part() {
    assert_eq!(key(["a", "b"]), key(["a", "b"]));
    let keys = [vec!["a", "b"], vec!["ab", ""], vec!["", "ab"], vec!["ab"], vec!["b", "a"], vec![]].map(key);
    for (at, one) in keys.iter().enumerate() {
        assert!(is_key(one) && !keys[..at].contains(one));
    }
}

#[test]
fn bytes_have_units() {
    assert_eq!(bytes("1000"), Ok(1000));
    assert_eq!(bytes("512M"), Ok(512 << 20));
    assert_eq!(bytes("2GiB"), Ok(2 << 30));
    assert!(bytes("G").is_err() && bytes("1x").is_err() && bytes("99999999999T").is_err() && bytes("-1").is_err());
}
