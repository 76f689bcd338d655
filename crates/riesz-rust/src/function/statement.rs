//! Statements, one after the other.

use super::block::zero;
use super::{Writer, tuple};
use riesz_primitive::array::LinearIn;
use riesz_program::foreign::Foreign;
use riesz_program::program::{
    Allocation, Argument, Block, Call, Combine, For, Matrix, Operand, Parameter, Product, Register, Statement, Target,
    While,
};
use riesz_program::scope::{Counting, FEW, counting, declarations, leaves_nothing};
use rustc_hash::FxHashSet;

impl Writer<'_> {
    pub fn allocate(&mut self, allocation: &Allocation) {
        let (name, kind) = (self.buffer(allocation.buffer), self.rust(self.kind_of(allocation.buffer)));
        let (count, site) = (self.operand(allocation.count), allocation.site.0);
        if !self.is_local(allocation.buffer) {
            self.line(format!("let mut {name} = context.buffer::<{kind}>({count}, {site})?;"));
            return;
        }
        let room = format!("let mut {name}_room = Room::<{kind}>::new();");
        let line = format!("let {name} = context.local(&mut {name}_room, {count}, {site})?;");
        self.line(room);
        self.line(line);
    }

    pub(super) fn statement(&mut self, statement: &Statement, declared: &mut FxHashSet<Register>, outermost: bool) {
        match statement {
            Statement::Let(register, expression) => {
                let expression = self.bound_to(*register, expression);
                self.line(format!("let {} = {expression};", self.register(*register)));
            }
            Statement::Set(register, value) => {
                self.line(format!("{} = {};", self.register(*register), self.operand(*value)));
            }
            Statement::Reduce(register, combine, value) => self.reduce(*register, *combine, *value),
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
            Statement::For(each) => match self.schedule(each) {
                (Some(lanes), chunks) => crate::lanes::write(self, each, lanes, chunks, declared),
                (None, Some(chunks)) => crate::chunk::one_by_one(self, each, chunks, declared),
                (None, None) => self.one_by_one(each, declared, outermost),
            },
            Statement::While(each) => self.repeat(each, declared),
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
            Statement::Product(product) => self.product(product),
            Statement::Matrix(matrix) => self.matrix(matrix),
        }
    }

    /// A loop, one iteration after the other.
    fn one_by_one(&mut self, each: &For, declared: &mut FxHashSet<Register>, outermost: bool) {
        for allocation in &each.private {
            self.allocate(allocation);
        }
        let count = self.operand(each.count);
        self.count(each, counting(each, outermost), &count);
        self.line(format!("for {} in 0..{} {{", self.register(each.index), self.bound(each.count)));
        self.iteration(&each.body, declared);
        self.line("}".into());
    }

    /// Counts iterations of a loop as steps.
    pub fn count(&mut self, each: &For, counting: Counting, count: &str) {
        let site = each.site.0;
        match counting {
            Counting::All => self.line(format!("context.step({count}, {site})?;")),
            Counting::IfMany => {
                self.line(format!("if {count} > {FEW} {{"));
                self.line(format!("    context.step({count}, {site})?;"));
                self.line("}".into());
            }
            Counting::None => {}
        }
    }

    /// Combines a number with a register.
    pub fn reduce(&mut self, register: Register, combine: Combine, value: Operand) {
        let (name, value) = (self.register(register), self.operand(value));
        self.line(match combine {
            Combine::Sum => format!("{name} += {value};"),
            Combine::Product => format!("{name} *= {value};"),
            Combine::Max => format!("{name} = max({name}, {value});"),
            Combine::Min => format!("{name} = min({name}, {value});"),
            Combine::Least => format!("{name} = i64::min({name}, {value});"),
            Combine::All => format!("{name} &= {value};"),
            Combine::Any => format!("{name} |= {value};"),
        });
    }

    /// A loop with its condition.
    fn repeat(&mut self, each: &While, declared: &mut FxHashSet<Register>) {
        for allocation in &each.private {
            self.allocate(allocation);
        }
        self.line("loop {".into());
        self.depth += 1;
        // The condition is a register of the block before it, and seen behind it.
        let mine = declarations(self.procedure, &each.before, declared);
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
        self.depth -= 1;
        self.iteration(&each.body, declared);
        self.depth += 1;
        for (_, register) in &mine {
            declared.remove(register);
        }
        self.depth -= 1;
        self.line("}".into());
    }

    /// An iteration of a loop. The memory of the buffers that it makes is given back after it.
    fn iteration(&mut self, body: &Block, declared: &mut FxHashSet<Register>) {
        let makes = leaves_nothing(body);
        self.depth += 1;
        if makes {
            self.line("let memory_before = context.memory;".into());
        }
        self.block(body, declared, false);
        if makes {
            self.line("context.memory = memory_before;".into());
        }
        self.depth -= 1;
    }

    pub fn nested(&mut self, block: &Block, declared: &mut FxHashSet<Register>) {
        self.depth += 1;
        self.block(block, declared, false);
        self.depth -= 1;
    }

    /// A call of the kernel of a product.
    fn product(&mut self, product: &Product) {
        let name = if product.exact { "exact_product" } else { "product" };
        let count = format!("{} * {}", self.operand(product.rows), self.operand(product.columns));
        let to = format!("part_mut({}, {}, {count})", self.buffer_mut(product.to.buffer), self.operand(product.to.at));
        let (left, right) = (self.strided(product.left), self.strided(product.right));
        let sizes = self.list(&[product.rows, product.inner, product.columns]);
        self.line(format!("{name}({to}, {left}, {right}, ({sizes}));"));
    }

    /// A call of a function of linear algebra.
    fn matrix(&mut self, matrix: &Matrix) {
        let row = matrix.function.row();
        let name = row.rust;
        let to = self.part_mut(matrix.to, matrix.count);
        let n = self.operand(matrix.n);
        let [rows, columns] = matrix.shape.map(|size| self.operand(size));
        let a =
            format!("part({}, {}, {rows} * {columns})", self.buffer_ref(matrix.a.buffer), self.operand(matrix.a.at));
        let right = match matrix.b {
            Some((element, columns)) => {
                let columns = self.operand(columns);
                let (name, at) = (self.buffer_ref(element.buffer), self.operand(element.at));
                format!(", part({name}, {at}, {n} * {columns}), {columns}")
            }
            // No directions.
            None if matches!(row.linear, LinearIn::Directions) => ", &[], 0".to_string(),
            None => String::new(),
        };
        self.line(format!("{name}(context, {}, {to}, {a}, {n}{right})?;", matrix.site.0));
    }

    fn call(&mut self, call: &Call) {
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
        let name = Foreign::Function(call.procedure);
        let arguments = std::iter::once("context".to_string()).chain(arguments).collect::<Vec<_>>().join(", ");
        self.line(format!("let {} = {name}({arguments}).map_err(|fault| fault.called({site}))?;", tuple(&results)));
        self.line("context.leave();".into());
    }
}
