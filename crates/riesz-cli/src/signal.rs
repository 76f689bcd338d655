//! Signals with which the system would end the command without a message.

/// Lets a write of more than `ulimit -f` allows fail with an error, as on a full disk. The compiler of native code
/// inherits this.
#[cfg(unix)]
#[allow(unsafe_code)]
pub fn ignore_file_size_limit() {
    // SAFETY: no handler is installed, so that nothing runs when the signal arrives.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Other systems have no such signal.
#[cfg(not(unix))]
pub fn ignore_file_size_limit() {}
