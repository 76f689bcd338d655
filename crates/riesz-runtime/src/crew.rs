//! Threads that wait for work.
//!
//! A [`Pool`] owns threads; a [`Crew`] is the interface of a pool for generated code: a function and its argument. The
//! threads belong to the host, so that code can be unloaded while they wait.

use std::ffi::c_void;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Who shares the chunks of a loop: pointers, as the two sides may have been compiled apart.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Crew {
    run: Option<Run>,
    pool: *const c_void,
    threads: i64,
}

/// Runs a task for each number below a count, and is back when all are done.
type Run = unsafe extern "C" fn(pool: *const c_void, task: Task, data: *const c_void, count: i64, stack: usize);

/// One number of a task, on a thread whose stack may grow to an address.
type Task = unsafe extern "C" fn(data: *const c_void, number: i64, stack: usize);

impl Crew {
    /// Only the caller works.
    pub const NONE: Crew = Crew { run: None, pool: std::ptr::null(), threads: 1 };

    /// How many threads there are, the caller's among them.
    pub fn threads(&self) -> i64 {
        self.threads
    }

    /// Calls a function for each number below a count, begun in this order; back when all calls are.
    pub(crate) fn run<F: Fn(i64, usize) + Sync>(&self, count: i64, stack: usize, task: &F) {
        unsafe extern "C" fn call<F: Fn(i64, usize)>(data: *const c_void, number: i64, stack: usize) {
            // The data is the function that was passed with this one, which outlives the run.
            unsafe { (*data.cast::<F>())(number, stack) }
        }
        match self.run {
            // The pool outlives the crew that speaks of it; `F` can be called from any thread.
            Some(run) => unsafe { run(self.pool, call::<F>, (&raw const *task).cast(), count, stack) },
            None => (0..count).for_each(|number| task(number, stack)),
        }
    }
}

/// Threads that wait for work, until they are dropped.
#[derive(Debug)]
pub struct Pool {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
}

/// How large the stack of a thread is, and how much of it is left for what is called at its end.
const STACK: usize = 64 << 20;
const SPARE: usize = 256 << 10;

/// How long a thread looks out before it sleeps: about as long as it takes to be woken.
const PATIENCE: Duration = Duration::from_micros(50);

#[derive(Debug)]
struct Shared {
    board: Mutex<Board>,
    /// There is work, or none will come.
    news: Condvar,
    /// A worker has left.
    left: Condvar,
    /// The next number to begin.
    next: AtomicI64,
    /// Held by whom the threads work for.
    taken: Mutex<()>,
    /// The numbers that waiting threads read: the number of jobs so far, and the number of workers at one.
    jobs: AtomicU64,
    working: AtomicUsize,
}

#[derive(Debug, Default)]
struct Board {
    job: Option<Job>,
    /// How many jobs there have been.
    jobs: u64,
    /// How many workers are at the job.
    working: usize,
    closed: bool,
}

#[derive(Clone, Copy, Debug)]
struct Job {
    task: Task,
    data: *const c_void,
    count: i64,
}

// What a job points to can be used from any thread: `Crew::run` asks it of its function.
unsafe impl Send for Job {}

impl Pool {
    /// A pool with a number of threads, including the caller's; fewer if the system gives no more.
    pub fn new(threads: usize) -> Pool {
        let shared = Arc::new(Shared {
            board: Mutex::new(Board::default()),
            news: Condvar::new(),
            left: Condvar::new(),
            next: AtomicI64::new(0),
            taken: Mutex::new(()),
            jobs: AtomicU64::new(0),
            working: AtomicUsize::new(0),
        });
        let worker = |_| {
            let shared = shared.clone();
            std::thread::Builder::new().stack_size(STACK).spawn(move || shared.work()).ok()
        };
        let workers = (1..threads).map_while(worker).collect();
        Pool { shared, workers }
    }

    /// The threads, for code that runs while the pool is borrowed.
    pub fn crew(&self) -> Crew {
        Crew { run: Some(run), pool: (&raw const *self.shared).cast(), threads: self.workers.len() as i64 + 1 }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.board().closed = true;
        self.shared.news.notify_all();
        for worker in self.workers.drain(..) {
            // A worker that has panicked has told so.
            let _ = worker.join();
        }
    }
}

unsafe extern "C" fn run(pool: *const c_void, task: Task, data: *const c_void, count: i64, stack: usize) {
    // It was made from a pool, by `Pool::crew`.
    let shared = unsafe { &*pool.cast::<Shared>() };
    let job = Job { task, data, count };
    match shared.taken.try_lock() {
        Ok(_taken) => shared.share(job, stack),
        // The threads work for another call.
        Err(_) => (0..count).for_each(|number| unsafe { task(data, number, stack) }),
    }
}

impl Shared {
    fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Does a job together with the workers that have time.
    fn share(&self, job: Job, stack: usize) {
        self.next.store(0, Ordering::Relaxed);
        let mut board = self.board();
        board.job = Some(job);
        board.jobs += 1;
        self.jobs.store(board.jobs, Ordering::Relaxed);
        drop(board);
        self.news.notify_all();
        self.help(job, stack);
        // No further thread enters; wait for those that did.
        let mut board = self.board();
        board.job = None;
        if board.working > 0 {
            drop(board);
            look_out(|| self.working.load(Ordering::Relaxed) == 0);
            board = self.board();
        }
        while board.working > 0 {
            board = self.left.wait(board).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
    }

    /// Takes numbers until there are none left.
    fn help(&self, job: Job, stack: usize) {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= job.count {
                return;
            }
            // The data is there until `share` returns, and it waits for all who have taken the job.
            unsafe { (job.task)(job.data, number, stack) };
        }
    }

    /// The loop that a worker runs until it ends.
    fn work(&self) {
        let here = 0u8;
        let stack = (&raw const here).addr().saturating_sub(STACK - SPARE);
        let mut seen = 0;
        let mut board = self.board();
        while !board.closed {
            match board.job {
                Some(job) if board.jobs > seen => {
                    seen = board.jobs;
                    board.working += 1;
                    self.working.store(board.working, Ordering::Relaxed);
                    drop(board);
                    self.help(job, stack);
                    board = self.board();
                    board.working -= 1;
                    self.working.store(board.working, Ordering::Relaxed);
                    self.left.notify_all();
                    drop(board);
                    look_out(|| self.jobs.load(Ordering::Relaxed) > seen);
                    board = self.board();
                }
                _ => board = self.news.wait(board).unwrap_or_else(|poisoned| poisoned.into_inner()),
            }
        }
    }
}

/// Waits for a while for something to happen. What has happened is read from the board.
fn look_out(has_happened: impl Fn() -> bool) {
    let begin = Instant::now();
    while !has_happened() && begin.elapsed() < PATIENCE {
        (0..32).for_each(|_| std::hint::spin_loop());
    }
}
