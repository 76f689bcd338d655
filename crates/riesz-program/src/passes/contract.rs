//! Contraction: a sum of vectors, each times a number, is a product of matrices, for a block of terms at a time.
//!
//! ```text
//! for i < m: s = ...;  for r < d: own[r] += x[i · c + r · b] · s
//!   is
//! for each block of i: for i: s[i] = ...;  p = Xᵀ s;  for r < d: own[r] += p[r]            Σᵢ sᵢ xᵢ = Xᵀ s
//! ```
//!
//! This is done for sums that belong to an iteration of a loop around, such as the rows of a Hessian `Σᵢ cᵢ xᵢ xᵢᵀ`: lanes
//! of that loop have a number `s` each and share `x`, and the product keeps its sums in registers. A block fits into the
//! cache. Only the order of rounding changes.

use crate::polynomial::{Polynomials, atom, with};
use crate::program::{
    Allocation, Arithmetic, Block, Buffer, Element, Expression, For, Kind, Operand, Procedure, Product, Register,
    Statement, Strided,
};
use crate::visit::{Use, each_statement};
use riesz_core::size::{Atom, Size};
use riesz_primitive::scalar;
use rustc_hash::FxHashSet;

/// How many terms a block has.
const BLOCK: i64 = 256;

/// Contracts the sums in the outermost loops of a procedure whose iterations are independent.
pub fn contract(procedure: &mut Procedure) {
    let polynomials = Polynomials::of(procedure);
    let body = std::mem::take(&mut procedure.body);
    procedure.body = contract_block(procedure, &polynomials, body);
}

fn contract_block(procedure: &mut Procedure, polynomials: &Polynomials, block: Block) -> Block {
    let mut written = Vec::with_capacity(block.len());
    for mut statement in block {
        match &mut statement {
            Statement::For(each) if each.parallel => contract_loop(procedure, polynomials, each, &mut written),
            other => {
                for inner in other.blocks_mut() {
                    *inner = contract_block(procedure, polynomials, std::mem::take(inner));
                }
            }
        }
        written.push(statement);
    }
    written
}

fn contract_loop(procedure: &mut Procedure, polynomials: &Polynomials, each: &mut For, before: &mut Block) {
    let around = Around::of(each);
    for statement in &mut each.body {
        if let Statement::For(inner) = statement
            && let Some(sum) = Sum::of(procedure, polynomials, &around, inner)
        {
            *inner = sum.blocks(procedure, inner.clone(), before);
        }
    }
}

/// What a loop changes.
struct Around {
    private: FxHashSet<Buffer>,
    bound: FxHashSet<Register>,
    written: FxHashSet<Buffer>,
}

impl Around {
    fn of(each: &For) -> Around {
        let private = each.private.iter().map(|allocation| allocation.buffer).collect();
        let mut around = Around { private, bound: FxHashSet::default(), written: FxHashSet::default() };
        around.bound.insert(each.index);
        each_statement(&each.body, &mut |statement| {
            statement.defines(&mut |register| {
                around.bound.insert(register);
            });
            statement.buffers(&mut |buffer, how| {
                if how != Use::Read {
                    around.written.insert(buffer);
                }
            });
        });
        around
    }
}

/// `own[r] += x[first + i · column + r · row] · factor`, for all terms `i` and all rows `r`.
struct Sum {
    own: Buffer,
    x: Buffer,
    first: Size,
    row: Size,
    column: Size,
    factor: Register,
    rows: Operand,
    exact: bool,
}

impl Sum {
    /// The sum with which the iterations of a loop end, if they do.
    fn of(procedure: &Procedure, polynomials: &Polynomials, around: &Around, each: &For) -> Option<Sum> {
        let is_fixed = |operand: Operand| match operand {
            Operand::Register(register) => {
                !around.bound.contains(&register) && !procedure.registers[register.0 as usize].mutable
            }
            _ => true,
        };
        let Statement::For(rows) = each.body.last()? else { return None };
        let (Statement::Add(to, Operand::Register(term)), terms) = rows.body.split_last()? else { return None };
        if !is_fixed(each.count) || !is_fixed(rows.count) || to.at != Operand::Register(rows.index) {
            return None;
        }
        // Nothing else happens to the sum in an iteration.
        let mut touched = 0;
        let mut inside: FxHashSet<Register> = [each.index].into_iter().collect();
        each_statement(&each.body, &mut |statement| {
            statement.defines(&mut |register| {
                inside.insert(register);
            });
            statement.buffers(&mut |buffer, _| touched += usize::from(buffer == to.buffer));
        });
        if touched != 1 || !around.private.contains(&to.buffer) {
            return None;
        }
        let bound = |block: &'_ [Statement], wanted: Register| {
            block.iter().find_map(|statement| match statement {
                Statement::Let(register, expression) if *register == wanted => Some(expression.clone()),
                _ => None,
            })
        };
        let known = |statement: &Statement| {
            matches!(
                statement,
                Statement::Let(_, Expression::Position(..) | Expression::Load(_) | Expression::Real(..))
            )
        };
        let Expression::Real(primitive, factors) = bound(terms, *term)? else { return None };
        let exact = *primitive == scalar::EXACT_MUL;
        let [Operand::Register(a), Operand::Register(b)] = factors[..] else { return None };
        if !(exact || *primitive == scalar::MUL) || !terms.iter().all(known) {
            return None;
        }
        let (element, factor) = match (bound(terms, a), bound(terms, b)) {
            (Some(Expression::Load(element)), None) => (element, b),
            (None, Some(Expression::Load(element))) => (element, a),
            _ => return None,
        };
        bound(&each.body, factor)?;
        if around.written.contains(&element.buffer) || around.private.contains(&element.buffer) {
            return None;
        }
        let at = polynomials.operand(element.at);
        let of =
            |term: i64, row: i64| with(&with(&at, each.index, &Size::Constant(term)), rows.index, &Size::Constant(row));
        let first = of(0, 0);
        let (row, column) = (of(0, 1).sub(&first)?, of(1, 0).sub(&first)?);
        let by = |register: Register, step: &Size| Size::Atom(atom(register)).mul(step);
        let all = first.add(&by(rows.index, &row)?)?.add(&by(each.index, &column)?)?;
        let is_outside = |size: &Size| {
            size.atoms().iter().all(|atom| matches!(atom, Atom::Var(var) if !inside.contains(&Register(var.0))))
        };
        let fits = at != Size::Hole && all == at && [&first, &row, &column].into_iter().all(is_outside);
        let sum = Sum { own: to.buffer, x: element.buffer, first, row, column, factor, rows: rows.count, exact };
        fits.then_some(sum)
    }

    /// A loop over blocks of terms in the place of one over terms. The number of blocks is computed before the loop around.
    fn blocks(self, procedure: &mut Procedure, mut each: For, before: &mut Block) -> For {
        let site = each.site;
        let integer = |procedure: &mut Procedure, expression: Expression, block: &mut Block| {
            let register = procedure.register(Kind::Int, false);
            block.push(Statement::Let(register, expression));
            Operand::Register(register)
        };
        let more = procedure.position(Arithmetic::Add, each.count, Operand::Int(BLOCK - 1), before);
        let blocks = Expression::Int(&scalar::FLOOR_DIV, vec![more, Operand::Int(BLOCK)], site);
        let blocks = integer(procedure, blocks, before);
        let (factors, product) = (procedure.buffer("factors", Kind::Real), procedure.buffer("product", Kind::Real));
        let element = |buffer: Buffer, at: Operand| Element { buffer, at };

        let index = procedure.register(Kind::Int, false);
        let mut body = Block::new();
        let from = procedure.position(Arithmetic::Mul, Operand::Register(index), Operand::Int(BLOCK), &mut body);
        let left = procedure.position(Arithmetic::Sub, each.count, from, &mut body);
        let count = Expression::Int(&scalar::MIN, vec![left, Operand::Int(BLOCK)], site);
        let count = integer(procedure, count, &mut body);

        let in_block = procedure.register(Kind::Int, false);
        each.body.pop();
        let term = Expression::Position(Arithmetic::Add, from, Operand::Register(in_block));
        each.body.insert(0, Statement::Let(each.index, term));
        let factor = element(factors, Operand::Register(in_block));
        each.body.push(Statement::Store(factor, Operand::Register(self.factor)));
        body.push(Statement::For(For { index: in_block, count, ..each }));

        let [first, row, column] =
            [&self.first, &self.row, &self.column].map(|size| procedure.polynomial(size, &mut body));
        let further = procedure.position(Arithmetic::Mul, from, column, &mut body);
        let at = procedure.position(Arithmetic::Add, first, further, &mut body);
        body.push(Statement::Product(Product {
            to: element(product, Operand::Int(0)),
            left: Strided { first: element(self.x, at), row, column },
            right: Strided { first: element(factors, Operand::Int(0)), row: Operand::Int(1), column: Operand::Int(1) },
            rows: self.rows,
            inner: count,
            columns: Operand::Int(1),
            exact: self.exact,
        }));
        let (at, sum) = (procedure.register(Kind::Int, false), procedure.register(Kind::Real, false));
        let row = vec![
            Statement::Let(sum, Expression::Load(element(product, Operand::Register(at)))),
            Statement::Add(element(self.own, Operand::Register(at)), Operand::Register(sum)),
        ];
        body.push(Statement::For(For::new(at, self.rows, true, row, site)));
        let made = [(factors, Operand::Int(BLOCK)), (product, self.rows)];
        let private = made.map(|(buffer, count)| Allocation { buffer, count, site }).to_vec();
        For { private, counted: false, ..For::new(index, blocks, false, body, site) }
    }
}
