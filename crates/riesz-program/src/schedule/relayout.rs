//! Arrays of rows whose elements are read across the rows, again and again, are transposed once; sums likewise.
//!
//! ```text
//! for t < m: for i < n: ... x[i · s + r] ... y[i · s + r] += ...          where 0 ≤ r < s
//!   is
//! x'[r · n + i] = x[i · s + r];  y' = 0
//! for t < m: for i < n: ... x'[r · n + i] ... y'[r · n + i] += ...
//! y[i · s + r] += y'[r · n + i]
//! ```
//!
//! Iterations `i` that run in lanes access neighbours then. The user need not choose between an array of points and an array
//! for each coordinate. The positions are in bounds whatever the loop does, since none is checked in it.

use crate::polynomial::{Polynomials, slope, with};
use crate::program::{
    Allocation, Arithmetic, Block, Buffer, Element, Expression, For, Kind, Operand, Procedure, Register, SiteId,
    Statement,
};
use crate::visit::{Use, each_statement};
use riesz_core::Comparison;
use riesz_core::size::Size;
use rustc_hash::{FxHashMap, FxHashSet};

/// The fewest times that the elements are accessed, and the fewest rows, where that is known.
const FEWEST: i64 = 8;
/// The longest rows.
const LONGEST: i64 = 64;

/// Transposes what the loops of a procedure that run in lanes access across rows; whether there is anything.
pub(super) fn relayout(procedure: &mut Procedure) -> bool {
    let buffers = procedure.buffers.len();
    let polynomials = Polynomials::of(procedure);
    let body = std::mem::take(&mut procedure.body);
    procedure.body = relaid(procedure, &polynomials, body);
    procedure.buffers.len() > buffers
}

fn relaid(procedure: &mut Procedure, polynomials: &Polynomials, block: Block) -> Block {
    let mut made = Vec::with_capacity(block.len());
    for mut statement in block {
        let mut after = Block::new();
        if let Statement::For(each) = &mut statement
            && !matches!(each.count, Operand::Int(..FEWEST))
        {
            let found = Survey::of(procedure, polynomials, each).found();
            if !found.is_empty() {
                let tables = tables(procedure, each, &found, &mut made, &mut after);
                rewrite(procedure, &mut each.body, &found, &tables);
            }
        }
        for inner in statement.blocks_mut() {
            *inner = relaid(procedure, polynomials, std::mem::take(inner));
        }
        made.push(statement);
        made.append(&mut after);
    }
    made
}

/// An access to an element of a row: at the position `index · stride + at`.
#[derive(Clone, Debug)]
struct Access {
    place: Place,
    index: Register,
    /// The place in the row, as a polynomial of indices, and its least and greatest value.
    at: Size,
    least: i64,
    most: i64,
}

/// Rows of a buffer: how many, how long, and whether they are added to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Place {
    buffer: Buffer,
    added: bool,
    stride: i64,
    /// The number of rows: a register or a constant.
    rows: Result<Register, i64>,
}

impl Place {
    fn count(&self) -> Operand {
        self.rows.map_or_else(Operand::Int, Operand::Register)
    }
}

/// The accesses of a loop.
struct Survey<'p> {
    procedure: &'p Procedure,
    polynomials: &'p Polynomials,
    /// The registers that the loop binds or sets.
    inside: FxHashSet<Register>,
    /// The loops around, from the outside, each with its count and whether it runs in lanes.
    around: Vec<(Register, Operand, bool)>,
    accesses: Accesses,
    reads: FxHashSet<Buffer>,
    adds: FxHashSet<Buffer>,
    others: FxHashSet<Buffer>,
    /// Whether positions are checked in the loop, so that not all elements need be there.
    checks: bool,
}

impl<'p> Survey<'p> {
    fn of(procedure: &'p Procedure, polynomials: &'p Polynomials, each: &For) -> Survey<'p> {
        let mut survey = Survey {
            procedure,
            polynomials,
            inside: FxHashSet::default(),
            around: Vec::new(),
            accesses: FxHashMap::default(),
            reads: FxHashSet::default(),
            adds: FxHashSet::default(),
            others: each.private.iter().map(|allocation| allocation.buffer).collect(),
            checks: false,
        };
        survey.inside.insert(each.index);
        each_statement(&each.body, &mut |statement| {
            statement.defines(&mut |register| {
                survey.inside.insert(register);
            });
            survey.checks |= matches!(statement, Statement::Check(..));
            statement.buffers(&mut |buffer, how| {
                match how {
                    Use::Read => survey.reads.insert(buffer),
                    _ if matches!(statement, Statement::Add(..)) => survey.adds.insert(buffer),
                    _ => survey.others.insert(buffer),
                };
            });
            if let Statement::For(inner) = statement {
                survey.others.extend(inner.private.iter().map(|allocation| allocation.buffer));
            }
        });
        if !survey.checks {
            survey.block(&each.body);
        }
        survey
    }

    fn block(&mut self, block: &Block) {
        for statement in block {
            match statement {
                Statement::Let(_, Expression::Load(element)) => self.access(*element, false),
                Statement::Add(element, _) => self.access(*element, true),
                Statement::For(inner) => {
                    let lanes = inner.schedule.as_ref().is_some_and(|schedule| schedule.lanes.is_some());
                    self.around.push((inner.index, inner.count, lanes));
                    self.block(&inner.body);
                    self.around.pop();
                }
                other => other.blocks().into_iter().for_each(|inner| self.block(inner)),
            }
        }
    }

    fn access(&mut self, element: Element, added: bool) {
        if let (Some(access), Operand::Register(at)) = (self.row(element, added), element.at) {
            self.accesses.insert((element.buffer, at), access);
        }
    }

    /// The access, if it is to a row by the index of a loop inside of this one.
    fn row(&self, element: Element, added: bool) -> Option<Access> {
        let position = self.polynomials.operand(element.at);
        self.around.iter().enumerate().filter(|(_, (.., lanes))| *lanes).find_map(|(depth, (index, count, _))| {
            let stride = slope(&position, *index).filter(|stride| (2..=LONGEST).contains(stride))?;
            let at = with(&position, *index, &Size::Constant(0));
            let (mut least, mut most) = (0, 0);
            for monomial in at.monomials() {
                let by = monomial.coefficient();
                let greatest = match monomial.factors() {
                    [] => {
                        (least, most) = (least + by, most + by);
                        continue;
                    }
                    [riesz_core::size::Atom::Var(var)] => {
                        let of = |(other, count, _): &(Register, Operand, bool)| match count {
                            Operand::Int(count) if other.0 == var.0 => Some(count - 1),
                            _ => None,
                        };
                        self.around[depth + 1..].iter().find_map(of)?
                    }
                    _ => return None,
                };
                (least, most) = (least + (by * greatest).min(0), most + (by * greatest).max(0));
            }
            // The other loops have iterations, so that all elements are accessed.
            let some = |(at, (_, count, _)): (usize, &(Register, Operand, bool))| {
                at == depth || matches!(count, Operand::Int(1..))
            };
            let rows = match count {
                Operand::Int(count) if *count >= FEWEST => Err(*count),
                Operand::Register(register) if self.is_outside(*register) => Ok(*register),
                _ => return None,
            };
            let fits = least >= 0 && most < stride && self.around.iter().enumerate().all(some);
            let place = Place { buffer: element.buffer, added, stride, rows };
            fits.then_some(Access { place, index: *index, at, least, most })
        })
    }

    fn is_outside(&self, register: Register) -> bool {
        !self.inside.contains(&register) && !self.procedure.registers[register.0 as usize].mutable
    }

    /// The accesses to buffers that are only read, or only added to, across rows.
    fn found(mut self) -> Accesses {
        let kinds = &self.procedure.buffers;
        self.accesses.retain(|(buffer, _), access| {
            let only = match access.place.added {
                false => !self.adds.contains(buffer),
                true => !self.reads.contains(buffer),
            };
            only && !self.others.contains(buffer) && kinds[buffer.0 as usize].kind == Kind::Real
        });
        self.accesses
    }
}

/// Accesses, by the buffer and the register of the position.
type Accesses = FxHashMap<(Buffer, Register), Access>;

/// Makes the transposed buffers before a loop, and adds sums to where they belong after it.
fn tables(
    procedure: &mut Procedure,
    each: &For,
    found: &Accesses,
    before: &mut Block,
    after: &mut Block,
) -> FxHashMap<Place, Buffer> {
    let mut places: Vec<(Place, i64, i64)> = Vec::new();
    for access in found.values() {
        match places.iter_mut().find(|(place, ..)| *place == access.place) {
            Some((_, least, most)) => (*least, *most) = ((*least).min(access.least), (*most).max(access.most)),
            None => places.push((access.place, access.least, access.most)),
        }
    }
    places.sort_unstable();
    let some = match each.count {
        Operand::Int(_) => None,
        count => {
            let some = procedure.register(Kind::Bool, false);
            before.push(Statement::Let(some, Expression::Compare(Comparison::Greater, count, Operand::Int(0))));
            Some(Operand::Register(some))
        }
    };
    let guarded = |block: Block| match some {
        Some(some) => vec![Statement::If(some, block, Block::new())],
        None => block,
    };
    let mut tables = FxHashMap::default();
    for (place, least, most) in places {
        let table = procedure.buffer(if place.added { "columns_sum" } else { "columns" }, Kind::Real);
        let count = procedure.position(Arithmetic::Mul, place.count(), Operand::Int(place.stride), before);
        before.push(Statement::Allocate(Allocation { buffer: table, count, site: each.site }));
        let all = transposition(procedure, place, table, (least, most), each.site);
        if place.added {
            // The sum of −0 and a number is the number.
            before.push(Statement::Fill(Element { buffer: table, at: Operand::Int(0) }, count, Operand::Real(-0.0)));
            after.extend(guarded(all));
        } else {
            before.extend(guarded(all));
        }
        tables.insert(place, table);
    }
    tables
}

/// The loop that copies the elements of rows to columns, or adds those of columns to rows.
fn transposition(
    procedure: &mut Procedure,
    place: Place,
    table: Buffer,
    (least, most): (i64, i64),
    site: SiteId,
) -> Block {
    let index = procedure.register(Kind::Int, false);
    let mut body = Block::new();
    let row = procedure.position(Arithmetic::Mul, Operand::Register(index), Operand::Int(place.stride), &mut body);
    for at in least..=most {
        let in_row = procedure.position(Arithmetic::Add, row, Operand::Int(at), &mut body);
        let column = procedure.position(Arithmetic::Mul, place.count(), Operand::Int(at), &mut body);
        let in_column = procedure.position(Arithmetic::Add, column, Operand::Register(index), &mut body);
        let row = Element { buffer: place.buffer, at: in_row };
        let column = Element { buffer: table, at: in_column };
        let value = procedure.register(Kind::Real, false);
        let from = if place.added { column } else { row };
        body.push(Statement::Let(value, Expression::Load(from)));
        let value = Operand::Register(value);
        body.push(if place.added { Statement::Add(row, value) } else { Statement::Store(column, value) });
    }
    vec![Statement::For(For::new(index, place.count(), true, body, site))]
}

/// Has accesses go to the transposed buffers.
fn rewrite(procedure: &mut Procedure, block: &mut Block, found: &Accesses, tables: &FxHashMap<Place, Buffer>) {
    for mut statement in std::mem::take(block) {
        let element = match &mut statement {
            Statement::Let(_, Expression::Load(element)) | Statement::Add(element, _) => Some(element),
            _ => None,
        };
        if let Some(element) = element
            && let Operand::Register(at) = element.at
            && let Some(access) = found.get(&(element.buffer, at))
        {
            let at = procedure.polynomial(&access.at, block);
            let column = procedure.position(Arithmetic::Mul, at, access.place.count(), block);
            let at = procedure.position(Arithmetic::Add, column, Operand::Register(access.index), block);
            *element = Element { buffer: tables[&access.place], at };
        }
        statement.blocks_mut().into_iter().for_each(|inner| rewrite(procedure, inner, found, tables));
        block.push(statement);
    }
}
