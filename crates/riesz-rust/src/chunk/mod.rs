//! A loop with independent iterations, as a function of a range of iterations that threads share.
//!
//! ```text
//! for i < n { ... }   is   fn chunk_turns(context, from, to, what turns use) -> what they add up
//! ```
//!
//! Iterations use numbers and buffers from around the loop. They only read some of the buffers; to others they only
//! write, each iteration at its own positions, and these buffers are shared. Each chunk has its own registers for
//! reductions. All chunks except the first have private copies of buffers that iterations add to, unless no two
//! iterations add to the same element (`disjoint`).
//!
//! - `uses`: the numbers and buffers that a loop uses
//! - `cost`: the cost of its iterations
//! - `disjoint`: whether two iterations can add to the same element

mod cost;
mod disjoint;
mod uses;

use crate::classify::{Lanes, occurrences};
use crate::function::{Writer, tuple};
use riesz_program::program::{Buffer, Combine, For, Kind, Operand, Outcome, Register};
use rustc_hash::{FxHashMap, FxHashSet};
use uses::Uses;

/// What passes between a loop and its turns.
pub(crate) struct Outline {
    numbers: Vec<Register>,
    read: Vec<Buffer>,
    written: Vec<Buffer>,
    /// What each chunk but the first adds to for itself.
    own: Vec<Buffer>,
    /// What turns reduce into.
    pub reduced: Vec<(Register, Combine)>,
    /// How many instructions a turn takes, as an expression.
    work: String,
    together: i64,
}

/// What a chunk gives: its name and its type.
pub(crate) struct Given {
    pub name: String,
    pub ty: String,
    /// Whether it goes to elements that the next chunk adds to.
    pub late: bool,
    /// How many instructions it takes to be made and brought together, as an expression.
    pub apiece: String,
}

/// Below so many instructions no loop is cut, whatever the machine.
const WORTH: f64 = 2e5;

impl Outline {
    /// Looks at a loop whose turns are independent; none where they cannot be, or need not be, a function of their own.
    /// `near` are buffers that turns add to in another way. With lanes it is said whether they are taken in strips.
    pub fn of(writer: &Writer, each: &For, lanes: Option<(&Lanes, bool)>, near: &FxHashSet<Buffer>) -> Option<Outline> {
        let together = match lanes {
            Some((_, true)) => 4 * writer.precision.lanes(),
            Some((_, false)) => writer.precision.lanes(),
            None => 1,
        };
        let lanes = lanes.map(|(lanes, _)| lanes);
        if !each.parallel || matches!(each.count, Operand::Int(..8)) {
            return None;
        }
        let uses = Uses::of(writer.program, each);
        let mine = own_registers(writer, each);
        let outside = |buffer: &Buffer| !uses.private.contains(buffer);
        let written: FxHashSet<Buffer> = uses.stored.union(&uses.added).copied().filter(|b| outside(b)).collect();
        let stores_and_adds = uses.added.iter().any(|buffer| outside(buffer) && uses.stored.contains(buffer));
        let reads_what_is_written = uses.read.iter().any(|buffer| written.contains(buffer));
        let adds_no_reals = uses.added.iter().any(|buffer| outside(buffer) && writer.kind_of(*buffer) != Kind::Real);
        let sets = uses.set.iter().any(|register| !mine.contains(register));
        let mut reduced = uses.reduced.clone();
        reduced.retain(|(register, _)| !mine.contains(register));
        let reads_what_is_reduced = reduced.iter().any(|(register, _)| uses.used.contains(register));
        if stores_and_adds
            || reads_what_is_written
            || adds_no_reals
            || sets
            || reads_what_is_reduced
            || uses.swapped.iter().any(outside)
        {
            return None;
        }
        let is_inside = |register: &Register| {
            let mutable = writer.procedure.registers[register.0 as usize].mutable;
            uses.bound.contains(register) || mutable && mine.contains(register)
        };
        let numbers = sorted(uses.used.iter().copied().filter(|register| !is_inside(register)));
        let cost = cost::turn(writer.program, each, lanes);
        if let (Operand::Int(count), Some(cost)) = (each.count, cost.constant())
            && count as f64 * cost < WORTH
            && !writer.fine
        {
            return None;
        }
        let directly = |buffer: &Buffer| match lanes {
            Some(lanes) => uses.adds.iter().any(|element| element.buffer == *buffer && !lanes.is_uniform(element.at)),
            None => true,
        };
        let own = uses.added.iter().copied().filter(|buffer| {
            outside(buffer)
                && !near.contains(buffer)
                && directly(buffer)
                && !disjoint::are(writer.procedure, each, *buffer, &uses)
        });
        reduced.sort_unstable_by_key(|(register, _)| *register);
        reduced.dedup();
        let known = |operand: Operand| match operand {
            Operand::Register(register) => numbers.contains(&register),
            _ => true,
        };
        Some(Outline {
            work: cost.text(&|count| known(count).then(|| writer.operand(count))),
            read: sorted(uses.read.iter().copied().filter(outside)),
            own: sorted(own),
            written: sorted(written.into_iter()),
            reduced,
            numbers,
            together,
        })
    }

    /// The buffers from around the loop.
    pub fn passed(&self) -> impl Iterator<Item = Buffer> {
        self.read.iter().chain(&self.written).copied()
    }

    /// Opens the function of the turns.
    pub fn open(&self, writer: &mut Writer, each: &For, given: &[Given]) {
        writer.line("{".into());
        writer.depth += 1;
        for buffer in &self.read {
            let name = writer.buffer(*buffer).to_string();
            writer.line(format!("let {name} = &{name}[..];"));
        }
        for buffer in &self.written {
            let (name, place) = (writer.buffer(*buffer).to_string(), writer.buffer_mut(*buffer));
            writer.line(format!("let {name} = Shared::of({place});"));
        }
        writer.line("#[inline(never)]".into());
        writer.line("unsafe fn chunk_turns(".into());
        writer.line("    context: &mut Context,".into());
        writer.line("    chunk_from: i64,".into());
        writer.line("    chunk_to: i64,".into());
        for register in &self.numbers {
            let kind = writer.rust(writer.procedure.registers[register.0 as usize].kind);
            writer.line(format!("    {}: {kind},", writer.register(*register)));
        }
        for buffer in &self.read {
            writer.line(format!("    {}: &[{}],", writer.buffer(*buffer), writer.rust(writer.kind_of(*buffer))));
        }
        for buffer in &self.written {
            writer.line(format!("    {}: Shared<{}>,", writer.buffer(*buffer), writer.rust(writer.kind_of(*buffer))));
        }
        let own = self.own.iter().map(|_| writer.vector().to_string());
        let types: Vec<String> = given.iter().map(|given| given.ty.clone()).chain(own).collect();
        writer.line(format!(") -> Outcome<{}> {{", tuple(&types)));
        writer.line("    unsafe {".into());
        writer.depth += 2;
        for buffer in &self.own {
            let name = writer.buffer(*buffer).to_string();
            let count = format!("if chunk_from == 0 {{ 0 }} else {{ {name}.len() }}");
            writer.line(format!("let mut {name}_own = context.filled({count}, -0.0, {})?;", each.site.0));
            writer
                .line(format!("let {name} = if chunk_from == 0 {{ {name} }} else {{ Shared::of(&mut {name}_own) }};"));
        }
        writer.passed.extend(self.passed());
        writer.chunked = true;
    }

    /// Closes the function, calls it for the chunks, and opens what takes what they give.
    pub fn close(&self, writer: &mut Writer, each: &For, given: &[Given]) {
        let own = || self.own.iter().map(|buffer| format!("{}_own", writer.buffer(*buffer)));
        let results = tuple(&given.iter().map(|given| given.name.clone()).chain(own()).collect::<Vec<_>>());
        writer.line(format!("Ok({results})"));
        writer.depth -= 1;
        writer.line("}".into());
        writer.depth -= 1;
        writer.line("}".into());
        let count = writer.bound(each.count);
        let lanes = writer.precision.lanes();
        let turns = if self.together > 1 { format!("{count} / {lanes} * {lanes}") } else { count.clone() };
        let apiece = (given.iter().map(|given| given.apiece.clone()))
            .chain(self.own.iter().map(|buffer| format!("5.0 * {}.len() as f64", writer.buffer(*buffer))))
            .filter(|cost| !cost.is_empty())
            .collect::<Vec<_>>();
        let apiece = if apiece.is_empty() || writer.fine { "0.0".into() } else { apiece.join(" + ") };
        let work = if writer.fine { "f64::INFINITY".into() } else { format!("{count} as f64 * {}", self.work) };
        let (together, site) = (self.together, each.site.0);
        let late = if given.iter().any(|given| given.late) { ".late()" } else { "" };
        writer.line(format!("let chunk_plan = Chunks::of({turns}, {together}, {work}, {apiece}){late};"));
        let arguments = ["context", "chunk_from", "chunk_to"].map(str::to_string).into_iter();
        let numbers = self.numbers.iter().map(|register| writer.register(*register).to_string());
        let buffers = self.passed().map(|buffer| writer.buffer(buffer).to_string()).collect::<Vec<_>>();
        let arguments = arguments.chain(numbers).chain(buffers).collect::<Vec<_>>().join(", ");
        writer.line(format!("let turns = |context: &mut Context, chunk_from, chunk_to| chunk_turns({arguments});"));
        writer.line(format!("in_chunks(context, chunk_plan, {site}, turns, |chunk_to, {results}| {{"));
        writer.depth += 1;
        for buffer in &self.own {
            let name = writer.buffer(*buffer).to_string();
            writer.line(format!("add_all({name}, &{name}_own);"));
        }
    }

    /// Closes what takes what chunks give.
    pub fn end(&self, writer: &mut Writer) {
        writer.depth -= 1;
        writer.line("})?;".into());
        writer.depth -= 1;
        writer.line("}".into());
        writer.passed.clear();
        writer.chunked = false;
    }
}

/// Writes a loop one turn after the other, in chunks, if that can be. Turns that call the procedure again are many and short:
/// what leads to the first of these calls can be cut, they cannot.
pub(crate) fn plain(writer: &mut Writer, each: &For, declared: &FxHashSet<Register>) -> bool {
    if writer.chunked || writer.recurs(&each.body) {
        return false;
    }
    let Some(outline) = Outline::of(writer, each, None, &FxHashSet::default()) else { return false };
    let given: Vec<Given> = (outline.reduced.iter())
        .map(|(register, _)| Given {
            name: format!("{}_part", writer.register(*register)),
            ty: writer.rust(writer.procedure.registers[register.0 as usize].kind).into(),
            late: false,
            apiece: String::new(),
        })
        .collect();
    writer.line(format!("context.step({}, {})?;", writer.operand(each.count), each.site.0));
    outline.open(writer, each, &given);
    for allocation in &each.private {
        writer.allocate(allocation);
    }
    let mut inside = declared.clone();
    for (register, combine) in &outline.reduced {
        let neutral = neutral(*combine, writer.precision.real());
        writer.line(format!("let mut {} = {neutral};", writer.register(*register)));
        inside.insert(*register);
    }
    writer.line(format!("for {} in chunk_from..chunk_to {{", writer.register(each.index)));
    writer.nested(&each.body, &mut inside);
    writer.line("}".into());
    for (register, _) in &outline.reduced {
        let name = writer.register(*register).to_string();
        writer.line(format!("let {name}_part = {name};"));
    }
    outline.close(writer, each, &given);
    for (register, combine) in &outline.reduced {
        let name = writer.register(*register).to_string();
        writer.line(match combine {
            Combine::Sum => format!("{name} += {name}_part;"),
            Combine::Product => format!("{name} *= {name}_part;"),
            Combine::Max => format!("{name} = max({name}, {name}_part);"),
            Combine::Min => format!("{name} = min({name}, {name}_part);"),
            Combine::Least => format!("{name} = i64::min({name}, {name}_part);"),
            Combine::All => format!("{name} &= {name}_part;"),
            Combine::Any => format!("{name} |= {name}_part;"),
        });
    }
    outline.end(writer);
    true
}

/// What changes nothing.
fn neutral(combine: Combine, real: &str) -> String {
    match combine {
        Combine::Sum => format!("-0.0_{real}"),
        Combine::Product => format!("1.0_{real}"),
        Combine::Max => format!("{real}::NEG_INFINITY"),
        Combine::Min => format!("{real}::INFINITY"),
        Combine::Least => "i64::MAX".into(),
        Combine::All => "true".into(),
        Combine::Any => "false".into(),
    }
}

/// The registers that nobody uses outside of the loop.
fn own_registers(writer: &Writer, each: &For) -> FxHashSet<Register> {
    let (mut here, mut everywhere) = (FxHashMap::default(), FxHashMap::default());
    occurrences(&each.body, &mut here);
    occurrences(&writer.procedure.body, &mut everywhere);
    for result in &writer.procedure.results {
        if let Outcome::Number(Operand::Register(register)) = result {
            *everywhere.entry(*register).or_default() += 1;
        }
    }
    here.into_iter().filter(|(register, count)| everywhere[register] == *count).map(|(register, _)| register).collect()
}

fn sorted<T: Ord>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = all.collect();
    all.sort_unstable();
    all
}
