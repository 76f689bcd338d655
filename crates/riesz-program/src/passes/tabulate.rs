//! Expensive loop-invariant values are computed once, for all iterations of the inner loops.
//!
//! ```text
//! for each p < n: for c < k: ... exp(q[c]) ...
//!   is
//! table = [exp(q[c]) | c < k];  for each p < n: for c < k: ... table[c] ...
//! ```

use crate::program::{
    Allocation, Block, Buffer, BufferInfo, Element, Expression, For, Kind, Operand, Procedure, Register, RegisterInfo,
    SiteId, Statement,
};
use crate::program::{Arithmetic, Expression::Position};
use crate::visit::{Use, each_statement};
use riesz_core::Comparison;
use rustc_hash::{FxHashMap, FxHashSet};

/// Tabulates what can be, in the outermost loops of a procedure whose iterations are independent.
pub fn tabulate(procedure: &mut Procedure) {
    let body = std::mem::take(&mut procedure.body);
    let mut written = Vec::with_capacity(body.len());
    for mut statement in body {
        if let Statement::For(each) = &mut statement
            && each.parallel
        {
            let mut tables = Tables::of(procedure, each);
            tables.find(&each.body, &mut Vec::new());
            for root in std::mem::take(&mut tables.roots) {
                tables.write(root, each, &mut written);
            }
        }
        written.push(statement);
    }
    procedure.body = written;
}

/// A value to tabulate: the register, and the loops around it.
struct Root {
    register: Register,
    path: Vec<Step>,
}

/// A loop inside: its index, how many iterations it takes, and the most that they can be.
#[derive(Clone, Copy)]
struct Step {
    index: Register,
    count: Operand,
    most: Operand,
    site: SiteId,
}

struct Tables<'p> {
    procedure: &'p mut Procedure,
    /// The registers that iterations of the outer loop change.
    changing: FxHashSet<Register>,
    /// The buffers that iterations write.
    written: FxHashSet<Buffer>,
    /// Registers that checks speak of: what is read at them is not known to be in bounds without.
    checked: FxHashSet<Register>,
    /// The registers that do not change between iterations of the outer loop.
    fixed: FxHashMap<Register, Expression>,
    roots: Vec<Root>,
}

impl<'p> Tables<'p> {
    fn of(procedure: &'p mut Procedure, each: &For) -> Tables<'p> {
        let mut changing: FxHashSet<Register> = [each.index].into_iter().collect();
        let (mut written, mut checked) = (FxHashSet::default(), FxHashSet::default());
        written.extend(each.private.iter().map(|allocation| allocation.buffer));
        each_statement(&each.body, &mut |statement| {
            statement.defines(&mut |register| {
                changing.insert(register);
            });
            statement.buffers(&mut |buffer, how| {
                if how != Use::Read {
                    written.insert(buffer);
                }
            });
            if let Statement::Check(_, _, operands) = statement {
                checked.extend(operands.iter().filter_map(|operand| match operand {
                    Operand::Register(register) => Some(*register),
                    _ => None,
                }));
            }
        });
        Tables { procedure, changing, written, checked, fixed: FxHashMap::default(), roots: Vec::new() }
    }

    fn mutable(&self, register: Register) -> bool {
        self.procedure.registers[register.0 as usize].mutable
    }

    /// Whether an operand is the same in every iteration of the outer loop.
    fn is_fixed(&self, operand: Operand, path: &[Step]) -> bool {
        match operand {
            Operand::Register(register) => {
                !self.mutable(register)
                    && (!self.changing.contains(&register)
                        || self.fixed.contains_key(&register)
                        || path.iter().any(|step| step.index == register))
            }
            _ => true,
        }
    }

    /// Looks for roots in a block that runs in every iteration.
    fn find(&mut self, block: &Block, path: &mut Vec<Step>) {
        for statement in block {
            match statement {
                Statement::Let(register, expression) => {
                    let mut fixed = !matches!(expression, Expression::Truncate(..));
                    expression.operands(&mut |operand| fixed &= self.is_fixed(operand, path));
                    if let Expression::Load(element) = expression {
                        fixed &= !self.written.contains(&element.buffer) && !self.leans_on_check(element.at);
                    }
                    if !fixed {
                        continue;
                    }
                    self.fixed.insert(*register, expression.clone());
                    if !path.is_empty() && self.is_costly(expression) {
                        self.roots.push(Root { register: *register, path: path.clone() });
                    }
                }
                Statement::For(each) => {
                    let most = match path.iter().find(|step| each.count == Operand::Register(step.index)) {
                        Some(around) => around.most,
                        None => each.count,
                    };
                    let known = !matches!(most, Operand::Register(register) if self.changing.contains(&register));
                    if known && self.is_fixed(each.count, path) {
                        path.push(Step { index: each.index, count: each.count, most, site: each.site });
                        self.find(&each.body, path);
                        path.pop();
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether a position depends on an index that is checked before it is used.
    fn leans_on_check(&self, operand: Operand) -> bool {
        let Operand::Register(register) = operand else { return false };
        if self.checked.contains(&register) {
            return true;
        }
        let mut leans = false;
        if let Some(expression) = self.fixed.get(&register) {
            expression.operands(&mut |operand| leans |= self.leans_on_check(operand));
        }
        leans
    }

    fn is_costly(&self, expression: &Expression) -> bool {
        match expression {
            Expression::Real(primitive, _) => !matches!(
                primitive.name,
                "+" | "-" | "*" | "/" | "unary -" | "min" | "max" | "abs" | "exact *" | "sqrt"
            ),
            // The last of a chain of integers that are checked for overflow.
            Expression::Int(_, operands, _) => operands.iter().any(|operand| match operand {
                Operand::Register(register) => matches!(self.fixed.get(register), Some(Expression::Int(..))),
                _ => false,
            }),
            _ => false,
        }
    }

    /// Writes the table of a root before the loop, and reads it where the root was.
    fn write(&mut self, root: Root, each: &mut For, before: &mut Block) {
        // Only the last of a chain is worth a table.
        let Some(expression) = self.fixed.get(&root.register).cloned() else { return };
        if matches!(expression, Expression::Int(..)) && self.feeds_integers(root.register) {
            return;
        }
        let kind = self.procedure.registers[root.register.0 as usize].kind;
        let Some(first) = root.path.first() else { return };
        self.procedure.buffers.push(BufferInfo { name: Some("table".into()), kind });
        let table = Buffer(self.procedure.buffers.len() as u32 - 1);
        let mut size = first.most;
        for step in &root.path[1..] {
            size = self.position(Arithmetic::Mul, size, step.most, before);
        }
        before.push(Statement::Allocate(Allocation { buffer: table, count: size, site: first.site }));
        // The same loops with indices of their own.
        let mut renamed = FxHashMap::default();
        for step in &root.path {
            let fresh = self.fresh(Kind::Int);
            renamed.insert(step.index, fresh);
        }
        let mut body = Vec::new();
        let value = self.clone_into(root.register, &mut renamed, &mut body);
        let path: Vec<Step> = root
            .path
            .iter()
            .map(|step| Step { index: renamed[&step.index], count: rename(step.count, &renamed), ..*step })
            .collect();
        let at = self.place(&path, &mut body);
        body.push(Statement::Store(Element { buffer: table, at }, value));
        for step in path.iter().rev() {
            let (index, count, site) = (step.index, step.count, step.site);
            body = vec![Statement::For(For::new(index, count, true, body, site))];
        }
        // A value without a use does not fail.
        let some = self.fresh(Kind::Bool);
        let needed = Expression::Compare(Comparison::Greater, each.count, Operand::Int(0));
        before.push(Statement::Let(some, needed));
        before.push(Statement::If(Operand::Register(some), body, Vec::new()));
        let mut read = Vec::new();
        let at = self.place(&root.path, &mut read);
        read.push(Statement::Let(root.register, Expression::Load(Element { buffer: table, at })));
        replace(&mut each.body, root.register, &mut Some(read));
    }

    /// Whether an integer is only a step on the way to others that are tabulated.
    fn feeds_integers(&self, register: Register) -> bool {
        let mut feeds = false;
        for expression in self.fixed.values() {
            if let Expression::Int(_, operands, _) = expression {
                feeds |= operands.contains(&Operand::Register(register));
            }
        }
        feeds
    }

    /// Computes a fixed register anew, from what it is made of.
    fn clone_into(
        &mut self,
        register: Register,
        renamed: &mut FxHashMap<Register, Register>,
        block: &mut Block,
    ) -> Operand {
        if let Some(known) = renamed.get(&register) {
            return Operand::Register(*known);
        }
        let Some(mut expression) = self.fixed.get(&register).cloned() else { return Operand::Register(register) };
        let mut operands = Vec::new();
        expression.operands(&mut |operand| operands.push(operand));
        for operand in operands {
            if let Operand::Register(inner) = operand {
                self.clone_into(inner, renamed, block);
            }
        }
        expression.operands_mut(&mut |operand| *operand = rename(*operand, renamed));
        let fresh = self.fresh(self.procedure.registers[register.0 as usize].kind);
        block.push(Statement::Let(fresh, expression));
        renamed.insert(register, fresh);
        Operand::Register(fresh)
    }

    /// The position of an element of a table, by the indices of loops.
    fn place(&mut self, path: &[Step], block: &mut Block) -> Operand {
        let mut at = Operand::Register(path[0].index);
        for step in &path[1..] {
            let row = self.position(Arithmetic::Mul, at, step.most, block);
            at = self.position(Arithmetic::Add, row, Operand::Register(step.index), block);
        }
        at
    }

    fn position(&mut self, arithmetic: Arithmetic, a: Operand, b: Operand, block: &mut Block) -> Operand {
        let register = self.fresh(Kind::Int);
        block.push(Statement::Let(register, Position(arithmetic, a, b)));
        Operand::Register(register)
    }

    fn fresh(&mut self, kind: Kind) -> Register {
        self.procedure.registers.push(RegisterInfo { name: None, kind, mutable: false });
        Register(self.procedure.registers.len() as u32 - 1)
    }
}

fn rename(operand: Operand, renamed: &FxHashMap<Register, Register>) -> Operand {
    match operand {
        Operand::Register(register) => Operand::Register(renamed.get(&register).copied().unwrap_or(register)),
        other => other,
    }
}

/// Puts statements in the place of the one that binds a register.
fn replace(block: &mut Block, register: Register, by: &mut Option<Vec<Statement>>) {
    let found = block.iter().position(|statement| matches!(statement, Statement::Let(bound, _) if *bound == register));
    if let Some(at) = found {
        if let Some(by) = by.take() {
            block.splice(at..=at, by);
        }
        return;
    }
    for statement in block {
        for inner in statement.blocks_mut() {
            if by.is_some() {
                replace(inner, register, by);
            }
        }
    }
}
