//! Linear maps are moved out of sums and out of their terms.
//!
//! ```text
//! Σᵢ (A ∘ mᵢ) = A ∘ Σᵢ mᵢ        Σᵢ (mᵢ ∘ A) = (Σᵢ mᵢ) ∘ A                        [003 Thm 6.5]
//!
//! for i < n: for c < k: ...; b[c] += a[c] · y
//!   is
//! for i < n: for c < k: ...; s[c] += y                  for c < k: b[c] += a[c] · s[c]
//! ```
//!
//! Consider a value that an iteration computes only to add it up. If it is linear in numbers of the iteration with
//! loop-invariant coefficients, these numbers are added up instead, and the linear map is applied once to their sums.
//! This is done if it reduces the work of an iteration. Only the order of rounding changes.

use super::expand;
use crate::iterations::{Iterations, Names, Path};
use crate::program::{
    Allocation, Block, Buffer, Combine, Element, Expression, For, Kind, Operand, Procedure, Register, Statement,
};
use crate::visit::Use;
use riesz_core::Comparison;
use riesz_primitive::{Derivative, Work, scalar};
use rustc_hash::{FxHashMap, FxHashSet};

/// Pulls linear maps out of the outermost loops of a procedure whose iterations are independent.
pub fn pull(procedure: &mut Procedure) {
    let body = std::mem::take(&mut procedure.body);
    procedure.body = pull_block(procedure, body);
}

fn pull_block(procedure: &mut Procedure, block: Block) -> Block {
    let mut written = Vec::with_capacity(block.len());
    for mut statement in block {
        match &mut statement {
            Statement::For(each) if each.parallel => {
                let after = pull_loop(procedure, each, &mut written);
                written.push(statement);
                written.extend(after);
                continue;
            }
            other => {
                for inner in other.blocks_mut() {
                    *inner = pull_block(procedure, std::mem::take(inner));
                }
            }
        }
        written.push(statement);
    }
    written
}

fn pull_loop(procedure: &mut Procedure, each: &mut For, before: &mut Block) -> Block {
    expand::expand(procedure, each, &is_put_off);
    let iterations = Iterations::of(procedure, each, &FxHashSet::default());
    let linear = Linear::of(procedure, &iterations);
    let Some(plan) = linear.plan() else { return Block::new() };
    let mut moving = Moving { procedure, plan: &plan, iterations: &iterations, sums: FxHashMap::default() };
    moving.make_sums(before);
    let body = moving.rest(&each.body);
    let after = moving.put_off(each);
    let private =
        each.private.iter().filter(|allocation| !plan.buffers.contains(&allocation.buffer)).copied().collect();
    (each.body, each.private) = (body, private);
    after
}

/// Whether a number that iterations add to something is put off, if the loop is taken as it is.
fn is_put_off(procedure: &Procedure, each: &For, number: Register) -> bool {
    let iterations = Iterations::of(procedure, each, &FxHashSet::default());
    let Some(plan) = Linear::of(procedure, &iterations).plan() else { return false };
    iterations.uses.get(&number).into_iter().flatten().any(|statement| {
        matches!(statement, Statement::Add(..)) && plan.statements.contains(&std::ptr::from_ref(*statement))
    })
}

// ---- what can be put off ----

/// The values that are linear in numbers of an iteration, and only added up.
struct Linear<'t, 'b> {
    procedure: &'t Procedure,
    iterations: &'t Iterations<'b>,
    registers: FxHashSet<Register>,
    buffers: FxHashSet<Buffer>,
}

impl<'t, 'b> Linear<'t, 'b> {
    /// The greatest such set: what is not linear is left out until nothing changes.
    fn of(procedure: &'t Procedure, iterations: &'t Iterations<'b>) -> Linear<'t, 'b> {
        let mut linear =
            Linear { procedure, iterations, registers: FxHashSet::default(), buffers: FxHashSet::default() };
        linear.registers = iterations.bound.keys().copied().filter(|register| linear.is_number(*register)).collect();
        let real = |buffer: &Buffer| procedure.buffers[buffer.0 as usize].kind == Kind::Real;
        linear.buffers = iterations.made.iter().copied().filter(real).collect();
        loop {
            let before = linear.registers.len() + linear.buffers.len();
            let registers = linear.registers.iter().copied().filter(|register| linear.goes(*register)).collect();
            linear.registers = registers;
            let buffers = linear.buffers.iter().copied().filter(|buffer| linear.goes_whole(*buffer)).collect();
            linear.buffers = buffers;
            if linear.registers.len() + linear.buffers.len() == before {
                return linear;
            }
        }
    }

    /// Whether a register is a real number that changes from iteration to iteration and is bound in each.
    fn is_number(&self, register: Register) -> bool {
        let info = &self.procedure.registers[register.0 as usize];
        info.kind == Kind::Real
            && !info.mutable
            && self.iterations.bound.contains_key(&register)
            && !self.iterations.fixed.contains_key(&register)
    }

    /// The numbers that an expression is linear in; none where it is not linear.
    fn terms(&self, expression: &Expression) -> Option<Vec<Register>> {
        let number = |operand: &Operand| match operand {
            Operand::Register(register) if self.is_number(*register) => Some(*register),
            _ => None,
        };
        match expression {
            Expression::Copy(a) => Some(vec![number(a)?]),
            Expression::Real(primitive, operands) => match (primitive.derivative()?, &operands[..]) {
                (Derivative::Linear, operands) => operands.iter().map(number).collect(),
                (Derivative::Multilinear, [a, b]) if self.iterations.is_fixed(*a) => Some(vec![number(b)?]),
                (Derivative::Multilinear, [a, b]) if self.iterations.is_fixed(*b) => Some(vec![number(a)?]),
                (_, [a, b]) if *primitive == &scalar::DIV && self.iterations.is_fixed(*b) => Some(vec![number(a)?]),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether all that is done with a linear number can be put off.
    fn goes(&self, register: Register) -> bool {
        let Some((_, expression)) = self.iterations.bound.get(&register) else { return false };
        let linear = match expression {
            Expression::Load(element) => self.buffers.contains(&element.buffer) && self.iterations.is_fixed(element.at),
            expression => self.terms(expression).is_some(),
        };
        let uses = self.iterations.uses.get(&register).map_or(&[][..], |uses| uses);
        linear && !uses.is_empty() && uses.iter().all(|statement| self.takes(statement, register))
    }

    /// Whether what a statement does with a number can be put off: it is done in every iteration.
    fn takes(&self, statement: &Statement, register: Register) -> bool {
        self.iterations.is_always(statement)
            && match statement {
                Statement::Let(bound, _) => self.registers.contains(bound),
                Statement::Add(element, _) => {
                    self.iterations.is_fixed(element.at)
                        && (self.buffers.contains(&element.buffer) || self.is_total(element.buffer))
                }
                Statement::Reduce(total, Combine::Sum, _) => *total != register && self.iterations.is_total(*total),
                _ => false,
            }
    }

    /// Whether iterations only add to a buffer from outside.
    fn is_total(&self, buffer: Buffer) -> bool {
        !self.iterations.made.contains(&buffer) && !self.iterations.is_read(buffer)
    }

    /// Whether a buffer of the iterations is only cleared, added to and read by what can be put off.
    fn goes_whole(&self, buffer: Buffer) -> bool {
        let touches = self.iterations.touches.get(&buffer).map_or(&[][..], |touches| touches);
        touches.iter().all(|(statement, _)| match statement {
            Statement::Fill(element, count, value) => {
                matches!(value, Operand::Real(0.0))
                    && self.iterations.is_fixed(element.at)
                    && self.iterations.is_fixed(*count)
            }
            Statement::Add(element, Operand::Register(value)) => {
                self.iterations.is_fixed(element.at) && self.is_number(*value)
            }
            Statement::Let(register, Expression::Load(element)) => {
                self.iterations.is_fixed(element.at) && self.registers.contains(register)
            }
            Statement::Allocate(allocation) => self.iterations.is_fixed(allocation.count),
            Statement::For(each) => each
                .private
                .iter()
                .all(|allocation| allocation.buffer != buffer || self.iterations.is_fixed(allocation.count)),
            _ => false,
        }) && touches.iter().all(|(statement, how)| *how == Use::Make || self.iterations.is_always(statement))
    }

    // ---- what is worth it ----

    /// The statements to postpone: the choice that leaves the least work in an iteration. `None` if no choice helps.
    fn plan(&self) -> Option<Plan> {
        let mut groups = Groups::default();
        // Statements that can be put off, with one node of the group that each belongs to.
        let mut statements: Vec<(Node, &Statement, f64)> = Vec::new();
        for (path, statement) in &self.iterations.always {
            let times = Iterations::times(path);
            match statement {
                Statement::Let(register, expression) if self.registers.contains(register) => {
                    let node = Node::Register(*register);
                    if let Expression::Load(element) = expression {
                        groups.join(node, Node::Buffer(element.buffer));
                    }
                    for term in self.terms(expression).unwrap_or_default() {
                        groups.join(node, Node::Register(term));
                    }
                    statements.push((node, statement, cost(expression) * times));
                }
                Statement::Fill(element, ..) if self.buffers.contains(&element.buffer) => {
                    statements.push((Node::Buffer(element.buffer), statement, times));
                }
                Statement::Add(element, Operand::Register(value)) if self.is_number(*value) => {
                    let node = Node::Register(*value);
                    if self.buffers.contains(&element.buffer) {
                        groups.join(node, Node::Buffer(element.buffer));
                    } else if !self.takes(statement, *value) {
                        continue;
                    }
                    statements.push((node, statement, ADDITION * times));
                }
                Statement::Reduce(_, Combine::Sum, Operand::Register(value))
                    if self.is_number(*value) && self.takes(statement, *value) =>
                {
                    statements.push((Node::Register(*value), statement, times));
                }
                _ => {}
            }
        }
        let mut gains: FxHashMap<Node, f64> = FxHashMap::default();
        let mut summed: Vec<(Node, Register)> = Vec::new();
        for (node, _, cost) in &statements {
            *gains.entry(groups.of(*node)).or_default() += cost;
        }
        let nodes: FxHashSet<Node> =
            statements.iter().map(|(node, ..)| *node).chain(groups.parents.keys().copied()).collect();
        for node in nodes {
            if let Node::Register(register) = node
                && !self.registers.contains(&register)
            {
                let (path, _) = &self.iterations.bound[&register];
                // A sum of one number stays in a register.
                let addition = if path.is_empty() { 1.0 } else { ADDITION };
                *gains.entry(groups.of(node)).or_default() -= addition * Iterations::times(path);
                summed.push((groups.of(node), register));
            }
        }
        let worth = |group: &Node| gains.get(group).is_some_and(|gain| *gain > 0.0);
        let mut plan = Plan::default();
        for (node, statement, _) in statements {
            if worth(&groups.of(node)) {
                plan.statements.insert(std::ptr::from_ref(statement));
            }
        }
        plan.buffers.extend(self.buffers.iter().filter(|buffer| worth(&groups.of(Node::Buffer(**buffer)))));
        plan.summed.extend(summed.into_iter().filter(|(group, _)| worth(group)).map(|(_, register)| register));
        plan.summed.sort_unstable();
        (!plan.statements.is_empty()).then_some(plan)
    }
}

/// The cost of adding to an element, which is read and written.
const ADDITION: f64 = 2.0;

/// The cost of an operation. A sign is a part of the next operation.
fn cost(expression: &Expression) -> f64 {
    match expression {
        Expression::Copy(_) => 0.0,
        Expression::Real(primitive, _) if primitive.scalar().is_some_and(|row| row.work == Work::Sign) => 0.0,
        _ => 1.0,
    }
}

/// The postponed statements.
#[derive(Default)]
struct Plan {
    statements: FxHashSet<*const Statement>,
    /// The buffers that only those statements use.
    buffers: FxHashSet<Buffer>,
    /// The numbers that are added up in their place.
    summed: Vec<Register>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Register(Register),
    Buffer(Buffer),
}

/// The statements that can only be postponed together.
#[derive(Default)]
struct Groups {
    parents: FxHashMap<Node, Node>,
}

impl Groups {
    fn of(&self, mut node: Node) -> Node {
        while let Some(parent) = self.parents.get(&node).filter(|parent| **parent != node) {
            node = *parent;
        }
        node
    }

    fn join(&mut self, a: Node, b: Node) {
        for node in [a, b] {
            self.parents.entry(node).or_insert(node);
        }
        let (a, b) = (self.of(a), self.of(b));
        self.parents.insert(a, b);
    }
}

// ---- how it is put off ----

/// Where the sum of a number is.
#[derive(Clone, Copy)]
enum Total {
    Register(Register),
    Table(Buffer),
}

struct Moving<'m, 'b> {
    procedure: &'m mut Procedure,
    plan: &'m Plan,
    iterations: &'m Iterations<'b>,
    sums: FxHashMap<Register, (Total, Path)>,
}

impl Moving<'_, '_> {
    /// Makes room for the sums, before the loop.
    fn make_sums(&mut self, before: &mut Block) {
        for register in &self.plan.summed {
            let path = self.iterations.bound[register].0.clone();
            let total = match path.first() {
                None => {
                    let total = self.procedure.register(Kind::Real, true);
                    before.push(Statement::Set(total, Operand::Real(0.0)));
                    Total::Register(total)
                }
                Some(step) => {
                    let table = self.procedure.buffer("sums", Kind::Real);
                    let count = self.procedure.table_size(&path, before);
                    before.push(Statement::Allocate(Allocation { buffer: table, count, site: step.site }));
                    let first = Element { buffer: table, at: Operand::Int(0) };
                    before.push(Statement::Fill(first, count, Operand::Real(0.0)));
                    Total::Table(table)
                }
            };
            self.sums.insert(*register, (total, path));
        }
    }

    /// The statements that remain in an iteration.
    fn rest(&mut self, block: &Block) -> Block {
        let mut rest = Vec::with_capacity(block.len());
        for statement in block {
            if self.plan.statements.contains(&std::ptr::from_ref(statement)) {
                continue;
            }
            let mut left = match statement {
                Statement::For(each) => {
                    let body = self.rest(&each.body);
                    let private = (each.private.iter().copied())
                        .filter(|allocation| !self.plan.buffers.contains(&allocation.buffer))
                        .collect();
                    Statement::For(For { body, private, ..empty(each) })
                }
                Statement::Allocate(allocation) if self.plan.buffers.contains(&allocation.buffer) => continue,
                other => other.clone(),
            };
            // What does not run in every iteration has nothing in it that is put off.
            if let Statement::For(each) = &mut left
                && each.body.is_empty()
            {
                continue;
            }
            rest.push(left);
            if let Statement::Let(register, _) = statement
                && let Some((total, path)) = self.sums.get(register).cloned()
            {
                let value = Operand::Register(*register);
                match total {
                    Total::Register(total) => rest.push(Statement::Reduce(total, Combine::Sum, value)),
                    Total::Table(buffer) => {
                        let at = self.procedure.table_place(&path, &Names::default(), &mut rest);
                        rest.push(Statement::Add(Element { buffer, at }, value));
                    }
                }
            }
        }
        rest
    }

    /// The statements to execute after all iterations, if there were any.
    fn put_off(&mut self, each: &For) -> Block {
        let mut done = Block::new();
        for allocation in each.private.iter().filter(|allocation| self.plan.buffers.contains(&allocation.buffer)) {
            done.push(Statement::Allocate(*allocation));
        }
        self.once(&each.body, &mut Names::default(), &mut done);
        let some = self.procedure.register(Kind::Bool, false);
        let any = Expression::Compare(Comparison::Greater, each.count, Operand::Int(0));
        vec![Statement::Let(some, any), Statement::If(Operand::Register(some), done, Block::new())]
    }

    /// Writes the statements of a block that are put off, with what they need. Whether there are any.
    fn once(&mut self, block: &Block, names: &mut Names, done: &mut Block) -> bool {
        let mut some = false;
        for statement in block {
            let moved = self.plan.statements.contains(&std::ptr::from_ref(statement));
            some |= moved;
            match statement {
                Statement::Let(register, _) if self.sums.contains_key(register) => {
                    let (total, path) = self.sums[register].clone();
                    let sum = match total {
                        Total::Register(total) => Expression::Copy(Operand::Register(total)),
                        Total::Table(buffer) => {
                            let at = self.procedure.table_place(&path, names, done);
                            Expression::Load(Element { buffer, at })
                        }
                    };
                    done.push(Statement::Let(names.fresh(*register, self.procedure), sum));
                }
                Statement::Let(register, expression) if moved || self.iterations.fixed.contains_key(register) => {
                    let expression = names.expression(expression);
                    done.push(Statement::Let(names.fresh(*register, self.procedure), expression));
                }
                Statement::Fill(to, count, value) if moved => {
                    done.push(Statement::Fill(names.element(*to), names.of(*count), names.of(*value)));
                }
                Statement::Add(to, value) if moved => {
                    done.push(Statement::Add(names.element(*to), names.of(*value)));
                }
                Statement::Reduce(total, combine, value) if moved => {
                    done.push(Statement::Reduce(*total, *combine, names.of(*value)));
                }
                Statement::Allocate(allocation) if self.plan.buffers.contains(&allocation.buffer) => {
                    done.push(Statement::Allocate(Allocation { count: names.of(allocation.count), ..*allocation }));
                }
                Statement::For(each) => {
                    let mut again = names.again(each, self.procedure);
                    // Iterations may share the buffers that are put off.
                    again.parallel &= self.plan.buffers.is_empty();
                    let mut body = Block::new();
                    if self.once(&each.body, names, &mut body) {
                        again.body = body;
                        again.private = (each.private.iter())
                            .filter(|allocation| self.plan.buffers.contains(&allocation.buffer))
                            .map(|allocation| Allocation { count: names.of(allocation.count), ..*allocation })
                            .collect();
                        done.push(Statement::For(again));
                        some = true;
                    }
                }
                _ => {}
            }
        }
        some
    }
}

/// A loop without its body.
fn empty(each: &For) -> For {
    For::new(each.index, each.count, each.parallel, Vec::new(), each.site)
}
