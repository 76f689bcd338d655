//! Functions of the core in the notation of the language.
//!
//! ```text
//! fun half_square reverse(v: [n]R, dy: R): (R, [n]R) =
//!   (dot(v, v) / 2.0, [v[i] * dy | i < n])
//! ```
//!
//! In *A-normal form* every value has a name. In the *short form* an unnamed value that is used once, in the same body,
//! is written at its use; the operations and their number stay the same. Sizes that the types determine are not shown
//! as parameters, exact products are written as products, and a sum with 0 that only turns −0 into 0 is not written.

mod names;
mod operation;

pub(crate) use names::{is_size, readable};

use super::notation::Written;
use names::Names;
use operation::Compound;
use riesz_core::Type;
use riesz_core::size;
use riesz_core::term::{Atom, Binding, Body, Function, Op, Program, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// The longest expression that stands where it is used.
const LONGEST: usize = 60;
/// Where the line of a header ends.
const WIDTH: usize = 100;

/// A function in short form.
pub(crate) fn code(program: &Program, function: &Function) -> String {
    let names = Names::lazily(function);
    write(program, function, names, true)
}

/// A function in A-normal form, with names for all its variables.
pub(crate) fn normal_form(program: &Program, function: &Function, names: &[String]) -> String {
    write(program, function, Names::given(function, names), false)
}

/// A binding in short form, as a line or several.
pub(crate) fn binding(program: &Program, function: &Function, names: &[String], binding: &Binding) -> Vec<String> {
    let names = Names::given(function, names);
    let mut writer = Writer::new(program, function, names, false);
    writer.binding(binding, 0);
    writer.lines
}

fn write(program: &Program, function: &Function, names: Names, short: bool) -> String {
    let mut writer = Writer::new(program, function, names, short);
    if short {
        let mut walk = Walk::default();
        walk.body(&function.body);
        writer.uses = walk.uses;
    }
    let result = writer.body(&function.body, 1);
    if function.result != Type::unit() && !result.text.is_empty() || writer.lines.is_empty() {
        writer.result(&result.text);
    }
    let mut lines = writer.header();
    lines.append(&mut writer.lines);
    writer.names.resolved(&lines.join("\n"))
}

/// Where a variable is used.
#[derive(Clone, Debug, Default)]
struct Uses {
    count: usize,
    /// Whether it is used in a body inside the one that binds it.
    inside: bool,
    /// Whether it is what the body that binds it results in.
    result: bool,
    /// The variables that are its components, where nothing else is done with it.
    components: Option<Vec<(usize, Var)>>,
}

/// Learns where the variables of a function are used.
#[derive(Default)]
struct Walk {
    bodies: usize,
    /// The body that binds a variable.
    homes: FxHashMap<Var, usize>,
    uses: FxHashMap<Var, Uses>,
}

impl Walk {
    fn body(&mut self, body: &Body) {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            self.bodies += 1;
            let here = self.bodies;
            for Binding { var, op, .. } in &body.bindings {
                self.homes.insert(*var, here);
                match op {
                    Op::Project(tuple, at) => self.note(tuple, here, Some((*at, *var))),
                    op => op.visit_atoms(&mut |atom| self.note(atom, here, None)),
                }
                op.visit_bodies(&mut |body| self.body(body));
            }
            self.note(&body.result, here, None);
            if let Atom::Var(var) = body.result
                && let Some(uses) = self.uses.get_mut(&var)
            {
                uses.result = true;
            }
        });
    }

    fn note(&mut self, atom: &Atom, here: usize, component: Option<(usize, Var)>) {
        let Atom::Var(var) = atom else { return };
        let inside = self.homes.get(var) != Some(&here);
        let fresh = || Uses { components: Some(Vec::new()), ..Uses::default() };
        let uses = self.uses.entry(*var).or_insert_with(fresh);
        uses.count += 1;
        uses.inside |= inside;
        match (&mut uses.components, component) {
            (Some(components), Some(component)) if !inside => components.push(component),
            (components, _) => *components = None,
        }
    }
}

struct Writer<'p> {
    program: &'p Program,
    function: &'p Function,
    names: Names,
    short: bool,
    uses: FxHashMap<Var, Uses>,
    /// The text of the variables that have no line of their own.
    shown: FxHashMap<Var, Written>,
    /// Tuples that are bound component by component.
    apart: FxHashSet<Var>,
    /// The components of tuples that are nowhere bound.
    parts: FxHashMap<Var, Vec<Written>>,
    lines: Vec<String>,
}

impl<'p> Writer<'p> {
    fn new(program: &'p Program, function: &'p Function, names: Names, short: bool) -> Writer<'p> {
        Writer {
            program,
            function,
            names,
            short,
            uses: FxHashMap::default(),
            shown: FxHashMap::default(),
            apart: FxHashSet::default(),
            parts: FxHashMap::default(),
            lines: Vec::new(),
        }
    }

    fn line(&mut self, depth: usize, text: &str) {
        self.lines.push(format!("{}{text}", "  ".repeat(depth)));
    }

    /// Writes the result of a function: a tuple on several lines if it is long.
    fn result(&mut self, text: &str) {
        for line in broken(text, WIDTH) {
            self.line(1, &line);
        }
    }

    /// `fun f(x: R): R =`, on several lines where it is long.
    fn header(&self) -> Vec<String> {
        let visible = (0..self.function.parameters as u32).map(Var).filter(|var| !is_size(self.function, *var));
        let parameters: Vec<String> =
            visible.map(|var| format!("{}: {}", self.names.of(var), self.ty(&self.function.var(var).ty))).collect();
        let result = match &self.function.result {
            result if *result == Type::unit() => String::new(),
            result => format!(": {}", self.short_type(result)),
        };
        let name = &self.function.name;
        let whole = format!("fun {name}({}){result} =", parameters.join(", "));
        if whole.chars().count() <= WIDTH {
            return vec![whole];
        }
        let mut lines = vec![format!("fun {name}(")];
        let mut line = String::from("   ");
        for (at, parameter) in parameters.iter().enumerate() {
            let comma = if at + 1 == parameters.len() { "" } else { "," };
            if line.chars().count() + parameter.chars().count() + 2 > WIDTH {
                lines.push(std::mem::replace(&mut line, String::from("   ")));
            }
            line += &format!(" {parameter}{comma}");
        }
        lines.push(line);
        lines.push(format!("){result} ="));
        lines
    }

    /// A type; of a long tuple, as that of a value and all that is kept with it, the first part.
    fn short_type(&self, ty: &Type) -> String {
        let text = self.ty(ty);
        match ty {
            Type::Tuple(parts) if parts.len() == 1 => self.ty(&parts[0]),
            Type::Tuple(parts) if text.chars().count() > LONGEST && parts.len() > 2 => {
                format!("({}, …)", self.ty(&parts[0]))
            }
            _ => text,
        }
    }

    fn ty(&self, ty: &Type) -> String {
        let atom = |atom| match atom {
            size::Atom::Var(var) => self.atom(Atom::Var(var)).text,
            size::Atom::Global(global) => self.program.global(global).name.to_string(),
            size::Atom::Parameter(_) | size::Atom::Unknown(_) => "_".to_string(),
        };
        ty.show(&atom, &|index| format!("t{index}"))
    }

    /// Writes the lines of a body; what it results in.
    fn body(&mut self, body: &Body, depth: usize) -> Written {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            for binding in &body.bindings {
                self.binding(binding, depth);
            }
            self.atom(body.result)
        })
    }

    /// The lines of a body by themselves.
    fn apart(&mut self, body: &Body, depth: usize) -> (Vec<String>, Written) {
        let around = std::mem::take(&mut self.lines);
        let result = self.body(body, depth);
        (std::mem::replace(&mut self.lines, around), result)
    }

    fn binding(&mut self, Binding { var, op, .. }: &Binding, depth: usize) {
        let ty = &self.function.var(*var).ty;
        match op {
            // Nothing to compute and nothing to see.
            Op::Tuple(_) | Op::Copy(_) if *ty == Type::unit() => {}
            Op::AddTo(..) | Op::CheckSizes(..) => {
                let text = self.statement(op);
                self.line(depth, &text);
            }
            Op::Call(..) if *ty == Type::unit() => {
                let call = self.expression(*var, op).text;
                self.line(depth, &call);
            }
            Op::Project(Atom::Var(tuple), _) if self.apart.contains(tuple) => {}
            Op::Project(Atom::Var(tuple), at) if self.parts.contains_key(tuple) => {
                let part = self.parts[tuple][*at].clone();
                self.shown.insert(*var, part);
            }
            Op::Copy(atom) | Op::Read(atom) if self.short => {
                let same = self.atom(*atom);
                self.shown.insert(*var, same);
            }
            op if has_bodies(op) => match self.compound(op, depth) {
                Compound::Line(expr) => self.bind(*var, op, expr, depth),
                Compound::Block(lines) if *ty == Type::unit() || self.is_unused(*var) => self.lines.extend(lines),
                Compound::Block(lines) if self.ends_with(*var) => {
                    self.lines.extend(lines);
                    self.shown.insert(*var, Written::atom(""));
                }
                Compound::Block(lines) => {
                    let name = self.pattern(*var);
                    let mut lines = lines.into_iter();
                    let header = lines.next().unwrap_or_default();
                    self.line(depth, &format!("{name} = {}", header.trim_start()));
                    self.lines.extend(lines);
                }
            },
            Op::Tuple(atoms) if self.is_taken_apart(*var) => {
                let parts = atoms.iter().map(|atom| self.atom(*atom)).collect();
                self.parts.insert(*var, parts);
            }
            op => {
                let expr = self.expression(*var, op);
                self.bind(*var, op, expr, depth);
            }
        }
    }

    fn bind(&mut self, var: Var, op: &Op, expr: Written, depth: usize) {
        let uses = self.uses.get(&var).cloned().unwrap_or_default();
        let read = matches!(op, Op::Index(..) | Op::Project(..)) && expr.text.chars().count() <= 16;
        let is_tuple = matches!(op, Op::Tuple(_));
        let short = uses.result || is_tuple || expr.text.chars().count() <= LONGEST;
        let once = uses.count == 1 && !uses.inside && short;
        if self.short && (!self.names.is_named(var) || is_tuple) && (once || read) {
            self.shown.insert(var, expr);
            return;
        }
        let name = match op {
            Op::Call(..) | Op::Apply(..) => self.pattern(var),
            op if has_bodies(op) => self.pattern(var),
            _ => self.names.of(var),
        };
        self.line(depth, &format!("{name} = {}", expr.text));
    }

    /// Whether a body is there only for what it adds to accumulators.
    fn is_unused(&self, var: Var) -> bool {
        self.short && !self.uses.contains_key(&var)
    }

    /// Whether nothing is done with a tuple but taking its components.
    fn is_taken_apart(&self, var: Var) -> bool {
        self.uses.get(&var).is_some_and(|uses| uses.components.is_some())
    }

    /// Whether a body ends with a variable that nothing else needs.
    fn ends_with(&self, var: Var) -> bool {
        let only = |uses: &Uses| uses.result && uses.count == 1 && !uses.inside;
        self.short && !self.names.is_named(var) && self.uses.get(&var).is_some_and(only)
    }

    /// A name, or names for the components.
    fn pattern(&mut self, var: Var) -> String {
        let components = self.uses.get(&var).and_then(|uses| uses.components.clone());
        let (Some(components), Type::Tuple(parts)) = (components, &self.function.var(var).ty) else {
            return self.names.of(var);
        };
        self.apart.insert(var);
        let mut names = vec!["_".to_string(); parts.len()];
        for (at, component) in components {
            match &names[at] {
                free if free == "_" => names[at] = self.pattern(component),
                taken => {
                    let taken = Written::atom(taken.clone());
                    self.shown.insert(component, taken);
                }
            }
        }
        match &names[..] {
            [one] => one.clone(),
            _ => format!("({})", names.join(", ")),
        }
    }
}

/// A tuple on several lines where it is long, and so its components.
fn broken(text: &str, width: usize) -> Vec<String> {
    let inside = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    let parts = inside.filter(|_| text.chars().count() > width).map(parts).unwrap_or_default();
    if parts.len() < 2 {
        return vec![text.to_string()];
    }
    let mut lines = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let mut part = broken(part.trim(), width.saturating_sub(1));
        if let Some(last) = part.last_mut() {
            last.push(if at + 1 == parts.len() { ')' } else { ',' });
        }
        let open = |line: usize| if at == 0 && line == 0 { '(' } else { ' ' };
        lines.extend(part.iter().enumerate().map(|(line, text)| format!("{}{text}", open(line))));
    }
    lines
}

/// The parts of a text between the commas that stand in no bracket; none where its brackets do not match.
fn parts(text: &str) -> Vec<&str> {
    let (mut found, mut depth, mut start) = (Vec::new(), 0i32, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        if depth < 0 {
            return Vec::new();
        }
    }
    found.push(&text[start..]);
    found
}

fn has_bodies(op: &Op) -> bool {
    let mut found = false;
    op.visit_bodies(&mut |_| found = true);
    found
}
