//! The turns at the edges of a loop apart from those inside, which need not ask where they are.
//!
//! ```text
//! for i < n: if 0 < i: s; if i < n − 1: t     is     for i < 1: the turn 0 as it was
//!                                                    for i < n − 2: s; t   at i + 1
//!                                                    for i < 1: the turn n − 1 as it was
//! ```
//!
//! A condition on integers is a sum that is to be at most 0: of the index, of what else is known, and of a number. Where
//! the first index that it changes at is a few turns from the beginning or from the end, there is an edge.

use crate::program::{Arithmetic, Block, Expression, For, Kind, Operand, Procedure, Register, Statement};
use crate::turns::Names;
use crate::visit::each_statement;
use riesz_core::Comparison;
use riesz_primitive::scalar;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The most turns that an edge has.
const WIDEST: i64 = 8;
/// The fewest turns of a loop with edges, where it says how many it has.
const FEWEST: i64 = 4 * WIDEST;
/// The most statements of a loop that is written twice.
const LONGEST: usize = 300;

/// Divides the parallel loops of a procedure that have edges. Loops inside of these are left alone: they are the work of
/// one lane.
pub fn edge(procedure: &mut Procedure) {
    let sums = Sums::of(procedure);
    let body = std::mem::take(&mut procedure.body);
    procedure.body = divided(procedure, &sums, body);
}

fn divided(procedure: &mut Procedure, sums: &Sums, block: Block) -> Block {
    let mut made = Vec::with_capacity(block.len());
    for mut statement in block {
        match &mut statement {
            Statement::For(each) if each.parallel => {
                if let Some(edges) = Edges::of(each, sums) {
                    divide(procedure, sums, each, edges, &mut made);
                    continue;
                }
            }
            other => {
                for inner in other.blocks_mut() {
                    *inner = divided(procedure, sums, std::mem::take(inner));
                }
            }
        }
        made.push(statement);
    }
    made
}

// ---- sums ----

/// `Σ sₖ rₖ + number`
#[derive(Clone, Default)]
struct Sum {
    registers: BTreeMap<Register, i64>,
    number: i64,
}

impl Sum {
    fn number(number: i64) -> Sum {
        Sum { number, ..Sum::default() }
    }

    /// `self + factor · other`, where that fits.
    fn plus(mut self, factor: i64, other: &Sum) -> Option<Sum> {
        let add = |a: i64, b: i64| factor.checked_mul(b).and_then(|b| a.checked_add(b));
        self.number = add(self.number, other.number)?;
        for (register, times) in &other.registers {
            match add(self.registers.get(register).copied().unwrap_or(0), *times)? {
                0 => self.registers.remove(register),
                times => self.registers.insert(*register, times),
            };
        }
        (self.registers.len() <= MOST_TERMS).then_some(self)
    }

    /// How often a register is in it.
    fn times(&self, register: Register) -> i64 {
        self.registers.get(&register).copied().unwrap_or(0)
    }

    /// The sum with another one for a register.
    fn with(&self, register: Register, by: &Sum) -> Option<Sum> {
        let mut rest = self.clone();
        match rest.registers.remove(&register) {
            Some(times) => rest.plus(times, by),
            None => Some(rest),
        }
    }

    /// The number that it is, if it is one.
    fn constant(&self) -> Option<i64> {
        self.registers.is_empty().then_some(self.number)
    }
}

/// The most registers in a sum.
const MOST_TERMS: usize = 8;

/// The integers of a procedure that are sums of others. Registers that are set more than once are not among them.
#[derive(Clone, Default)]
struct Sums {
    known: FxHashMap<Register, Sum>,
    /// What registers hold that are set more than once, where that is known.
    now: FxHashMap<Register, Sum>,
    kinds: Vec<(Kind, bool)>,
}

impl Sums {
    fn of(procedure: &Procedure) -> Sums {
        let kinds = procedure.registers.iter().map(|info| (info.kind, info.mutable)).collect();
        let mut sums = Sums { kinds, ..Sums::default() };
        each_statement(&procedure.body, &mut |statement| {
            if let Statement::Let(register, expression) = statement
                && let Some(sum) = sums.expression(expression)
            {
                sums.known.insert(*register, sum);
            }
        });
        sums
    }

    fn sum(&self, operand: Operand) -> Option<Sum> {
        match operand {
            Operand::Int(number) => Some(Sum::number(number)),
            Operand::Register(register) => match self.kinds.get(register.0 as usize)? {
                (Kind::Int, true) => self.now.get(&register).cloned(),
                (Kind::Int, false) => Some(
                    self.known
                        .get(&register)
                        .cloned()
                        .unwrap_or_else(|| Sum { registers: [(register, 1)].into_iter().collect(), number: 0 }),
                ),
                _ => None,
            },
            _ => None,
        }
    }

    fn expression(&self, expression: &Expression) -> Option<Sum> {
        match expression {
            Expression::Copy(a) => self.sum(*a),
            Expression::Position(Arithmetic::Add, a, b) => self.sum(*a)?.plus(1, &self.sum(*b)?),
            Expression::Position(Arithmetic::Sub, a, b) => self.sum(*a)?.plus(-1, &self.sum(*b)?),
            Expression::Position(Arithmetic::Mul, a, b) => {
                let (a, b) = (self.sum(*a)?, self.sum(*b)?);
                match (a.constant(), b.constant()) {
                    (Some(factor), _) => Sum::default().plus(factor, &b),
                    (_, Some(factor)) => Sum::default().plus(factor, &a),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The sums that a condition says to be at most 0.
    fn condition(&self, expression: &Expression) -> Option<Vec<Sum>> {
        let less = |a: Operand, b: Operand, by: i64| -> Option<Sum> {
            self.sum(a)?.plus(-1, &self.sum(b)?)?.plus(1, &Sum::number(by))
        };
        match expression {
            Expression::Compare(Comparison::Less, a, b) => Some(vec![less(*a, *b, 1)?]),
            Expression::Compare(Comparison::LessEqual, a, b) => Some(vec![less(*a, *b, 0)?]),
            Expression::Compare(Comparison::Greater, a, b) => Some(vec![less(*b, *a, 1)?]),
            Expression::Compare(Comparison::GreaterEqual, a, b) => Some(vec![less(*b, *a, 0)?]),
            Expression::Equal(a, b) => Some(vec![less(*a, *b, 0)?, less(*b, *a, 0)?]),
            Expression::Within(a, len) => Some(vec![less(Operand::Int(0), *a, 0)?, less(*a, *len, 1)?]),
            _ => None,
        }
    }
}

// ---- edges ----

/// How many turns are at the edges of a loop.
#[derive(Clone, Copy, Default)]
struct Edges {
    first: i64,
    last: i64,
}

impl Edges {
    /// The edges that the conditions of a loop make, if it can be divided.
    fn of(each: &For, sums: &Sums) -> Option<Edges> {
        let count = sums.sum(each.count)?;
        let (mut edges, mut statements, mut plain) = (Edges::default(), 0, each.private.is_empty());
        let (mut set, mut reduced) = (FxHashSet::default(), FxHashSet::default());
        each_statement(&each.body, &mut |statement| {
            statements += 1;
            match statement {
                Statement::Let(_, expression) => {
                    // What is checked holds at the edges too, or the program is wrong.
                    if !matches!(expression, Expression::Within(..)) {
                        let conditions = sums.condition(expression).unwrap_or_default();
                        conditions.iter().for_each(|condition| edges.add(condition, each.index, &count));
                    }
                }
                Statement::Set(register, _) => {
                    set.insert(*register);
                }
                Statement::Reduce(register, ..) => {
                    reduced.insert(*register);
                }
                Statement::Store(..) | Statement::Add(..) | Statement::If(..) | Statement::Check(..) => {}
                _ => plain = false,
            }
        });
        let many = count.constant().is_none_or(|count| count >= FEWEST);
        let plain = plain && set.is_disjoint(&reduced);
        (plain && many && statements <= LONGEST && edges.first + edges.last > 0).then_some(edges)
    }

    /// The edge that a condition makes, which changes from one index on.
    fn add(&mut self, condition: &Sum, index: Register, count: &Sum) {
        let rest = condition.with(index, &Sum::default());
        let from = match condition.times(index) {
            1 => rest.and_then(|rest| Sum::number(1).plus(-1, &rest)),
            -1 => rest,
            _ => None,
        };
        let Some(from) = from else { return };
        let narrow = |turns: &i64| (1..=WIDEST).contains(turns);
        if let Some(turns) = from.constant().filter(narrow) {
            self.first = self.first.max(turns);
        } else if let Some(turns) = count.clone().plus(-1, &from).and_then(|left| left.constant()).filter(narrow) {
            self.last = self.last.max(turns);
        }
    }
}

/// Writes a loop as its first turns, those inside and its last ones. A loop of fewer turns than there are at the edges has
/// none but first ones.
fn divide(procedure: &mut Procedure, sums: &Sums, each: &For, edges: Edges, made: &mut Block) {
    let (first, last) = (Operand::Int(edges.first), Operand::Int(edges.last));
    let mut bind = |kind: Kind, expression: Expression| {
        let register = procedure.register(kind, false);
        made.push(Statement::Let(register, expression));
        Operand::Register(register)
    };
    let few =
        bind(Kind::Bool, Expression::Compare(Comparison::Less, each.count, Operand::Int(edges.first + edges.last)));
    let early = bind(Kind::Int, Expression::Select(few, each.count, first));
    let late = bind(Kind::Int, Expression::Select(few, Operand::Int(0), last));
    let until = bind(Kind::Int, Expression::Position(Arithmetic::Sub, each.count, late));
    let inside = bind(Kind::Int, Expression::Position(Arithmetic::Sub, until, early));
    let to = sums.sum(each.count).and_then(|count| count.plus(1, &Sum::number(-edges.last - 1)));
    let range = to.map(|to| (Sum::number(edges.first), to));
    made.push(stretch(procedure, sums, each, early, Operand::Int(0), None));
    made.push(stretch(procedure, sums, each, inside, first, range));
    if edges.last > 0 {
        made.push(stretch(procedure, sums, each, late, until, None));
    }
}

/// So many turns of a loop, the first of them at `from`, with what is known of the range of their index. They are in lanes
/// only where it is known.
fn stretch(
    procedure: &mut Procedure,
    sums: &Sums,
    each: &For,
    count: Operand,
    from: Operand,
    range: Option<(Sum, Sum)>,
) -> Statement {
    let mut names = Names::default();
    let parallel = range.is_some();
    let mut turns = For { count, parallel, ..names.again(each, procedure) };
    let index = procedure.position(Arithmetic::Add, Operand::Register(turns.index), from, &mut turns.body);
    names.insert(each.index, index);
    let mut stretch = Stretch { procedure, sums: sums.clone(), names, index: each.index, range };
    stretch.write(&each.body, true, &mut turns.body);
    Statement::For(turns)
}

/// Some turns of a loop, which are written again with what is known of them.
struct Stretch<'p> {
    procedure: &'p mut Procedure,
    sums: Sums,
    /// What stands for the registers of the loop.
    names: Names,
    index: Register,
    /// The first and the last index.
    range: Option<(Sum, Sum)>,
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
                    made.push(Statement::Reduce(*register, *combine, self.names.of(*value)));
                }
                Statement::Store(element, value) => {
                    made.push(Statement::Store(self.names.element(*element), self.names.of(*value)));
                }
                Statement::Add(element, value) => {
                    made.push(Statement::Add(self.names.element(*element), self.names.of(*value)));
                }
                other => made.push(other.clone()),
            }
        }
    }

    fn bound(&mut self, register: Register, expression: &Expression, made: &mut Block) {
        if let Some(sum) = self.sums.expression(expression) {
            self.sums.known.insert(register, sum);
        }
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
        match self.sums.sum(value) {
            Some(sum) => self.sums.now.insert(register, sum),
            None => self.sums.now.remove(&register),
        };
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
        let mut set = Vec::new();
        for block in blocks {
            each_statement(block, &mut |statement| {
                if let Statement::Set(register, _) = statement {
                    set.push(*register);
                }
            });
        }
        for register in &set {
            let before = self.names.of(Operand::Register(*register));
            if before == Operand::Register(*register) || !self.is_mutable(before) {
                let fresh = self.names.fresh(*register, self.procedure);
                if before != Operand::Register(*register) {
                    made.push(Statement::Set(fresh, before));
                }
            }
        }
        let mut branches = blocks.map(|block| {
            set.iter().for_each(|register| drop(self.sums.now.remove(register)));
            let mut made = Vec::new();
            self.write(block, false, &mut made);
            made
        });
        set.iter().for_each(|register| drop(self.sums.now.remove(register)));
        let [yes, no] = branches.each_mut().map(std::mem::take);
        made.push(Statement::If(condition, yes, no));
    }

    /// Whether a condition holds, where it is the same in all of these turns.
    fn holds(&self, expression: &Expression) -> Option<bool> {
        match self.names.expression(expression) {
            Expression::Not(Operand::Bool(holds)) => return Some(!holds),
            Expression::And(Operand::Bool(false), _) | Expression::And(_, Operand::Bool(false)) => return Some(false),
            Expression::And(Operand::Bool(true), Operand::Bool(true)) => return Some(true),
            _ => {}
        }
        let mut all = true;
        for sum in self.sums.condition(expression)? {
            let (first, last) = self.range.as_ref()?;
            let (least, most) = if sum.times(self.index) < 0 { (last, first) } else { (first, last) };
            let at = |index: &Sum| sum.with(self.index, index).and_then(|sum| sum.constant());
            if at(least).is_some_and(|least| least > 0) {
                return Some(false);
            }
            all &= at(most).is_some_and(|most| most <= 0);
        }
        all.then_some(true)
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
