//! Builds of native code from the user's view: progress on a terminal, and Ctrl-C.

use crate::progress::Line;
use riesz::{BuildObserver, Building};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::Duration;

/// How long to wait before showing progress.
const PATIENCE: Duration = Duration::from_secs(2);
/// The exit status of a process that Ctrl-C ends.
const ENDED_BY_INTERRUPT: i32 = 130;

/// The observer that shows the progress of builds. From now on Ctrl-C ends running builds together with the program,
/// and leaves none of their files behind.
pub fn watch() -> BuildObserver {
    static PREPARED: Once = Once::new();
    PREPARED.call_once(|| {
        // Where there is no handler, the system ends the program, and the next build removes what is left.
        let _ = ctrlc::set_handler(|| {
            riesz::abandon_builds();
            std::process::exit(ENDED_BY_INTERRUPT);
        });
    });
    let line = Mutex::new(Line::default());
    Arc::new(move |building| {
        let mut line = line.lock().unwrap_or_else(PoisonError::into_inner);
        match building {
            Building::For(time) if time >= PATIENCE => {
                line.show(&format!("compiling native code: {} s, Ctrl-C stops it", time.as_secs()));
            }
            Building::For(_) => {}
            Building::Done => line.clear(),
        }
    })
}
