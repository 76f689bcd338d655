//! Expressions as text: `x y + 1`, with parentheses where they are needed.

use alloc::vec::Vec;
use core::fmt::{self, Debug, Display, Formatter};

use super::{Expr, Signature, Term};

/// As [`Display`], with the variables as they print for debugging. Long expressions end in `…`.
impl<V: Debug, F: Signature> Debug for Expr<V, F> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        print(self, f, &|v, f| Debug::fmt(v, f))
    }
}

/// Long expressions end in `…`: shared parts are written out wherever they occur, and there may be many.
impl<V: Display, F: Signature> Display for Expr<V, F> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        print(self, f, &|v, f| Display::fmt(v, f))
    }
}

/// How many nodes are printed.
const MOST: usize = 1000;

/// How tightly the operation around an expression binds.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Around {
    Nothing,
    Sum,
    Product,
}

enum Task<'a, V, F: Signature> {
    Visit(&'a Expr<V, F>, Around),
    Text(&'static str),
    Bound(&'a V),
}

fn print<V, F: Signature>(
    expression: &Expr<V, F>,
    f: &mut Formatter<'_>,
    variable: &dyn Fn(&V, &mut Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    let mut tasks = Vec::from([Task::Visit(expression, Around::Nothing)]);
    let mut printed = 0;
    while let Some(task) = tasks.pop() {
        let (e, around) = match task {
            Task::Visit(e, around) => (e, around),
            Task::Text(text) => {
                f.write_str(text)?;
                continue;
            }
            Task::Bound(v) => {
                variable(v, f)?;
                continue;
            }
        };
        printed += 1;
        if printed > MOST {
            return f.write_str("…");
        }
        match e.term() {
            Term::Zero => f.write_str("0")?,
            Term::One => f.write_str("1")?,
            Term::Variable(v) => variable(v, f)?,
            Term::Sum(a, b) => tasks.extend(parenthesised(
                around > Around::Sum,
                [visit(a, Around::Sum), Task::Text(" + "), visit(b, Around::Sum)].into(),
            )),
            Term::Product(a, b) => tasks.extend(parenthesised(
                around > Around::Product,
                [visit(a, Around::Product), Task::Text(" "), visit(b, Around::Product)].into(),
            )),
            Term::Unary(function, a) => {
                write!(f, "{function:?}")?;
                tasks.extend(parenthesised(true, [visit(a, Around::Nothing)].into()));
            }
            Term::Binary(function, a, b) => {
                write!(f, "{function:?}")?;
                tasks.extend(parenthesised(
                    true,
                    [visit(a, Around::Nothing), Task::Text(", "), visit(b, Around::Nothing)].into(),
                ));
            }
            Term::Let(v, a, b) => tasks.extend(parenthesised(
                around > Around::Nothing,
                [
                    Task::Text("let "),
                    Task::Bound(v),
                    Task::Text(" = "),
                    visit(a, Around::Nothing),
                    Task::Text(" in "),
                    visit(b, Around::Nothing),
                ]
                .into(),
            )),
        }
    }
    Ok(())
}

fn visit<V, F: Signature>(e: &Expr<V, F>, around: Around) -> Task<'_, V, F> {
    Task::Visit(e, around)
}

/// The parts in the order in which a stack gives them back, in parentheses where asked for.
fn parenthesised<V, F: Signature>(asked: bool, mut parts: Vec<Task<'_, V, F>>) -> impl Iterator<Item = Task<'_, V, F>> {
    if asked {
        parts.insert(0, Task::Text("("));
        parts.push(Task::Text(")"));
    }
    parts.into_iter().rev()
}
