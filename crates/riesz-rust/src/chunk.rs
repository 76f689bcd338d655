//! Loops whose schedule has chunks: the iterations become a function of a range of iterations, which threads call.
//!
//! ```text
//! for i < n { ... }   is   fn chunk_iterations(context, from, to, numbers, buffers) -> partial results
//! ```
//!
//! The schedule states the numbers and buffers that are passed, and the buffers of which each chunk except the first has
//! a private copy.

use crate::Spelling;
use crate::function::{Writer, tuple};
use riesz_program::program::{Buffer, Combine, For, Operand, Register};
use riesz_program::schedule::ChunkSchedule;
use riesz_program::schedule::cost::Cost;
use rustc_hash::FxHashSet;

/// A partial result of a chunk: its name and its type.
pub(crate) struct ChunkOutput {
    pub name: String,
    pub ty: String,
    /// Whether it is added to elements that the next chunk writes.
    pub late: bool,
}

/// The function of the chunks of a loop.
pub(crate) struct Outline<'s> {
    pub chunks: &'s ChunkSchedule,
}

impl Outline<'_> {
    /// The buffers from around the loop.
    pub fn passed(&self) -> impl Iterator<Item = Buffer> {
        self.chunks.read.iter().chain(&self.chunks.written).copied()
    }

    /// Opens the function of the iterations.
    pub fn open(&self, writer: &mut Writer, each: &For, given: &[ChunkOutput]) {
        writer.line("{".into());
        writer.depth += 1;
        for buffer in &self.chunks.read {
            let name = writer.buffer(*buffer).to_string();
            writer.line(format!("let {name} = &{name}[..];"));
        }
        for buffer in &self.chunks.written {
            let (name, place) = (writer.buffer(*buffer).to_string(), writer.buffer_mut(*buffer));
            writer.line(format!("let {name} = Shared::of({place});"));
        }
        writer.line("#[inline(never)]".into());
        writer.line("unsafe fn chunk_iterations(".into());
        writer.line("    context: &mut Context,".into());
        writer.line("    chunk_from: i64,".into());
        writer.line("    chunk_to: i64,".into());
        for register in &self.chunks.numbers {
            let kind = writer.rust(writer.procedure.registers[register.0 as usize].kind);
            writer.line(format!("    {}: {kind},", writer.register(*register)));
        }
        for buffer in &self.chunks.read {
            writer.line(format!("    {}: &[{}],", writer.buffer(*buffer), writer.rust(writer.kind_of(*buffer))));
        }
        for buffer in &self.chunks.written {
            writer.line(format!("    {}: Shared<{}>,", writer.buffer(*buffer), writer.rust(writer.kind_of(*buffer))));
        }
        let own = self.chunks.copied.iter().map(|_| writer.vector().to_string());
        let types: Vec<String> = given.iter().map(|given| given.ty.clone()).chain(own).collect();
        writer.line(format!(") -> Outcome<{}> {{", tuple(&types)));
        writer.line("    unsafe {".into());
        writer.depth += 2;
        for buffer in &self.chunks.copied {
            let name = writer.buffer(*buffer).to_string();
            let count = format!("if chunk_from == 0 {{ 0 }} else {{ {name}.len() }}");
            writer.line(format!("let mut {name}_private = context.filled({count}, -0.0, {})?;", each.site.0));
            writer.line(format!(
                "let {name} = if chunk_from == 0 {{ {name} }} else {{ Shared::of(&mut {name}_private) }};"
            ));
        }
        writer.passed.extend(self.passed());
    }

    /// Closes the function, calls it for the chunks, and opens the closure that takes their partial results.
    pub fn close(&self, writer: &mut Writer, each: &For, given: &[ChunkOutput]) {
        let own = || self.chunks.copied.iter().map(|buffer| format!("{}_private", writer.buffer(*buffer)));
        let results = tuple(&given.iter().map(|given| given.name.clone()).chain(own()).collect::<Vec<_>>());
        writer.line(format!("Ok({results})"));
        writer.depth -= 1;
        writer.line("}".into());
        writer.depth -= 1;
        writer.line("}".into());
        let count = writer.bound(each.count);
        let lanes = writer.precision.lanes();
        let iterations = if self.chunks.group > 1 { format!("{count} / {lanes} * {lanes}") } else { count.clone() };
        let apiece = |(buffer, cost): &(Buffer, f64)| format!("{cost:.1} * {}.len() as f64", writer.buffer(*buffer));
        let apiece: Vec<String> = self.chunks.apiece.iter().map(apiece).collect();
        let apiece = if apiece.is_empty() { "0.0".into() } else { apiece.join(" + ") };
        let work = match &self.chunks.cost {
            Some(cost) => format!("{count} as f64 * {}", cost_text(writer, cost)),
            None => "f64::INFINITY".into(),
        };
        let (group, site) = (self.chunks.group, each.site.0);
        let late = if given.iter().any(|given| given.late) { ".late()" } else { "" };
        writer.line(format!("let chunk_plan = Chunks::of({iterations}, {group}, {work}, {apiece}){late};"));
        let arguments = ["context", "chunk_from", "chunk_to"].map(str::to_string).into_iter();
        let numbers = self.chunks.numbers.iter().map(|register| writer.register(*register).to_string());
        let buffers = self.passed().map(|buffer| writer.buffer(buffer).to_string()).collect::<Vec<_>>();
        let arguments = arguments.chain(numbers).chain(buffers).collect::<Vec<_>>().join(", ");
        writer.line(format!(
            "let iterations = |context: &mut Context, chunk_from, chunk_to| chunk_iterations({arguments});"
        ));
        writer.line(format!("in_chunks(context, chunk_plan, {site}, iterations, |chunk_to, {results}| {{"));
        writer.depth += 1;
        for buffer in &self.chunks.copied {
            let name = writer.buffer(*buffer).to_string();
            writer.line(format!("add_part({name}, 0, &{name}_private);"));
        }
    }

    /// Closes the closure that takes partial results.
    pub fn end(&self, writer: &mut Writer) {
        writer.depth -= 1;
        writer.line("})?;".into());
        writer.depth -= 1;
        writer.line("}".into());
        writer.passed.clear();
    }
}

/// Writes a loop in chunks, in which iterations run one after the other.
pub(crate) fn one_by_one(writer: &mut Writer, each: &For, chunks: &ChunkSchedule, declared: &FxHashSet<Register>) {
    let outline = Outline { chunks };
    let given: Vec<ChunkOutput> = (chunks.reduced.keys())
        .map(|register| ChunkOutput {
            name: format!("{}_part", writer.register(*register)),
            ty: writer.rust(writer.procedure.registers[register.0 as usize].kind).into(),
            late: false,
        })
        .collect();
    if each.counted {
        writer.line(format!("context.step({}, {})?;", writer.operand(each.count), each.site.0));
    }
    outline.open(writer, each, &given);
    for allocation in &each.private {
        writer.allocate(allocation);
    }
    let mut inside = declared.clone();
    for (register, combine) in &chunks.reduced {
        let neutral = neutral(*combine, writer.precision.real());
        writer.line(format!("let mut {} = {neutral};", writer.register(*register)));
        inside.insert(*register);
    }
    writer.line(format!("for {} in chunk_from..chunk_to {{", writer.register(each.index)));
    writer.nested(&each.body, &mut inside);
    writer.line("}".into());
    for register in chunks.reduced.keys() {
        let name = writer.register(*register).to_string();
        writer.line(format!("let {name}_part = {name};"));
    }
    outline.close(writer, each, &given);
    for (register, combine) in &chunks.reduced {
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
}

/// A cost as an expression of the counts that are known before the loop.
fn cost_text(writer: &Writer, cost: &Cost) -> String {
    let mut text = format!("({:.2}", cost.own);
    for (count, cost) in &cost.loops {
        let cost = cost_text(writer, cost);
        text += &match count {
            Operand::Int(count) => format!(" + {:.1} * {cost}", (*count).max(0) as f64),
            count => format!(" + {} as f64 * {cost}", writer.operand(*count)),
        };
    }
    text + ")"
}

/// The number that changes nothing.
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
