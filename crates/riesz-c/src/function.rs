//! One procedure as one function, statement by statement.

use crate::Refused;
use riesz_primitive::MatrixFunction;
use riesz_program::foreign::Foreign;
use riesz_program::program::{
    Allocation, Argument, Block, Buffer, Call, Combine, Element, For, Kind, Matrix, Operand, Outcome, Parameter,
    Procedure, ProcedureId, Product, Program, Register, SiteId, Statement, Strided, Target, While,
};
use riesz_program::scope::{Counting, FEW, counting, declarations, made, moved};
use riesz_program::sizes::Sizes;
use rustc_hash::FxHashSet;

/// The declaration of a procedure's function, and its definition.
pub(crate) fn write(program: &Program, id: ProcedureId) -> Result<(String, String), Refused> {
    let (procedure, text) = (program.procedure(id), String::new());
    let (fixed, moved) = (Sizes::of(procedure).fixed, moved(procedure));
    let mut writer = Writer { program, procedure, fixed, moved, refused: None, depth: 1, text };
    let mut parameters = vec!["riesz_run *run".to_string()];
    parameters.extend(procedure.parameters.iter().map(|parameter| match *parameter {
        Parameter::Number(number) => format!("{} {}", writer.number(number), Foreign::Register(number)),
        Parameter::Read(buffer) => format!("const {} *restrict {}", writer.kind(buffer), Foreign::Buffer(buffer)),
        Parameter::Added(buffer) => format!("{} *restrict {}", writer.kind(buffer), Foreign::Buffer(buffer)),
        Parameter::Grown(buffer) => format!("{} **{}", writer.kind(buffer), Foreign::Buffer(buffer)),
    }));
    parameters.extend(procedure.results.iter().enumerate().map(|(at, result)| match *result {
        Outcome::Number(operand) => format!("{} *out_{at}", c(procedure.kind(operand))),
        Outcome::Buffer(buffer) => format!("{} **out_{at}", writer.kind(buffer)),
    }));
    writer.procedure();
    let head = format!("static int loop_{}({})", Foreign::Function(id), parameters.join(", "));
    let comment = format!("// `{}`, from {}.", Foreign::NameOf(id), Foreign::PlaceOf(id));
    let written = (format!("{head};\n"), format!("\n{comment}\n{head} {{\n{}}}\n", writer.text));
    writer.refused.map_or(Ok(written), Err)
}

pub(crate) struct Writer<'p> {
    pub program: &'p Program,
    pub procedure: &'p Procedure,
    /// Sizes, which may be larger than integers are.
    pub fixed: FxHashSet<Register>,
    /// Buffers that are exchanged or replaced by others.
    moved: FxHashSet<Buffer>,
    /// The construct that C cannot express, if there is one.
    pub refused: Option<Refused>,
    depth: usize,
    text: String,
}

impl Writer<'_> {
    /// Writes lines.
    pub fn line(&mut self, lines: impl AsRef<str>) {
        for line in lines.as_ref().lines() {
            self.text += &format!("{}{line}\n", "    ".repeat(self.depth));
        }
    }

    fn number(&self, register: Register) -> &'static str {
        c(self.procedure.kind(Operand::Register(register)))
    }

    fn kind(&self, buffer: Buffer) -> &'static str {
        element_of(self.procedure, buffer)
    }

    /// A buffer as a pointer to its first element.
    fn buffer(&self, buffer: Buffer) -> String {
        match self.procedure.parameters.contains(&Parameter::Grown(buffer)) {
            true => format!("(*{})", Foreign::Buffer(buffer)),
            false => Foreign::Buffer(buffer).to_string(),
        }
    }

    pub fn element(&self, element: Element) -> String {
        format!("{}[{}]", self.buffer(element.buffer), operand(element.at))
    }

    /// Elements from one on. Where there are none, the place at which they would begin may not exist.
    fn part(&self, element: Element, count: &str) -> String {
        let name = self.buffer(element.buffer);
        match element.at {
            Operand::Int(0) => name,
            at => format!("({count} > 0 ? {name} + {} : {name})", operand(at)),
        }
    }

    fn strided(&self, strided: Strided, count: &str) -> String {
        let (row, column) = (operand(strided.row), operand(strided.column));
        format!("(riesz_matrix){{{}, {row}, {column}}}", self.part(strided.first, count))
    }

    /// Fails where something does.
    fn guard(&mut self, failing: &str) {
        self.line(format!("if ({failing}) return 1;"));
    }

    fn procedure(&mut self) {
        self.block(&self.procedure.body, &mut FxHashSet::default(), true);
        for (at, result) in self.procedure.results.iter().enumerate() {
            self.line(match *result {
                Outcome::Number(number) => format!("*out_{at} = {};", operand(number)),
                Outcome::Buffer(buffer) => format!("*out_{at} = {};", self.buffer(buffer)),
            });
        }
        let stays = |buffer: &Buffer| !self.procedure.results.contains(&Outcome::Buffer(*buffer));
        self.release(made(&self.procedure.body).into_iter().filter(stays).collect());
        self.line("return 0;");
    }

    fn release(&mut self, buffers: Vec<Buffer>) {
        buffers.iter().for_each(|buffer| self.line(format!("riesz_release(run, {});", self.buffer(*buffer))));
    }

    /// The statements of a block. Mutable registers are declared in the innermost block around all of their uses.
    fn block(&mut self, block: &Block, declared: &mut FxHashSet<Register>, outermost: bool) {
        for (_, register) in declarations(self.procedure, block, declared) {
            declared.insert(register);
            self.line(format!("{} {} = 0;", self.number(register), Foreign::Register(register)));
        }
        block.iter().for_each(|statement| self.statement(statement, declared, outermost));
    }

    /// A block in braces that have been opened, and closes them; the buffers that it makes are gone behind it.
    fn nested(&mut self, block: &Block, declared: &FxHashSet<Register>) {
        self.depth += 1;
        self.block(block, &mut declared.clone(), false);
        self.release(made(block));
        self.depth -= 1;
        self.line("}");
    }

    fn statement(&mut self, statement: &Statement, declared: &mut FxHashSet<Register>, outermost: bool) {
        match statement {
            Statement::Let(register, expression) => self.bind(*register, expression),
            Statement::Set(register, value) => {
                self.line(format!("{} = {};", Foreign::Register(*register), operand(*value)));
            }
            Statement::Reduce(register, combine, value) => {
                let (name, value) = (Foreign::Register(*register), operand(*value));
                self.line(match combine {
                    Combine::Sum => format!("{name} += {value};"),
                    Combine::Product => format!("{name} *= {value};"),
                    Combine::Max => format!("{name} = riesz_max({name}, {value});"),
                    Combine::Min => format!("{name} = riesz_min({name}, {value});"),
                    Combine::Least => format!("{name} = riesz_least({name}, {value});"),
                    Combine::All => format!("{name} = {name} && {value};"),
                    Combine::Any => format!("{name} = {name} || {value};"),
                });
            }
            Statement::Allocate(allocation) => self.allocate(allocation),
            Statement::Grow(Allocation { buffer, count, site: at }) => {
                let (kind, name, count) = (self.kind(*buffer), self.buffer(*buffer), operand(*count));
                let grown = format!("riesz_grow(run, {name}, {count}, sizeof({kind}), {})", site(*at));
                self.line(format!("{{\n    {kind} *grown = {grown};\n    if (grown == NULL) return 1;"));
                self.line(format!("    {name} = grown;\n}}"));
            }
            Statement::Fill(element, count, value) => {
                let (to, at, value) = (self.buffer(element.buffer), operand(element.at), operand(*value));
                let each = format!("for (int64_t fill_at = 0; fill_at < {}; fill_at++)", operand(*count));
                self.line(format!("{each} {to}[{at} + fill_at] = {value};"));
            }
            Statement::Copy { to, from, count } => {
                let function = if to.buffer == from.buffer { "memmove" } else { "memcpy" };
                let (kind, count) = (self.kind(to.buffer), operand(*count));
                let (to, from) = (self.element(*to), self.element(*from));
                self.line(format!("if ({count} > 0) {function}(&{to}, &{from}, (size_t){count} * sizeof({kind}));"));
            }
            Statement::Store(element, value) => {
                self.line(format!("{} = {};", self.element(*element), operand(*value)));
            }
            Statement::Add(element, value) => self.line(format!("{} += {};", self.element(*element), operand(*value))),
            Statement::For(each) => self.each(each, declared, outermost),
            Statement::While(each) => self.repeat(each, declared),
            Statement::If(condition, yes, no) => {
                self.line(format!("if ({}) {{", operand(*condition)));
                self.nested(yes, declared);
                if !no.is_empty() {
                    self.line("else {");
                    self.nested(no, declared);
                }
            }
            Statement::Check(condition, at, told) => self.check(&operand(*condition), &site(*at), &site(*at), told),
            Statement::Swap(a, b) => {
                let (kind, a, b) = (self.kind(*a), self.buffer(*a), self.buffer(*b));
                self.line(format!("{{\n    {kind} *swapped = {a};\n    {a} = {b};\n    {b} = swapped;\n}}"));
            }
            Statement::Call(call) => self.call(call),
            Statement::Product(product) => self.product(product),
            Statement::Matrix(matrix) => self.matrix(matrix),
        }
    }

    fn allocate(&mut self, allocation: &Allocation) {
        let (kind, name) = (self.kind(allocation.buffer), self.buffer(allocation.buffer));
        let restrict = if self.moved.contains(&allocation.buffer) { "" } else { "restrict " };
        let (count, site) = (operand(allocation.count), site(allocation.site));
        self.line(format!("{kind} *{restrict}{name} = riesz_allocate(run, {count}, sizeof({kind}), {site});"));
        self.guard(&format!("{name} == NULL"));
    }

    fn each(&mut self, each: &For, declared: &FxHashSet<Register>, outermost: bool) {
        each.private.iter().for_each(|allocation| self.allocate(allocation));
        let (index, count) = (Foreign::Register(each.index), operand(each.count));
        let step = format!("riesz_step(run, {count}, {})", site(each.site));
        match counting(each, outermost) {
            Counting::All => self.guard(&step),
            Counting::IfMany => self.guard(&format!("{count} > {FEW} && {step}")),
            Counting::None => {}
        }
        self.line(format!("for (int64_t {index} = 0; {index} < {count}; {index}++) {{"));
        self.nested(&each.body, declared);
    }

    fn repeat(&mut self, each: &While, declared: &FxHashSet<Register>) {
        each.private.iter().for_each(|allocation| self.allocate(allocation));
        self.line("for (bool ended = false; !ended;) {");
        self.depth += 1;
        let mut declared = declared.clone();
        self.block(&each.before, &mut declared, false);
        self.line(format!("ended = !{};", operand(each.condition)));
        self.guard(&format!("!ended && riesz_step(run, 1, {})", site(each.site)));
        self.line("if (!ended) {");
        self.nested(&each.body, &declared);
        self.release(made(&each.before));
        self.depth -= 1;
        self.line("}");
    }

    fn product(&mut self, product: &Product) {
        let sizes = [product.rows, product.inner, product.columns].map(operand);
        let [rows, inner, columns] = &sizes;
        let to = self.part(product.to, &format!("{rows} > 0 && {columns}"));
        let left = self.strided(product.left, &format!("{rows} > 0 && {inner}"));
        let right = self.strided(product.right, &format!("{inner} > 0 && {columns}"));
        self.line(format!("riesz_product({to}, {left}, {right}, {}, {});", sizes.join(", "), product.exact));
    }

    fn matrix(&mut self, matrix: &Matrix) {
        let n = operand(matrix.n);
        let (b, columns) = match matrix.b {
            Some((element, columns)) => (self.part(element, &operand(columns)), operand(columns)),
            None => ("NULL".into(), "0".into()),
        };
        if matrix.function.is_sparse() {
            let [rows, entries] = matrix.shape.map(operand);
            let (to, a) =
                (self.part(matrix.to, &operand(matrix.count)), self.part(matrix.a, &format!("{rows} * {entries}")));
            let exact = matrix.function != MatrixFunction::SparseSolve;
            let transposed = matrix.function == MatrixFunction::ExactSparseSolveTransposed;
            return self
                .guard(&format!("riesz_sparse_solve(run, {to}, {a}, {entries}, {n}, {b}, {transposed}, {exact})"));
        }
        let (name, right) = match matrix.function {
            MatrixFunction::Cholesky => ("riesz_cholesky(", String::new()),
            MatrixFunction::CholeskyTangent => ("riesz_cholesky_tangent(", format!(", {b}")),
            MatrixFunction::CholeskyCotangent => ("riesz_cholesky_cotangent(run, ", format!(", {b}")),
            MatrixFunction::Solve | MatrixFunction::Inverse => ("riesz_solve(run, ", format!(", {b}, {columns}")),
            MatrixFunction::ExactSolve => ("riesz_exact_solve(run, ", format!(", {b}, {columns}")),
            MatrixFunction::Determinant => ("riesz_determinant(run, ", ", false".into()),
            MatrixFunction::LogDeterminant => ("riesz_determinant(run, ", ", true".into()),
            MatrixFunction::Cofactor => ("riesz_cofactor(run, ", format!(", {b}, {columns}")),
            MatrixFunction::SparseSolve
            | MatrixFunction::ExactSparseSolve
            | MatrixFunction::ExactSparseSolveTransposed => unreachable!("they have calls of their own"),
        };
        let (to, a) = (self.part(matrix.to, &operand(matrix.count)), self.part(matrix.a, &n));
        self.guard(&format!("{name}{to}, {a}, {n}{right})"));
    }

    fn call(&mut self, call: &Call) {
        let mut passed = vec!["run".to_string()];
        passed.extend(call.arguments.iter().map(|argument| match *argument {
            Argument::Number(number) => operand(number),
            Argument::Elements(element, count) => self.part(element, &operand(count)),
            Argument::Whole(buffer) => format!("&{}", self.buffer(buffer)),
        }));
        for target in &call.results {
            let (kind, name) = match *target {
                Target::Register(number) => (self.number(number).into(), Foreign::Register(number)),
                Target::Buffer(buffer) => (format!("{} *", self.kind(buffer)), Foreign::Buffer(buffer)),
            };
            self.line(format!("{kind} {name} = 0;"));
            passed.push(format!("&{name}"));
        }
        let called = format!("loop_{}({})", Foreign::Function(call.procedure), passed.join(", "));
        self.guard(&format!("riesz_enter(run, {}) || {called}", site(call.site)));
        self.line("run->depth++;");
    }
}

/// The type of numbers in C.
pub(crate) fn c(kind: Kind) -> &'static str {
    match kind {
        Kind::Real => "double",
        Kind::Int => "int64_t",
        Kind::Bool => "bool",
    }
}

/// The type of the elements of a buffer in C.
pub(crate) fn element_of(procedure: &Procedure, buffer: Buffer) -> &'static str {
    c(procedure.buffers[buffer.0 as usize].kind)
}

/// An operand: a name, a number, or a number in brackets.
pub(crate) fn operand(operand: Operand) -> String {
    match operand {
        Operand::Register(register) => Foreign::Register(register).to_string(),
        Operand::Real(value) if value.is_nan() => "NAN".into(),
        Operand::Real(f64::INFINITY) => "INFINITY".into(),
        Operand::Real(f64::NEG_INFINITY) => "(-INFINITY)".into(),
        Operand::Real(value) if value.is_sign_negative() => format!("({value:?})"),
        Operand::Real(value) => format!("{value:?}"),
        Operand::Int(i64::MIN) => "INT64_MIN".into(),
        Operand::Int(value @ 0..=9999) => value.to_string(),
        Operand::Int(value @ 0..) => format!("INT64_C({value})"),
        Operand::Int(value) => format!("(-INT64_C({}))", value.unsigned_abs()),
        Operand::Bool(value) => value.to_string(),
    }
}

/// A site, behind those of what can be wrong anywhere.
pub(crate) fn site(site: SiteId) -> String {
    format!("RIESZ_SITES + {}", site.0)
}
