//! One procedure as one function.

use crate::names::{Names, variables};
use crate::{Options, Precision};
use riesz_core::Comparison;
use riesz_primitive::Primitive;
use riesz_program::program::{
    Allocation, Argument, Arithmetic, Block, Buffer, Combine, Element, Expression, Kind, Operand, Outcome, Parameter,
    Procedure, Program, Register, Statement, Strided, Target,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// Writes the function of a procedure.
pub(crate) fn write(
    program: &Program,
    procedure: &Procedure,
    functions: &[String],
    at: usize,
    options: &Options,
    text: &mut String,
) {
    let names = variables(procedure, functions);
    let mut writer = Writer {
        program,
        procedure,
        functions,
        names,
        depth: 1,
        text: String::new(),
        plain: false,
        cleared: FxHashMap::default(),
        fine: options.fine,
        precision: options.precision,
        chunked: false,
        passed: FxHashSet::default(),
    };
    let mut parameters = vec!["context: &mut Context".to_string()];
    parameters.extend(procedure.parameters.iter().map(|parameter| writer.parameter(*parameter)));
    let results: Vec<String> = procedure.results.iter().map(|result| writer.result_type(*result)).collect();
    let _ = writeln!(text, "/// `{}`, from {}.", procedure.name, (options.place)(procedure.span));
    let mut line = format!("pub fn {}({}) -> Outcome<{}> {{", functions[at], parameters.join(", "), tuple(&results));
    if line.len() > 120 {
        line = format!(
            "pub fn {}(\n    {},\n) -> Outcome<{}> {{",
            functions[at],
            parameters.join(",\n    "),
            tuple(&results)
        );
    }
    let _ = writeln!(text, "{line}");
    writer.line("// Positions are in bounds: indices have been checked, or are proven to be in range.".into());
    writer.line("unsafe {".into());
    writer.depth += 1;
    let mut declared = FxHashSet::default();
    writer.block(&procedure.body, &mut declared, true);
    let given: Vec<String> = procedure
        .results
        .iter()
        .map(|result| match result {
            Outcome::Number(operand) => writer.operand(*operand),
            Outcome::Buffer(buffer) => writer.buffer(*buffer).to_string(),
        })
        .collect();
    writer.line(format!("Ok({})", tuple(&given)));
    writer.depth -= 1;
    writer.line("}".into());
    text.push_str(&writer.text);
    text.push_str("}\n");
}

pub(crate) struct Writer<'p> {
    pub program: &'p Program,
    pub procedure: &'p Procedure,
    functions: &'p [String],
    names: Names,
    pub depth: usize,
    text: String,
    /// Whether loops are written one turn after the other.
    pub plain: bool,
    /// Buffers that are to be zero, and how long they are: the loop that comes next writes them whole.
    pub cleared: FxHashMap<Buffer, Operand>,
    /// Whether loops are cut however little they do.
    pub fine: bool,
    pub precision: Precision,
    /// Whether this is inside of the function of the turns of a loop, and the buffers that it is passed.
    pub chunked: bool,
    pub passed: FxHashSet<Buffer>,
}

impl<'p> Writer<'p> {
    pub fn line(&mut self, line: String) {
        for _ in 0..self.depth {
            self.text.push_str("    ");
        }
        self.text.push_str(&line);
        self.text.push('\n');
    }

    pub fn register(&self, register: Register) -> &str {
        &self.names.registers[register.0 as usize]
    }

    pub fn buffer(&self, buffer: Buffer) -> &str {
        &self.names.buffers[buffer.0 as usize]
    }

    /// The type of a number.
    pub fn rust(&self, kind: Kind) -> &'static str {
        match kind {
            Kind::Real => self.precision.real(),
            Kind::Int => "i64",
            Kind::Bool => "bool",
        }
    }

    /// The type of many real numbers.
    pub fn vector(&self) -> &'static str {
        match self.precision {
            Precision::Double => "Vec<f64>",
            Precision::Single => "Vec<f32>",
        }
    }

    /// The tolerance of a comparison.
    pub fn tolerance(&self, tolerance: Operand) -> String {
        match tolerance {
            Operand::Real(value) => self.operand(Operand::Real(self.precision.tolerance(value))),
            tolerance => self.operand(tolerance),
        }
    }

    pub fn kind(&self, operand: Operand) -> Kind {
        match operand {
            Operand::Register(register) => self.procedure.registers[register.0 as usize].kind,
            Operand::Real(_) => Kind::Real,
            Operand::Int(_) => Kind::Int,
            Operand::Bool(_) => Kind::Bool,
        }
    }

    pub fn kind_of(&self, buffer: Buffer) -> Kind {
        self.procedure.buffers[buffer.0 as usize].kind
    }

    fn is_parameter(&self, buffer: Buffer) -> bool {
        (self.procedure.parameters.iter())
            .any(|parameter| matches!(parameter, Parameter::Read(b) | Parameter::Added(b) | Parameter::Grown(b) if *b == buffer))
    }

    fn parameter(&self, parameter: Parameter) -> String {
        match parameter {
            Parameter::Number(register) => {
                format!(
                    "{}: {}",
                    self.register(register),
                    self.rust(self.procedure.registers[register.0 as usize].kind)
                )
            }
            Parameter::Read(buffer) => format!("{}: &[{}]", self.buffer(buffer), self.rust(self.kind_of(buffer))),
            Parameter::Added(buffer) => format!("{}: &mut [{}]", self.buffer(buffer), self.rust(self.kind_of(buffer))),
            Parameter::Grown(buffer) => {
                format!("{}: &mut Vec<{}>", self.buffer(buffer), self.rust(self.kind_of(buffer)))
            }
        }
    }

    fn result_type(&self, result: Outcome) -> String {
        match result {
            Outcome::Number(operand) => self.rust(self.kind(operand)).to_string(),
            Outcome::Buffer(buffer) => format!("Vec<{}>", self.rust(self.kind_of(buffer))),
        }
    }

    pub fn operand(&self, operand: Operand) -> String {
        match operand {
            Operand::Register(register) => self.register(register).to_string(),
            Operand::Real(value) => real(value, self.precision),
            Operand::Int(i64::MIN) => "i64::MIN".into(),
            Operand::Int(value) if value < 0 => format!("({value})"),
            Operand::Int(value) => value.to_string(),
            Operand::Bool(value) => value.to_string(),
        }
    }

    /// An operand as the end of a range, which tells the type of what runs over it.
    pub fn bound(&self, operand: Operand) -> String {
        match operand {
            Operand::Int(value) if value >= 0 => format!("{value}_i64"),
            operand => self.operand(operand),
        }
    }

    pub fn list(&self, operands: &[Operand]) -> String {
        operands.iter().map(|operand| self.operand(*operand)).collect::<Vec<_>>().join(", ")
    }

    // ---- statements ----

    /// A block. Mutable registers are declared in the innermost block around all of their uses.
    fn block(&mut self, block: &Block, declared: &mut FxHashSet<Register>, outermost: bool) {
        let mine = self.declarations(block, declared);
        for (at, statement) in block.iter().enumerate() {
            for register in mine.iter().filter(|(first, _)| *first == at).map(|(_, register)| *register) {
                declared.insert(register);
                let kind = self.procedure.registers[register.0 as usize].kind;
                match statement {
                    Statement::Set(set, value) if *set == register => {
                        let (name, value) = (self.register(register), self.operand(*value));
                        self.line(format!("let mut {name}: {} = {value};", self.rust(kind)));
                    }
                    _ => {
                        let zero = zero(kind);
                        self.line(format!("let mut {}: {} = {zero};", self.register(register), self.rust(kind)));
                    }
                }
            }
            let is_declaration = matches!(statement, Statement::Set(set, _)
                if mine.iter().any(|(first, register)| *first == at && register == set));
            if self.is_angle(block, at, declared) {
                continue;
            }
            if let Statement::Fill(element, count, Operand::Real(0.0)) = statement
                && self.is_written_next(*element, &block[at + 1..])
            {
                self.cleared.insert(element.buffer, *count);
                continue;
            }
            if !is_declaration {
                self.statement(statement, declared, outermost);
            }
        }
        for (_, register) in mine {
            declared.remove(&register);
        }
    }

    /// Whether a statement is the sine or the cosine of a number of which the other is taken too, with nothing but
    /// bindings between them: both are written where the first is.
    fn is_angle(&mut self, block: &Block, at: usize, declared: &FxHashSet<Register>) -> bool {
        let angle = |statement: &Statement| match statement {
            Statement::Let(register, Expression::Real(primitive, operands)) => match (primitive.name, &operands[..]) {
                (name @ ("sin" | "cos"), [angle]) => Some((name, *angle, *register)),
                _ => None,
            },
            _ => None,
        };
        let Some((_, of, register)) = angle(&block[at]) else { return false };
        let binds = |statement: &&Statement| matches!(statement, Statement::Let(..));
        let start = at - block[..at].iter().rev().take_while(binds).count();
        let run = block[start..].iter().take_while(binds).filter_map(angle).filter(|(_, angle, _)| *angle == of);
        let (sines, cosines): (Vec<_>, Vec<_>) = run.partition(|(name, ..)| *name == "sin");
        let (Some((.., sine)), Some((.., cosine))) = (sines.first(), cosines.first()) else { return false };
        if declared.contains(sine) || declared.contains(cosine) || ![sine, cosine].contains(&&register) {
            return false;
        }
        let written = block[start..at].iter().filter_map(angle).any(|(.., other)| other == *sine || other == *cosine);
        if !written {
            let (sine, cosine) = (self.register(*sine), self.register(*cosine));
            let line = format!("let ({sine}, {cosine}) = sin_cos({});", self.operand(of));
            self.line(line);
        }
        true
    }

    /// Whether a buffer that is to be zero is written whole by the loop that uses it next.
    fn is_written_next(&self, element: Element, rest: &[Statement]) -> bool {
        let uses = |statement: &&Statement| crate::lanes::touches(statement, element.buffer);
        match rest.iter().find(uses) {
            Some(Statement::For(each)) if element.at == Operand::Int(0) && !self.plain => {
                crate::lanes::writes_near(self.procedure, each, element.buffer)
            }
            _ => false,
        }
    }

    /// The mutable registers to declare in a block, each with the first statement that uses it.
    pub fn declarations(&self, block: &Block, declared: &FxHashSet<Register>) -> Vec<(usize, Register)> {
        let mut seen: FxHashMap<Register, (usize, usize, bool)> = FxHashMap::default();
        for (at, statement) in block.iter().enumerate() {
            let mut here = FxHashMap::default();
            self.used(statement, &mut here);
            for (register, own) in here {
                let entry = seen.entry(register).or_insert((at, 0, false));
                entry.1 += 1;
                entry.2 |= own;
            }
        }
        let results: FxHashSet<Register> = match std::ptr::eq(block, &self.procedure.body) {
            true => (self.procedure.results.iter())
                .filter_map(|result| match result {
                    Outcome::Number(Operand::Register(register)) => Some(*register),
                    _ => None,
                })
                .collect(),
            false => FxHashSet::default(),
        };
        let mut found: Vec<(usize, Register)> = (seen.into_iter())
            .filter(|(register, (_, statements, own))| {
                !declared.contains(register) && (*statements > 1 || *own || results.contains(register))
            })
            .map(|(register, (first, _, _))| (first, register))
            .collect();
        found.sort_unstable();
        found
    }

    /// The mutable registers of a statement, and whether it uses each itself or in more than one of its blocks.
    fn used(&self, statement: &Statement, found: &mut FxHashMap<Register, bool>) {
        let mutable = |register: Register| self.procedure.registers[register.0 as usize].mutable;
        let note = |register: Register, own: bool, found: &mut FxHashMap<Register, bool>| {
            if mutable(register) {
                found.entry(register).and_modify(|before| *before = true).or_insert(own);
            }
        };
        match statement {
            Statement::Set(register, _) | Statement::Reduce(register, ..) => note(*register, true, found),
            _ => {}
        }
        riesz_program::each_operand(statement, &mut |operand| {
            if let Operand::Register(register) = operand {
                note(register, true, found);
            }
        });
        for block in riesz_program::blocks(statement) {
            let mut inner = FxHashMap::default();
            for statement in block {
                self.used(statement, &mut inner);
            }
            for register in inner.into_keys() {
                note(register, false, found);
            }
        }
    }

    pub fn allocate(&mut self, allocation: &Allocation) {
        let (name, kind) = (self.buffer(allocation.buffer), self.rust(self.kind_of(allocation.buffer)));
        let (count, site) = (self.operand(allocation.count), allocation.site.0);
        self.line(format!("let mut {name} = context.buffer::<{kind}>({count}, {site})?;"));
    }

    fn statement(&mut self, statement: &Statement, declared: &mut FxHashSet<Register>, outermost: bool) {
        match statement {
            Statement::Let(register, expression) => {
                let expression = self.expression(expression);
                self.line(format!("let {} = {expression};", self.register(*register)));
            }
            Statement::Set(register, value) => {
                self.line(format!("{} = {};", self.register(*register), self.operand(*value)));
            }
            Statement::Reduce(register, combine, value) => {
                let (name, value) = (self.register(*register), self.operand(*value));
                self.line(match combine {
                    Combine::Sum => format!("{name} += {value};"),
                    Combine::Product => format!("{name} *= {value};"),
                    Combine::Max => format!("{name} = max({name}, {value});"),
                    Combine::Min => format!("{name} = min({name}, {value});"),
                    Combine::All => format!("{name} &= {value};"),
                    Combine::Any => format!("{name} |= {value};"),
                });
            }
            Statement::Allocate(allocation) => self.allocate(allocation),
            Statement::Grow(allocation) => {
                let (buffer, count) = (self.buffer_mut(allocation.buffer), self.operand(allocation.count));
                self.line(format!("context.grow({buffer}, {count}, {})?;", allocation.site.0));
            }
            Statement::Fill(element, count, value) => {
                let part = self.part_mut(*element, *count);
                self.line(format!("{part}.fill({});", self.operand(*value)));
            }
            Statement::Copy { to, from, count } if to.buffer == from.buffer => {
                let (name, count) = (self.buffer(to.buffer), self.operand(*count));
                let (from, to) = (self.operand(from.at), self.operand(to.at));
                self.line(format!("{name}.copy_within({from} as usize..({from} + {count}) as usize, {to} as usize);"));
            }
            Statement::Copy { to, from, count } => {
                let (to, from) = (self.part_mut(*to, *count), self.part(*from, *count));
                self.line(format!("{to}.copy_from_slice({from});"));
            }
            Statement::Store(element, value) => {
                let (name, at) = (self.buffer_mut(element.buffer), self.operand(element.at));
                self.line(format!("put({name}, {at}, {});", self.operand(*value)));
            }
            Statement::Add(element, value) => {
                let (name, at) = (self.buffer_mut(element.buffer), self.operand(element.at));
                self.line(format!("add({name}, {at}, {});", self.operand(*value)));
            }
            Statement::For(each) if !self.plain && crate::lanes::write(self, each, declared).is_ok() => {}
            Statement::For(each) if !self.plain && crate::chunk::plain(self, each, declared) => {}
            Statement::For(each) => {
                for allocation in &each.private {
                    self.allocate(allocation);
                }
                let count = self.operand(each.count);
                let nested = each.body.iter().any(contains_loop);
                if outermost || nested {
                    self.line(format!("context.step({count}, {})?;", each.site.0));
                }
                self.line(format!("for {} in 0..{} {{", self.register(each.index), self.bound(each.count)));
                self.nested(&each.body, declared);
                self.line("}".into());
            }
            Statement::While(each) => {
                for allocation in &each.private {
                    self.allocate(allocation);
                }
                self.line("loop {".into());
                self.depth += 1;
                // The condition is a register of the block before it, and seen behind it.
                let mine = self.declarations(&each.before, declared);
                for (_, register) in &mine {
                    let kind = self.procedure.registers[register.0 as usize].kind;
                    self.line(format!("let mut {}: {} = {};", self.register(*register), self.rust(kind), zero(kind)));
                    declared.insert(*register);
                }
                for statement in &each.before {
                    self.statement(statement, declared, false);
                }
                self.line(format!("if !{} {{", self.operand(each.condition)));
                self.line("    break;".into());
                self.line("}".into());
                self.line(format!("context.step(1, {})?;", each.site.0));
                self.block(&each.body, declared, false);
                for (_, register) in &mine {
                    declared.remove(register);
                }
                self.depth -= 1;
                self.line("}".into());
            }
            Statement::If(condition, yes, no) => {
                self.line(format!("if {} {{", self.operand(*condition)));
                self.nested(yes, declared);
                if !no.is_empty() {
                    self.line("} else {".into());
                    self.nested(no, declared);
                }
                self.line("}".into());
            }
            Statement::Check(condition, site, operands) => {
                self.line(format!("if !{} {{", self.operand(*condition)));
                self.line(format!("    return Err(fault({}, &[{}]));", site.0, self.list(operands)));
                self.line("}".into());
            }
            Statement::Swap(a, b) => {
                self.line(format!("std::mem::swap(&mut {}, &mut {});", self.buffer(*a), self.buffer(*b)));
            }
            Statement::Call(call) => self.call(call),
            Statement::Product(product) => {
                let name = if product.exact { "exact_product" } else { "product" };
                let count = format!("{} * {}", self.operand(product.rows), self.operand(product.columns));
                let to = format!(
                    "part_mut({}, {}, {count})",
                    self.buffer_mut(product.to.buffer),
                    self.operand(product.to.at)
                );
                let (left, right) = (self.strided(product.left), self.strided(product.right));
                let sizes = self.list(&[product.rows, product.inner, product.columns]);
                self.line(format!("{name}({to}, {left}, {right}, ({sizes}));"));
            }
            Statement::Matrix(matrix) => {
                let spelling = matrix.function.primitive().array().and_then(|row| row.rust).unwrap_or_default();
                let name = spelling.trim_start_matches("riesz_runtime::").split('(').next().unwrap_or_default();
                let to = self.part_mut(matrix.to, matrix.count);
                let n = self.operand(matrix.n);
                let a = format!("part({}, {}, {n} * {n})", self.buffer_ref(matrix.a.buffer), self.operand(matrix.a.at));
                let right = match matrix.b {
                    Some((element, columns)) => {
                        let columns = self.operand(columns);
                        let (name, at) = (self.buffer_ref(element.buffer), self.operand(element.at));
                        format!(", part({name}, {at}, {n} * {columns}), {columns}")
                    }
                    None => String::new(),
                };
                self.line(format!("{name}({to}, {a}, {n}{right});"));
            }
        }
    }

    pub fn nested(&mut self, block: &Block, declared: &mut FxHashSet<Register>) {
        self.depth += 1;
        self.block(block, declared, false);
        self.depth -= 1;
    }

    fn call(&mut self, call: &riesz_program::program::Call) {
        let called = self.program.procedure(call.procedure);
        let arguments: Vec<String> = (call.arguments.iter().zip(&called.parameters))
            .map(|(argument, parameter)| match (argument, parameter) {
                (Argument::Number(operand), _) => self.operand(*operand),
                (Argument::Whole(buffer), _) => self.buffer_mut(*buffer),
                (Argument::Elements(element, count), Parameter::Added(_)) => self.part_mut(*element, *count),
                (Argument::Elements(element, count), _) => self.part(*element, *count),
            })
            .collect();
        let results: Vec<String> = (call.results.iter())
            .map(|target| match target {
                Target::Register(register) => self.register(*register).to_string(),
                Target::Buffer(buffer) => format!("mut {}", self.buffer(*buffer)),
            })
            .collect();
        let site = call.site.0;
        self.line(format!("context.enter({site})?;"));
        let name = &self.functions[call.procedure.0 as usize];
        let arguments = std::iter::once("context".to_string()).chain(arguments).collect::<Vec<_>>().join(", ");
        self.line(format!("let {} = {name}({arguments}).map_err(|fault| fault.called({site}))?;", tuple(&results)));
        self.line("context.leave();".into());
    }

    pub fn buffer_mut(&self, buffer: Buffer) -> String {
        let name = self.buffer(buffer);
        match (self.passed.contains(&buffer), self.is_parameter(buffer)) {
            (true, _) => name.to_string(),
            (false, true) => format!("&mut *{name}"),
            (false, false) => format!("&mut {name}"),
        }
    }

    pub fn buffer_ref(&self, buffer: Buffer) -> String {
        let name = self.buffer(buffer);
        match self.passed.contains(&buffer) || self.is_parameter(buffer) {
            true => name.to_string(),
            false => format!("&{name}"),
        }
    }

    fn part(&self, element: Element, count: Operand) -> String {
        let (name, at) = (self.buffer_ref(element.buffer), self.operand(element.at));
        format!("part({name}, {at}, {})", self.operand(count))
    }

    fn part_mut(&self, element: Element, count: Operand) -> String {
        let (name, at) = (self.buffer_mut(element.buffer), self.operand(element.at));
        format!("part_mut({name}, {at}, {})", self.operand(count))
    }

    fn strided(&self, strided: Strided) -> String {
        let name = self.buffer_ref(strided.first.buffer);
        let (first, row, column) =
            (self.operand(strided.first.at), self.operand(strided.row), self.operand(strided.column));
        format!("({name}, Strides {{ first: {first}, row: {row}, column: {column} }})")
    }

    // ---- expressions ----

    pub fn expression(&self, expression: &Expression) -> String {
        let show = |operand: &Operand| self.operand(*operand);
        match expression {
            Expression::Copy(a) => show(a),
            Expression::Real(primitive, operands) => self.primitive(primitive, operands),
            Expression::Int(primitive, operands, site) => self.integer(primitive, operands, site.0),
            Expression::Position(arithmetic, a, b) => {
                let sign = match arithmetic {
                    Arithmetic::Add => "+",
                    Arithmetic::Sub => "-",
                    Arithmetic::Mul => "*",
                };
                format!("{} {sign} {}", show(a), show(b))
            }
            Expression::Compare(comparison, a, b) => {
                let sign = match comparison {
                    Comparison::Less => "<",
                    Comparison::LessEqual => "<=",
                    Comparison::Greater => ">",
                    Comparison::GreaterEqual => ">=",
                };
                format!("{} {sign} {}", show(a), show(b))
            }
            Expression::Equal(a, b) => format!("{} == {}", show(a), show(b)),
            Expression::Near(a, b, tolerance) => match self.kind(*a) {
                Kind::Real => format!("near({}, {}, {})", show(a), show(b), self.tolerance(*tolerance)),
                Kind::Int => format!("near_integers({}, {}, {})", show(a), show(b), self.tolerance(*tolerance)),
                Kind::Bool => format!("{} == {}", show(a), show(b)),
            },
            Expression::Not(a) => format!("!{}", show(a)),
            Expression::And(a, b) => format!("{} & {}", show(a), show(b)),
            Expression::Within(index, len) => format!("({} as u64) < {} as u64", show(index), show(len)),
            Expression::Select(condition, a, b) => {
                format!("if {} {{ {} }} else {{ {} }}", show(condition), show(a), show(b))
            }
            Expression::ToReal(a) => format!("{} as {}", show(a), self.precision.real()),
            Expression::Truncate(a, site) => {
                format!("truncate({0}).ok_or_else(|| fault({1}, &[{0}.to_bits() as i64]))?", show(a), site.0)
            }
            Expression::IsNan(a) => format!("{}.is_nan()", show(a)),
            Expression::Load(element) => {
                format!("at({}, {})", self.buffer_ref(element.buffer), self.operand(element.at))
            }
        }
    }

    fn primitive(&self, primitive: &Primitive, operands: &[Operand]) -> String {
        let Some(row) = primitive.scalar() else { return String::new() };
        let mut text = row.rust.replace("riesz_runtime::", "");
        for (at, operand) in operands.iter().enumerate() {
            text = text.replace(&format!("{{{at}}}"), &self.operand(*operand));
        }
        match text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
            Some(inner) if !inner.contains(['(', ')']) => inner.to_string(),
            _ => text,
        }
    }

    fn integer(&self, primitive: &Primitive, operands: &[Operand], site: u32) -> String {
        let shown: Vec<String> = operands
            .iter()
            .map(|operand| match operand {
                Operand::Int(value) if *value >= 0 => format!("{value}_i64"),
                Operand::Int(value) if *value > i64::MIN => format!("({value}_i64)"),
                operand => self.operand(*operand),
            })
            .collect();
        let failing = match (primitive.name, &shown[..]) {
            ("+", [a, b]) => format!("{a}.checked_add({b})"),
            ("-", [a, b]) => format!("{a}.checked_sub({b})"),
            ("*", [a, b]) => format!("{a}.checked_mul({b})"),
            ("unary -", [a]) => format!("{a}.checked_neg()"),
            ("abs", [a]) => format!("{a}.checked_abs()"),
            ("div", [a, b]) => format!("div({a}, {b})"),
            ("mod", [a, b]) => format!("modulo({a}, {b})"),
            ("min", [a, b]) => return format!("{a}.min({b})"),
            ("max", [a, b]) => return format!("{a}.max({b})"),
            ("sign", [a]) => return format!("{a}.signum()"),
            (_, [a, b]) => format!("integer_power({a}, {b})"),
            (name, _) => format!("unknown_{name}()"),
        };
        format!("{failing}.ok_or_else(|| fault({site}, &[{}]))?", self.list(operands))
    }
}

fn contains_loop(statement: &Statement) -> bool {
    match statement {
        Statement::For(_) | Statement::While(_) | Statement::Call(_) => true,
        Statement::If(_, yes, no) => yes.iter().chain(no).any(contains_loop),
        _ => false,
    }
}

fn zero(kind: Kind) -> &'static str {
    match kind {
        Kind::Real => "0.0",
        Kind::Int => "0",
        Kind::Bool => "false",
    }
}

/// One stands for itself, several for their tuple.
pub(crate) fn tuple(parts: &[String]) -> String {
    match parts {
        [one] => one.clone(),
        parts => format!("({})", parts.join(", ")),
    }
}

fn real(value: f64, precision: Precision) -> String {
    let ty = precision.real();
    let (value, text) = match precision {
        Precision::Double => (value, format!("{value:?}")),
        Precision::Single => (f64::from(value as f32), format!("{:?}", value as f32)),
    };
    if value.is_nan() {
        format!("{ty}::NAN")
    } else if value.is_infinite() {
        if value > 0.0 { format!("{ty}::INFINITY") } else { format!("{ty}::NEG_INFINITY") }
    } else if value.is_sign_negative() {
        format!("({text}_{ty})")
    } else {
        format!("{text}_{ty}")
    }
}
