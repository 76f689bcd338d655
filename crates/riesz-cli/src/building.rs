//! Builds of native code from the user's view: progress on a terminal, and Ctrl-C.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use riesz::{Building, Watch};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::Duration;

/// How long to wait before showing progress.
const PATIENCE: Duration = Duration::from_secs(2);
/// The exit status of a process that Ctrl-C ends.
const ENDED_BY_INTERRUPT: i32 = 130;

/// What shows the progress of builds. From now on Ctrl-C ends those that are under way with the program, and nothing of
/// them is left behind.
pub fn watch() -> Watch {
    static PREPARED: Once = Once::new();
    PREPARED.call_once(|| {
        // Where there is no handler, the system ends the program, and the next build removes what is left.
        let _ = ctrlc::set_handler(|| {
            riesz::abandon_builds();
            std::process::exit(ENDED_BY_INTERRUPT);
        });
    });
    let shown: Mutex<Option<ProgressBar>> = Mutex::new(None);
    Arc::new(move |building| {
        let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
        match building {
            Building::For(time) if time >= PATIENCE => {
                let bar = shown.get_or_insert_with(bar);
                bar.set_message(format!("compiling native code: {} s, Ctrl-C stops it", time.as_secs()));
                bar.tick();
            }
            Building::For(_) => {}
            Building::Done => {
                if let Some(bar) = shown.take() {
                    bar.finish_and_clear();
                }
            }
        }
    })
}

/// Indicatif draws nothing where the standard error is no terminal.
fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
        bar.set_style(style);
    }
    bar
}
