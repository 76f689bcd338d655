//! Loop-invariant values.
//!
//! A number is *fixed* if no iteration changes it: it is bound before the loop, or computed from fixed numbers by
//! operations that read nothing that iterations write. The indices of inner loops are fixed too, because every
//! iteration goes through all of them. A fixed number therefore has one value for each choice of the indices around it,
//! its *path*.

use crate::program::{
    Arithmetic, Block, Buffer, BufferInfo, Element, Expression, For, Kind, Operand, Procedure, Register, RegisterInfo,
    SiteId, Statement,
};
use crate::visit::{Use, each_statement};
use riesz_core::size::{Atom, Size};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A loop inside: its index, how many iterations it takes, the most that they can be, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    pub index: Register,
    pub count: Operand,
    pub most: Operand,
    pub site: SiteId,
}

/// The loops around a statement, the outermost first.
pub(crate) type Path = Rc<[Step]>;

/// The iterations of a loop.
pub(crate) struct Iterations<'b> {
    /// The registers that are fixed, with the expressions that compute them.
    pub fixed: FxHashMap<Register, &'b Expression>,
    /// The numbers that are bound in every iteration, where and how.
    pub bound: FxHashMap<Register, (Path, &'b Expression)>,
    /// Statements that run in every iteration.
    pub always: Vec<(Path, &'b Statement)>,
    places: FxHashSet<*const Statement>,
    /// The statements that use each register, whether they run in every iteration or not.
    pub uses: FxHashMap<Register, Vec<&'b Statement>>,
    /// The statements that use each buffer.
    pub touches: FxHashMap<Buffer, Vec<(&'b Statement, Use)>>,
    /// The buffers that are made in iterations, or for them.
    pub made: FxHashSet<Buffer>,
    /// The registers that iterations bind or set, rather than reduce into.
    set: FxHashSet<Register>,
    changing: FxHashSet<Register>,
    indices: FxHashSet<Register>,
    mutable: FxHashSet<Register>,
}

impl<'b> Iterations<'b> {
    /// Looks at a loop. `same` are buffers that hold the same in every iteration, though iterations write them.
    pub fn of(procedure: &Procedure, each: &'b For, same: &FxHashSet<Buffer>) -> Iterations<'b> {
        let mut iterations = Iterations {
            fixed: FxHashMap::default(),
            bound: FxHashMap::default(),
            always: Vec::new(),
            places: FxHashSet::default(),
            uses: FxHashMap::default(),
            touches: FxHashMap::default(),
            made: each.private.iter().map(|allocation| allocation.buffer).collect(),
            set: FxHashSet::default(),
            changing: [each.index].into_iter().collect(),
            indices: FxHashSet::default(),
            mutable: FxHashSet::default(),
        };
        let registers = procedure.registers.iter().enumerate();
        iterations.mutable.extend(registers.filter(|(_, info)| info.mutable).map(|(at, _)| Register(at as u32)));
        each_statement(&each.body, &mut |statement| {
            statement.defines(&mut |register| {
                iterations.changing.insert(register);
                if !matches!(statement, Statement::Reduce(..)) {
                    iterations.set.insert(register);
                }
            });
            statement.operands(&mut |operand| {
                if let Operand::Register(register) = operand {
                    iterations.uses.entry(register).or_default().push(statement);
                }
            });
            statement.buffers(&mut |buffer, how| {
                iterations.touches.entry(buffer).or_default().push((statement, how));
                if how == Use::Make {
                    iterations.made.insert(buffer);
                }
            });
        });
        iterations.walk(&each.body, &mut Vec::new(), same);
        iterations
    }

    fn walk(&mut self, block: &'b Block, path: &mut Vec<Step>, same: &FxHashSet<Buffer>) {
        let here: Path = path.as_slice().into();
        for statement in block {
            self.always.push((here.clone(), statement));
            self.places.insert(std::ptr::from_ref(statement));
            match statement {
                Statement::Let(register, expression) => {
                    self.bound.insert(*register, (here.clone(), expression));
                    let mut fixed = !matches!(expression, Expression::Truncate(..));
                    expression.operands(&mut |operand| fixed &= self.is_fixed(operand));
                    if let Expression::Load(element) = expression {
                        fixed &= same.contains(&element.buffer) || !self.is_written(element.buffer);
                    }
                    if fixed {
                        self.fixed.insert(*register, expression);
                    }
                }
                Statement::For(inner) => {
                    let around = path.iter().find(|step| inner.count == Operand::Register(step.index));
                    let most = around.map_or(inner.count, |around| around.most);
                    if self.is_outside(most) && self.is_fixed(inner.count) {
                        self.indices.insert(inner.index);
                        path.push(Step { index: inner.index, count: inner.count, most, site: inner.site });
                        self.walk(&inner.body, path, same);
                        path.pop();
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether a statement runs in every iteration.
    pub fn is_always(&self, statement: &Statement) -> bool {
        self.places.contains(&std::ptr::from_ref(statement))
    }

    /// Whether an operand is known before the loop.
    pub fn is_outside(&self, operand: Operand) -> bool {
        !matches!(operand, Operand::Register(register)
            if self.changing.contains(&register) || self.mutable.contains(&register))
    }

    /// Whether an operand is the same in every iteration.
    pub fn is_fixed(&self, operand: Operand) -> bool {
        match operand {
            Operand::Register(register) => {
                self.is_outside(operand) || self.fixed.contains_key(&register) || self.indices.contains(&register)
            }
            _ => true,
        }
    }

    /// Whether iterations write a buffer, or make it.
    pub fn is_written(&self, buffer: Buffer) -> bool {
        let touched = self.touches.get(&buffer).into_iter().flatten();
        self.made.contains(&buffer) || touched.into_iter().any(|(_, how)| *how != Use::Read)
    }

    /// Whether iterations read a buffer.
    pub fn is_read(&self, buffer: Buffer) -> bool {
        self.touches.get(&buffer).into_iter().flatten().any(|(_, how)| *how == Use::Read)
    }

    /// Whether iterations only reduce into a register, which comes from outside.
    pub fn is_total(&self, register: Register) -> bool {
        let uses = self.uses.get(&register).into_iter().flatten();
        let reduces = |statement: &&Statement| matches!(statement, Statement::Reduce(total, ..) if *total == register);
        !self.set.contains(&register) && uses.into_iter().all(reduces)
    }

    /// About how often a path is gone through in an iteration.
    pub fn times(path: &[Step]) -> f64 {
        let mut times: Vec<(Register, f64)> = Vec::new();
        for step in path {
            let around =
                times.iter().find(|(index, _)| step.count == Operand::Register(*index)).map(|(_, times)| *times);
            let some = match (step.count, around) {
                (_, Some(around)) => around / 2.0,
                (Operand::Int(count), None) => count as f64,
                _ => UNKNOWN,
            };
            times.push((step.index, some));
        }
        times.iter().map(|(_, times)| times).product()
    }
}

/// Whether the iterations of a loop hand a number from one to the next: they set a register from outside, or read one that
/// they reduce into. Such iterations are done in order.
pub(crate) fn carries(body: &Block, is_outside: impl Fn(Register) -> bool) -> bool {
    let (mut carries, mut reduced, mut read) = (false, FxHashSet::default(), FxHashSet::default());
    each_statement(body, &mut |statement| {
        let mut operand = |operand: Operand| {
            if let Operand::Register(register) = operand {
                read.insert(register);
            }
        };
        match statement {
            Statement::Reduce(register, _, value) => {
                reduced.insert(*register);
                operand(*value);
            }
            other => {
                other.operands(&mut operand);
                other.defines(&mut |register| carries |= is_outside(register));
            }
        }
    });
    carries || reduced.intersection(&read).any(|register| is_outside(*register))
}

/// How many iterations a loop is taken to have that does not say.
const UNKNOWN: f64 = 16.0;

/// New registers, buffers and positions of a procedure.
impl Procedure {
    pub(crate) fn register(&mut self, kind: Kind, mutable: bool) -> Register {
        self.registers.push(RegisterInfo { name: None, kind, mutable });
        Register(self.registers.len() as u32 - 1)
    }

    pub(crate) fn buffer(&mut self, name: &str, kind: Kind) -> Buffer {
        self.buffers.push(BufferInfo { name: Some(name.into()), kind });
        Buffer(self.buffers.len() as u32 - 1)
    }

    /// Arithmetic on positions, written at the end of a block.
    pub(crate) fn position(&mut self, arithmetic: Arithmetic, a: Operand, b: Operand, block: &mut Block) -> Operand {
        let register = self.register(Kind::Int, false);
        block.push(Statement::Let(register, Expression::Position(arithmetic, a, b)));
        Operand::Register(register)
    }

    /// A polynomial of registers, written at the end of a block.
    pub(crate) fn polynomial(&mut self, of: &Size, block: &mut Block) -> Operand {
        let mut total = Operand::Int(0);
        for monomial in of.monomials() {
            let mut term = Operand::Int(monomial.coefficient());
            for factor in monomial.factors() {
                let Atom::Var(var) = factor else { continue };
                let factor = Operand::Register(Register(var.0));
                term = match term {
                    Operand::Int(1) => factor,
                    term => self.position(Arithmetic::Mul, term, factor, block),
                };
            }
            total = match total {
                Operand::Int(0) => term,
                total => self.position(Arithmetic::Add, total, term, block),
            };
        }
        total
    }

    /// How many elements a table over the loops of a path has.
    pub(crate) fn table_size(&mut self, path: &[Step], block: &mut Block) -> Operand {
        let mut size = path.first().map_or(Operand::Int(1), |step| step.most);
        for step in path.iter().skip(1) {
            size = self.position(Arithmetic::Mul, size, step.most, block);
        }
        size
    }

    /// The place of an iteration in a table over the loops of a path.
    pub(crate) fn table_place(&mut self, path: &[Step], names: &Names, block: &mut Block) -> Operand {
        let mut at = path.first().map_or(Operand::Int(0), |step| names.of(Operand::Register(step.index)));
        for step in path.iter().skip(1) {
            let row = self.position(Arithmetic::Mul, at, step.most, block);
            at = self.position(Arithmetic::Add, row, names.of(Operand::Register(step.index)), block);
        }
        at
    }
}

/// New names for registers of statements that are written a second time.
#[derive(Default)]
pub(crate) struct Names(FxHashMap<Register, Operand>);

impl Names {
    pub fn of(&self, operand: Operand) -> Operand {
        match operand {
            Operand::Register(register) => self.0.get(&register).copied().unwrap_or(operand),
            other => other,
        }
    }

    /// A new name for a register.
    pub fn fresh(&mut self, register: Register, procedure: &mut Procedure) -> Register {
        let info = procedure.registers[register.0 as usize].clone();
        procedure.registers.push(info);
        let fresh = Register(procedure.registers.len() as u32 - 1);
        self.0.insert(register, Operand::Register(fresh));
        fresh
    }

    /// Has an operand stand for a register.
    pub fn insert(&mut self, register: Register, operand: Operand) {
        self.0.insert(register, operand);
    }

    pub fn element(&self, element: Element) -> Element {
        Element { at: self.of(element.at), ..element }
    }

    pub fn expression(&self, expression: &Expression) -> Expression {
        let mut renamed = expression.clone();
        renamed.operands_mut(&mut |operand| *operand = self.of(*operand));
        renamed
    }

    /// A loop again, with an index of its own, around nothing yet.
    pub fn again(&mut self, each: &For, procedure: &mut Procedure) -> For {
        let count = self.of(each.count);
        let index = self.fresh(each.index, procedure);
        For { counted: each.counted, ..For::new(index, count, each.parallel, Vec::new(), each.site) }
    }
}
