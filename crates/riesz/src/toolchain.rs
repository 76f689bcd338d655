//! The means to make machine code: in memory, or by a compiler with its settings and threads that share the work of loops.

use crate::{BuildObserver, Compiler, Pool, Problem, Settings};
use std::sync::Arc;

/// A compiler or assembler that makes machine code, with its settings and threads.
///
/// ```
/// use riesz::{Options, Toolchain};
///
/// // Where there is no compiler, the interpreter runs the program.
/// let options = Options { native: Toolchain::find(1).ok(), ..Options::default() };
/// # let _ = options;
/// ```
#[derive(Clone)]
pub struct Toolchain {
    pub(crate) maker: Maker,
    /// How a compiler compiles.
    pub settings: Settings,
    /// The threads that share the work of loops, if there are more than one.
    pub(crate) pool: Option<Arc<Pool>>,
    pub(crate) when: Trigger,
}

/// When machine code is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trigger {
    /// Before anything runs.
    First,
    /// For an expression that the interpreter has not finished after [`PATIENCE`] steps; and before anything runs for a
    /// function that is compiled to be called.
    Long,
}

/// How many calls and iterations the interpreter takes before machine code is made, if the choice is left to us. They take
/// about as long as the code of a small program takes to make. The count does not depend on the clock, so that the same
/// program is always run by the same means and prints the same digits.
pub const PATIENCE: u64 = 30_000;

/// The maker of machine code.
#[derive(Clone)]
pub(crate) enum Maker {
    /// The compiler, or why there is none.
    Compiler(Result<Compiler, Problem>),
    /// This library, in memory.
    #[cfg(feature = "instant")]
    Instant,
}

impl Toolchain {
    /// The compiler of the machine, and the number of threads for the loops of a call. Results do not depend on how many there
    /// are. An error says why there is no compiler.
    pub fn find(threads: usize) -> Result<Toolchain, Problem> {
        let found = Toolchain::find_or_tell(threads);
        match found.maker {
            Maker::Compiler(Err(problem)) => Err(problem),
            _ => Ok(found),
        }
    }

    /// The same, but the missing compiler is reported only when native code is first needed: then the
    /// interpreter runs it.
    pub fn find_or_tell(threads: usize) -> Toolchain {
        let pool = (threads > 1).then(|| Arc::new(Pool::new(threads)));
        Toolchain { pool, ..Toolchain::of(Maker::Compiler(Compiler::find())) }
    }

    /// Machine code in memory: in milliseconds, without a compiler. None where the library is built without the feature
    /// `instant`.
    ///
    /// ```
    /// use riesz::{Options, Program, Toolchain};
    ///
    /// # fn main() -> Result<(), riesz::Error> {
    /// let program = Program::new("f.rz", "fun f(x: [n]R): R = sum(exp(y) | y in x)")?;
    /// let options = Options { native: Toolchain::instant(), ..Options::default() };
    /// let gradient = program.function("f")?.grad().compile(&options)?;
    /// let mut found = [0.0; 2];
    /// gradient.call(&[(&[0.0, 1.0]).into()], &mut [(&mut found).into()])?;
    /// assert_eq!(found[0], 1.0);
    /// assert!((found[1] - std::f64::consts::E).abs() < 1e-15);
    /// # Ok(())
    /// # }
    /// ```
    pub fn instant() -> Option<Toolchain> {
        #[cfg(feature = "instant")]
        return Some(Toolchain::of(Maker::Instant));
        #[cfg(not(feature = "instant"))]
        None
    }

    /// The default: the interpreter for short work, and machine code in memory for longer work. `None`, which is the
    /// interpreter, if the library is built without the feature `instant`.
    pub fn automatic() -> Option<Toolchain> {
        Some(Toolchain { when: Trigger::Long, ..Toolchain::instant()? })
    }

    /// The same, before anything runs.
    pub(crate) fn at_once(self) -> Toolchain {
        Toolchain { when: Trigger::First, ..self }
    }

    fn of(maker: Maker) -> Toolchain {
        Toolchain { maker, settings: Settings::default(), pool: None, when: Trigger::First }
    }

    /// Whether the interpreter begins.
    pub(crate) fn waits(&self) -> bool {
        self.when == Trigger::Long
    }

    /// The name of what runs the code that it makes: `instant` or `native`.
    pub fn name(&self) -> &'static str {
        match self.maker {
            Maker::Compiler(_) => "native",
            #[cfg(feature = "instant")]
            Maker::Instant => "instant",
        }
    }

    /// The name of its code in messages.
    pub(crate) fn makes(&self) -> &'static str {
        match self.maker {
            Maker::Compiler(_) => "native code",
            #[cfg(feature = "instant")]
            Maker::Instant => "machine code in memory",
        }
    }

    /// The same with another compiler.
    pub fn with_compiler(self, compiler: Compiler) -> Toolchain {
        Toolchain { maker: Maker::Compiler(Ok(compiler)), ..self }
    }

    /// The same, telling how long the compiler takes.
    pub fn watched_by(self, watch: BuildObserver) -> Toolchain {
        match self.maker {
            Maker::Compiler(Ok(compiler)) => {
                Toolchain { maker: Maker::Compiler(Ok(compiler.watched_by(watch))), ..self }
            }
            _ => self,
        }
    }

    /// The same with a cache of its own for programs, in which nothing is built: for clocks.
    pub fn afresh(&self) -> Result<Toolchain, Problem> {
        match &self.maker {
            Maker::Compiler(Ok(compiler)) => Ok(self.clone().with_compiler(compiler.afresh()?)),
            Maker::Compiler(Err(problem)) => Err(problem.clone()),
            #[cfg(feature = "instant")]
            Maker::Instant => Ok(self.clone()),
        }
    }
}

impl std::fmt::Debug for Toolchain {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let threads = self.pool.as_ref().map_or(1, |pool| pool.crew().threads());
        let mut shown = f.debug_struct("Toolchain");
        match &self.maker {
            Maker::Compiler(compiler) => {
                let version = compiler.as_ref().map(|compiler| compiler.version().lines().next().unwrap_or_default());
                shown.field("compiler", &version).field("threads", &threads).finish()
            }
            #[cfg(feature = "instant")]
            Maker::Instant => shown.field("instant", &true).field("when", &self.when).finish(),
        }
    }
}
