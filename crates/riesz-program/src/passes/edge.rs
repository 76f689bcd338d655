//! Boundary iterations are split off, so that the inner iterations need no boundary conditions.
//!
//! ```text
//! for i < n: if 0 < i: s; if i < n − 1: t     is     for i < 1: the iteration 0 as it was
//!                                                    for i < n − 2: s; t   at i + 1
//!                                                    for i < 1: the iteration n − 1 as it was
//! ```
//!
//! A condition on integers is a polynomial that must be at most 0, `± i + c`. If its value changes a few iterations
//! from the beginning or the end of the loop, there is a boundary. A condition on the index of a loop inside too, `± i + j + c`,
//! holds where it holds for all `j`. `mod(i + c, n)` is `i + c`, `i + c − n` or `i + c + n` between boundaries.

use crate::iterations::Names;
use crate::polynomial::{Polynomials, slope, with};
use crate::program::{Arithmetic, Block, Expression, For, Kind, Operand, Procedure, Register, Statement};
use crate::visit::each_statement;
use riesz_core::Comparison;
use riesz_core::size::{self, Size};
use riesz_primitive::scalar;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The most iterations that an edge has.
pub(crate) const WIDEST: i64 = 8;
/// The fewest iterations of a loop with edges, where it says how many it has.
const FEWEST: i64 = 4 * WIDEST;
/// The most statements of a loop that is written twice.
const LONGEST: usize = 300;

/// Divides the parallel loops of a procedure that have edges, and then the parallel loops inside of their inner iterations.
pub fn edge(procedure: &mut Procedure) {
    let mut polynomials = Polynomials::of(procedure);
    let body = std::mem::take(&mut procedure.body);
    procedure.body = divided(procedure, &mut polynomials, body);
}

fn divided(procedure: &mut Procedure, polynomials: &mut Polynomials, block: Block) -> Block {
    let mut made = Vec::with_capacity(block.len());
    for mut statement in block {
        if let Statement::For(each) = &statement
            && each.parallel
            && let Some(edges) = Edges::of(each, polynomials)
        {
            divide(procedure, polynomials, each, edges, &mut made);
            continue;
        }
        for inner in statement.blocks_mut() {
            *inner = divided(procedure, polynomials, std::mem::take(inner));
        }
        made.push(statement);
    }
    made
}

/// Whether a loop will be divided.
pub(crate) fn has_edges(each: &For, polynomials: &Polynomials) -> bool {
    each.parallel && Edges::of(each, polynomials).is_some()
}

/// The polynomials that a condition on integers says to be at most 0.
fn condition(polynomials: &Polynomials, expression: &Expression) -> Option<Vec<Size>> {
    let at_most = |a: Operand, b: Operand, less: i64| {
        let difference = polynomials.arithmetic(Arithmetic::Sub, a, b);
        difference.add(&Size::Constant(less)).unwrap_or(Size::Hole)
    };
    Some(match expression {
        Expression::Compare(Comparison::Less, a, b) => vec![at_most(*a, *b, 1)],
        Expression::Compare(Comparison::LessEqual, a, b) => vec![at_most(*a, *b, 0)],
        Expression::Compare(Comparison::Greater, a, b) => vec![at_most(*b, *a, 1)],
        Expression::Compare(Comparison::GreaterEqual, a, b) => vec![at_most(*b, *a, 0)],
        Expression::Equal(a, b) => vec![at_most(*a, *b, 0), at_most(*b, *a, 0)],
        Expression::Within(a, len) => vec![at_most(Operand::Int(0), *a, 0), at_most(*a, *len, 1)],
        _ => return None,
    })
}

/// The remainder of a division where the quotient is −1, 0 or 1: for each of these, the conditions under which it is, and
/// the remainder.
fn remainders(polynomials: &Polynomials, expression: &Expression) -> Vec<([Size; 2], Size)> {
    let Expression::Int(primitive, operands, _) = expression else { return Vec::new() };
    let [a, n] = operands[..] else { return Vec::new() };
    if !std::ptr::eq(*primitive, &scalar::FLOOR_MOD) {
        return Vec::new();
    }
    let (a, n) = (polynomials.operand(a), polynomials.operand(n));
    let remainder = |quotient: i64| {
        let rest = a.sub(&n.mul(&Size::Constant(quotient))?)?;
        let least = Size::Constant(0).sub(&rest)?;
        let most = rest.sub(&n)?.add(&Size::Constant(1))?;
        Some(([least, most], rest))
    };
    [0, 1, -1].into_iter().filter_map(remainder).collect()
}

/// The loops inside of a loop: their indices and counts.
type Inside = FxHashMap<Register, i64>;

/// The greatest and the least value of a polynomial for all indices of loops inside.
fn bounds(size: &Size, inside: &Inside) -> Option<[Size; 2]> {
    let mut bounds = [size.clone(), size.clone()];
    for factor in size.atoms() {
        let size::Atom::Var(var) = factor else { continue };
        let Some(count) = inside.get(&Register(var.0)) else { continue };
        let (register, last) = (Register(var.0), Size::Constant(count - 1));
        let ends = match slope(size, register)? {
            0.. => [last, Size::Constant(0)],
            _ => [Size::Constant(0), last],
        };
        for (bound, end) in bounds.iter_mut().zip(ends) {
            *bound = with(bound, register, &end);
        }
    }
    Some(bounds)
}

/// The loops inside of a loop that say how many iterations they have.
fn loops_inside(each: &For) -> Inside {
    let mut inside = Inside::default();
    each_statement(&each.body, &mut |statement| {
        if let Statement::For(For { index, count: Operand::Int(count @ 1..), .. }) = statement {
            inside.insert(*index, *count);
        }
    });
    inside
}

/// How many iterations are at the edges of a loop.
#[derive(Clone, Copy, Default)]
struct Edges {
    first: i64,
    last: i64,
}

impl Edges {
    /// The edges that the conditions of a loop make, if it can be divided.
    fn of(each: &For, polynomials: &Polynomials) -> Option<Edges> {
        let count = polynomials.operand(each.count);
        let (mut edges, mut statements, mut plain) = (Edges::default(), 0, each.private.is_empty());
        let inside = loops_inside(each);
        each_statement(&each.body, &mut |statement| {
            statements += 1;
            match statement {
                Statement::Let(_, expression) => {
                    // What is checked holds at the edges too, or the program is wrong.
                    if !matches!(expression, Expression::Within(..)) {
                        let mut conditions = condition(polynomials, expression).unwrap_or_default();
                        let remainders = remainders(polynomials, expression);
                        conditions.extend(remainders.into_iter().flat_map(|(conditions, _)| conditions));
                        for condition in conditions {
                            if let Some([most, _]) = bounds(&condition, &inside) {
                                edges.add(&most, each.index, &count);
                            }
                        }
                    }
                }
                Statement::Set(..)
                | Statement::Reduce(..)
                | Statement::Store(..)
                | Statement::Add(..)
                | Statement::If(..)
                | Statement::Check(..) => {}
                // What its iterations set belongs to them.
                Statement::For(inner) => plain &= inner.parallel && inner.private.is_empty(),
                _ => plain = false,
            }
        });
        let many = !matches!(count, Size::Hole | Size::Constant(..FEWEST));
        (plain && many && statements <= LONGEST && edges.first + edges.last > 0).then_some(edges)
    }

    /// The edge that a condition makes, which changes from one index on.
    fn add(&mut self, condition: &Size, index: Register, count: &Size) {
        let rest = with(condition, index, &Size::Constant(0));
        let from = match slope(condition, index) {
            Some(1) => Size::Constant(1).sub(&rest),
            Some(-1) => Some(rest),
            _ => None,
        };
        let Some(from) = from else { return };
        if let Size::Constant(iterations @ 1..=WIDEST) = from {
            self.first = self.first.max(iterations);
        } else if let Some(Size::Constant(iterations @ 1..=WIDEST)) = count.sub(&from) {
            self.last = self.last.max(iterations);
        }
    }
}

/// Writes a loop as its first iterations, those inside and its last ones. A loop of fewer iterations than there are at the edges has
/// none but first ones.
fn divide(procedure: &mut Procedure, polynomials: &mut Polynomials, each: &For, edges: Edges, made: &mut Block) {
    let Edges { first, last } = edges;
    let (early, inside, until, late) = match each.count {
        Operand::Int(count) => {
            <(_, _, _, _)>::from([first, count - last - first, count - last, last].map(Operand::Int))
        }
        count => {
            let mut bind = |kind: Kind, expression: Expression| {
                let register = procedure.register(kind, false);
                made.push(Statement::Let(register, expression));
                Operand::Register(register)
            };
            let least = Operand::Int(first + last);
            let few = bind(Kind::Bool, Expression::Compare(Comparison::Less, count, least));
            let early = bind(Kind::Int, Expression::Select(few, count, Operand::Int(first)));
            let late = bind(Kind::Int, Expression::Select(few, Operand::Int(0), Operand::Int(last)));
            let until = bind(Kind::Int, Expression::Position(Arithmetic::Sub, count, late));
            let inside = bind(Kind::Int, Expression::Position(Arithmetic::Sub, until, early));
            (early, inside, until, late)
        }
    };
    let to = |less: i64| polynomials.operand(each.count).sub(&Size::Constant(less));
    let zero = Size::Constant(0);
    // There may be fewer iterations than there are at the edges.
    let at_first = matches!(each.count, Operand::Int(_)).then_some((zero, Size::Constant(first - 1)));
    let between = to(last + 1).map(|to| (Size::Constant(first), to));
    let at_last = to(last).zip(to(1));
    let edge = |each: For| Statement::For(For { parallel: false, ..each });
    if early != Operand::Int(0) {
        made.push(edge(stretch(procedure, polynomials, each, early, Operand::Int(0), at_first)));
    }
    let mut inner = stretch(procedure, polynomials, each, inside, Operand::Int(first), between);
    if inner.body.iter().any(|statement| matches!(statement, Statement::For(_))) {
        polynomials.learn(&procedure.registers, &inner.body);
        inner.body = divided(procedure, polynomials, inner.body);
    }
    made.push(Statement::For(inner));
    if last > 0 {
        made.push(edge(stretch(procedure, polynomials, each, late, until, at_last)));
    }
}

/// A part of the iterations of a loop: their number, the first of them, and the known range of their index.
fn stretch(
    procedure: &mut Procedure,
    polynomials: &Polynomials,
    each: &For,
    count: Operand,
    from: Operand,
    range: Option<(Size, Size)>,
) -> For {
    let mut names = Names::default();
    let mut iterations = For { count, ..names.again(each, procedure) };
    let index = procedure.position(Arithmetic::Add, Operand::Register(iterations.index), from, &mut iterations.body);
    names.insert(each.index, index);
    let mut own = FxHashSet::default();
    each_statement(&each.body, &mut |statement| {
        if let Statement::Set(register, _) = statement {
            own.insert(*register);
        }
    });
    let (index, inside) = (each.index, loops_inside(each));
    let mut stretch = Stretch { procedure, polynomials: polynomials.clone(), names, index, inside, own, range };
    stretch.write(&each.body, true, &mut iterations.body);
    iterations
}

/// The registers that blocks change.
#[derive(Default)]
struct Changes {
    set: BTreeSet<Register>,
    reduced: BTreeSet<Register>,
}

fn changes(blocks: &[&Block]) -> Changes {
    let mut changes = Changes::default();
    for block in blocks {
        each_statement(block, &mut |statement| {
            match statement {
                Statement::Set(register, _) => changes.set.insert(*register),
                Statement::Reduce(register, ..) => changes.reduced.insert(*register),
                _ => false,
            };
        });
    }
    changes
}

/// Some iterations of a loop, which are written again with what is known of them.
struct Stretch<'p> {
    procedure: &'p mut Procedure,
    polynomials: Polynomials,
    /// The values of the registers of the loop.
    names: Names,
    index: Register,
    inside: Inside,
    /// The registers that iterations set.
    own: FxHashSet<Register>,
    /// The first and the last index.
    range: Option<(Size, Size)>,
}

impl Stretch<'_> {
    /// Writes a block. It is straight where it is not in a branch: what registers are set to is then known behind it.
    fn write(&mut self, block: &Block, straight: bool, made: &mut Block) {
        for statement in block {
            match statement {
                Statement::Let(register, expression) => self.bound(*register, expression, made),
                Statement::Set(register, value) => self.set(*register, *value, straight, made),
                Statement::If(condition, yes, no) => match self.names.of(*condition) {
                    Operand::Bool(holds) => self.write(if holds { yes } else { no }, straight, made),
                    condition => self.branch(condition, [yes, no], made),
                },
                Statement::Check(condition, site, told) => match self.names.of(*condition) {
                    Operand::Bool(true) => {}
                    condition => {
                        let told = told.iter().map(|operand| self.names.of(*operand)).collect();
                        made.push(Statement::Check(condition, *site, told));
                    }
                },
                Statement::Reduce(register, combine, value) => {
                    self.give_registers(&[*register], made);
                    // A total of the whole loop keeps its register.
                    let Operand::Register(total) = self.names.of(Operand::Register(*register)) else { continue };
                    made.push(Statement::Reduce(total, *combine, self.names.of(*value)));
                }
                Statement::Store(element, value) => {
                    made.push(Statement::Store(self.names.element(*element), self.names.of(*value)));
                }
                Statement::Add(element, value) => {
                    made.push(Statement::Add(self.names.element(*element), self.names.of(*value)));
                }
                Statement::For(each) => {
                    let changes = changes(&[&each.body]);
                    let totals: Vec<Register> =
                        changes.reduced.into_iter().filter(|total| !changes.set.contains(total)).collect();
                    self.give_registers(&totals, made);
                    let mut iterations = self.names.again(each, self.procedure);
                    self.write(&each.body, true, &mut iterations.body);
                    made.push(Statement::For(iterations));
                }
                other => made.push(other.clone()),
            }
        }
    }

    fn bound(&mut self, register: Register, expression: &Expression, made: &mut Block) {
        if let (Some((rest, quotient)), Expression::Int(_, operands, _)) = (self.remainder(expression), expression) {
            let [a, n] = [0, 1].map(|at| self.names.of(operands[at]));
            let value = match quotient {
                0 => a,
                1 => self.procedure.position(Arithmetic::Sub, a, n, made),
                _ => self.procedure.position(Arithmetic::Add, a, n, made),
            };
            // What a register holds now that is set again later is kept.
            let value =
                if self.is_mutable(value) { self.bind(Kind::Int, Expression::Copy(value), made) } else { value };
            self.polynomials.bind(register, rest);
            return self.names.insert(register, value);
        }
        self.polynomials.bind(register, self.polynomials.expression(expression));
        let settled = match self.names.expression(expression) {
            Expression::Copy(value) => Some(value),
            Expression::And(Operand::Bool(true), other) | Expression::And(other, Operand::Bool(true)) => Some(other),
            Expression::Int(primitive, operands, _) if std::ptr::eq(primitive, &scalar::ADD) => match operands[..] {
                [Operand::Int(a), Operand::Int(b)] => a.checked_add(b).map(Operand::Int),
                _ => None,
            },
            _ => None,
        };
        let settled = settled.filter(|value| !self.is_mutable(*value));
        let value = self.holds(expression).map(Operand::Bool).or(settled).unwrap_or_else(|| {
            let expression = self.names.expression(expression);
            let register = self.names.fresh(register, self.procedure);
            made.push(Statement::Let(register, expression));
            Operand::Register(register)
        });
        self.names.insert(register, value);
    }

    fn set(&mut self, register: Register, value: Operand, straight: bool, made: &mut Block) {
        self.polynomials.set(register, self.polynomials.operand(value));
        let value = self.names.of(value);
        match self.names.of(Operand::Register(register)) {
            Operand::Register(set) if !straight => made.push(Statement::Set(set, value)),
            _ if self.is_mutable(value) => {
                let kind = self.procedure.kind(value);
                let value = self.bind(kind, Expression::Copy(value), made);
                self.names.insert(register, value);
            }
            _ => self.names.insert(register, value),
        }
    }

    /// A branch that is not decided. What it sets are registers, whatever they stood for before.
    fn branch(&mut self, condition: Operand, blocks: [&Block; 2], made: &mut Block) {
        let changes = changes(&blocks);
        let set: Vec<Register> = changes.set.into_iter().chain(changes.reduced).collect();
        self.give_registers(&set, made);
        let mut branches = blocks.map(|block| {
            set.iter().for_each(|register| self.forget(*register));
            let mut made = Vec::new();
            self.write(block, false, &mut made);
            made
        });
        set.iter().for_each(|register| self.forget(*register));
        let [yes, no] = branches.each_mut().map(std::mem::take);
        made.push(Statement::If(condition, yes, no));
    }

    /// Gives registers to what is set or reduced into from here on, whatever stood for it before.
    fn give_registers(&mut self, set: &[Register], made: &mut Block) {
        for register in set.iter().filter(|register| self.own.contains(register)).copied().collect::<Vec<_>>() {
            let before = self.names.of(Operand::Register(register));
            if before == Operand::Register(register) || !self.is_mutable(before) {
                let fresh = self.names.fresh(register, self.procedure);
                if before != Operand::Register(register) {
                    made.push(Statement::Set(fresh, before));
                }
            }
            self.forget(register);
        }
    }

    /// No longer knows what a register holds, if iterations set it.
    fn forget(&mut self, register: Register) {
        if self.own.contains(&register) {
            self.polynomials.set(register, Size::Hole);
        }
    }

    /// The value of a remainder in all of these iterations.
    fn remainder(&self, expression: &Expression) -> Option<(Size, i64)> {
        let remainders = remainders(&self.polynomials, expression).into_iter().zip([0, 1, -1]);
        let mut found = remainders.filter(|((conditions, _), _)| self.all_hold(conditions) == Some(true));
        found.next().map(|((_, rest), quotient)| (rest, quotient))
    }

    /// Whether all conditions hold, or one does not, in all of these iterations.
    fn all_hold(&self, conditions: &[Size]) -> Option<bool> {
        let mut all = true;
        for condition in conditions {
            let (first, last) = self.range.as_ref()?;
            let [most, least] = bounds(condition, &self.inside)?;
            let (low, high) = if slope(condition, self.index)? < 0 { (last, first) } else { (first, last) };
            if let Size::Constant(1..) = with(&least, self.index, low) {
                return Some(false);
            }
            all &= matches!(with(&most, self.index, high), Size::Constant(..=0));
        }
        all.then_some(true)
    }

    /// Whether a condition holds, where it is the same in all of these iterations.
    fn holds(&self, expression: &Expression) -> Option<bool> {
        match self.names.expression(expression) {
            Expression::Not(Operand::Bool(holds)) => return Some(!holds),
            Expression::And(Operand::Bool(false), _) | Expression::And(_, Operand::Bool(false)) => return Some(false),
            Expression::And(Operand::Bool(true), Operand::Bool(true)) => return Some(true),
            _ => {}
        }
        self.all_hold(&condition(&self.polynomials, expression)?)
    }

    fn is_mutable(&self, operand: Operand) -> bool {
        matches!(operand, Operand::Register(register) if self.procedure.registers[register.0 as usize].mutable)
    }

    fn bind(&mut self, kind: Kind, expression: Expression, made: &mut Block) -> Operand {
        let register = self.procedure.register(kind, false);
        made.push(Statement::Let(register, expression));
        Operand::Register(register)
    }
}
