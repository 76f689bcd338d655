//! Helpers that write statements: registers, buffers, positions, and facts about integers.

use super::bound::{Bounds, LONGEST, Moment};
use crate::program::{
    Allocation, Arithmetic, Block, Buffer, BufferInfo, Element, Expression, Fault, Kind, Operand, Register,
    RegisterInfo, Site, SiteId, Statement,
};
use riesz_core::Comparison;
use riesz_core::size::Size;
use riesz_syntax::Span;
use riesz_syntax::tree::Name;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// The statements of a procedure in the making.
pub(super) struct Builder {
    pub registers: Vec<RegisterInfo>,
    pub buffers: Vec<BufferInfo>,
    pub bounds: Bounds,
    /// The block that is being written.
    block: Block,
    /// The results computed in the enclosing blocks, innermost last.
    known: Vec<FxHashMap<Key, Register>>,
    sites: Rc<RefCell<Vec<Site>>>,
}

/// The block around one that is being written.
pub(super) struct Opened {
    around: Block,
    moment: Moment,
}

/// Computations on positions that are not written twice.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Position(Arithmetic, Atom, Atom),
    Within(Atom, Atom),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Atom {
    Register(Register),
    Int(i64),
}

fn atom(operand: Operand) -> Option<Atom> {
    match operand {
        Operand::Register(register) => Some(Atom::Register(register)),
        Operand::Int(value) => Some(Atom::Int(value)),
        Operand::Real(_) | Operand::Bool(_) => None,
    }
}

impl Builder {
    pub fn new(sites: Rc<RefCell<Vec<Site>>>) -> Builder {
        Builder {
            registers: Vec::new(),
            buffers: Vec::new(),
            bounds: Bounds::default(),
            block: Vec::new(),
            known: vec![FxHashMap::default()],
            sites,
        }
    }

    /// The code that has been written.
    pub fn finish(self) -> (Vec<RegisterInfo>, Vec<BufferInfo>, Block) {
        (self.registers, self.buffers, self.block)
    }

    pub fn site(&mut self, fault: Fault, span: Span) -> SiteId {
        let site = Site { fault, span };
        // The same place fails in the same way many times over; the last few sites are where to look.
        let mut sites = self.sites.borrow_mut();
        let recent = sites.len().saturating_sub(64);
        let at = sites[recent..].iter().position(|other| *other == site).map(|at| recent + at);
        SiteId(at.unwrap_or_else(|| {
            sites.push(site);
            sites.len() - 1
        }) as u32)
    }

    pub fn register(&mut self, kind: Kind, name: Option<Name>) -> Register {
        self.registers.push(RegisterInfo { name: name.map(Into::into), kind, mutable: false });
        Register(self.registers.len() as u32 - 1)
    }

    pub fn mutable(&mut self, kind: Kind, name: Option<Name>) -> Register {
        self.registers.push(RegisterInfo { name: name.map(Into::into), kind, mutable: true });
        let register = Register(self.registers.len() as u32 - 1);
        self.bounds.polynomials.set(register, Size::Hole);
        register
    }

    pub fn buffer(&mut self, kind: Kind, name: Option<Name>) -> Buffer {
        self.buffers.push(BufferInfo { name: name.map(Into::into), kind });
        Buffer(self.buffers.len() as u32 - 1)
    }

    pub fn kind(&self, operand: Operand) -> Kind {
        operand.kind(&self.registers)
    }

    pub fn is_mutable(&self, operand: Operand) -> bool {
        matches!(operand, Operand::Register(register) if self.registers[register.0 as usize].mutable)
    }

    pub fn push(&mut self, statement: Statement) {
        self.block.push(statement);
    }

    /// Opens a block, which [`Builder::close`] ends.
    pub fn open(&mut self) -> Opened {
        self.known.push(FxHashMap::default());
        Opened { around: std::mem::take(&mut self.block), moment: self.bounds.now() }
    }

    /// Closes a block and gives it.
    pub fn close(&mut self, opened: Opened) -> Block {
        self.known.pop();
        self.bounds.back_to(opened.moment);
        std::mem::replace(&mut self.block, opened.around)
    }

    pub fn bind(&mut self, kind: Kind, name: Option<Name>, expression: Expression) -> Operand {
        let register = self.register(kind, name);
        self.bounds.polynomials.bind(register, self.bounds.polynomials.expression(&expression));
        self.push(Statement::Let(register, expression));
        Operand::Register(register)
    }

    /// A copy of an operand that stays as it is when mutable registers change.
    pub fn settled(&mut self, operand: Operand) -> Operand {
        match self.is_mutable(operand) {
            true => self.bind(self.kind(operand), None, Expression::Copy(operand)),
            false => operand,
        }
    }

    pub fn allocate(&mut self, kind: Kind, name: Option<Name>, count: Operand, span: Span) -> Buffer {
        let buffer = self.buffer(kind, name);
        self.make(buffer, count, span);
        buffer
    }

    /// Makes a buffer of a number of elements.
    pub fn make(&mut self, buffer: Buffer, count: Operand, span: Span) {
        let site = self.site(Fault::Memory, span);
        self.push(Statement::Allocate(Allocation { buffer, count, site }));
    }

    /// Makes a buffer at least so long.
    pub fn grow(&mut self, buffer: Buffer, count: Operand, span: Span) {
        let site = self.site(Fault::Memory, span);
        self.push(Statement::Grow(Allocation { buffer, count, site }));
    }

    pub fn load(&mut self, buffer: Buffer, at: Operand, name: Option<Name>) -> Operand {
        let kind = self.buffers[buffer.0 as usize].kind;
        self.bind(kind, name, Expression::Load(Element { buffer, at }))
    }

    pub fn arithmetic(&mut self, arithmetic: Arithmetic, a: Operand, b: Operand) -> Operand {
        match arithmetic {
            Arithmetic::Add => self.add(a, b),
            Arithmetic::Sub => self.sub(a, b),
            Arithmetic::Mul => self.mul(a, b),
        }
    }

    pub fn add(&mut self, a: Operand, b: Operand) -> Operand {
        match (a, b) {
            (Operand::Int(0), other) | (other, Operand::Int(0)) => other,
            (Operand::Int(a), Operand::Int(b)) => Operand::Int(a.saturating_add(b)),
            _ => self.position(Arithmetic::Add, a, b),
        }
    }

    pub fn sub(&mut self, a: Operand, b: Operand) -> Operand {
        match (a, b) {
            (other, Operand::Int(0)) => other,
            (Operand::Int(a), Operand::Int(b)) => Operand::Int(a.saturating_sub(b)),
            _ => self.position(Arithmetic::Sub, a, b),
        }
    }

    pub fn mul(&mut self, a: Operand, b: Operand) -> Operand {
        match (a, b) {
            (Operand::Int(0), _) | (_, Operand::Int(0)) => Operand::Int(0),
            (Operand::Int(1), other) | (other, Operand::Int(1)) => other,
            (Operand::Int(a), Operand::Int(b)) => Operand::Int(a.saturating_mul(b)),
            _ => self.position(Arithmetic::Mul, a, b),
        }
    }

    fn position(&mut self, arithmetic: Arithmetic, a: Operand, b: Operand) -> Operand {
        let key = match (atom(a), atom(b)) {
            (Some(a), Some(b)) => Key::Position(arithmetic, a, b),
            _ => return self.bind(Kind::Int, None, Expression::Position(arithmetic, a, b)),
        };
        if let Some(known) = self.find(&key) {
            return known;
        }
        let computed = self.bind(Kind::Int, None, Expression::Position(arithmetic, a, b));
        if !self.is_mutable(a) && !self.is_mutable(b) {
            self.remember(key, computed);
        }
        computed
    }

    fn find(&self, key: &Key) -> Option<Operand> {
        self.known.iter().rev().find_map(|scope| scope.get(key)).copied().map(Operand::Register)
    }

    fn remember(&mut self, key: Key, operand: Operand) {
        if let (Operand::Register(register), Some(scope)) = (operand, self.known.last_mut()) {
            scope.insert(key, register);
        }
    }

    /// Makes sure that an index is one of an array of a length.
    pub fn check_index(&mut self, index: Operand, len: Operand, span: Span) {
        if self.bounds.within(index, len) {
            return;
        }
        let key = match (atom(index), atom(len)) {
            (Some(index), Some(len)) => Key::Within(index, len),
            _ => return,
        };
        if self.find(&key).is_some() {
            return;
        }
        let site = self.site(Fault::Index, span);
        let within = self.bind(Kind::Bool, None, Expression::Within(index, len));
        self.push(Statement::Check(within, site, vec![index, len]));
        if !self.is_mutable(index) {
            self.remember(key, within);
        }
    }

    /// Learns that an index is below a length.
    pub fn below(&mut self, index: Operand, len: Operand) {
        if let (Some(at), Some(len)) = (atom(index), atom(len)) {
            self.remember(Key::Within(at, len), index);
        }
    }

    /// Makes sure that a buffer can have as many elements.
    pub fn check_count(&mut self, count: Operand, span: Span) {
        if !self.bounds.is_natural(count) {
            let site = self.site(Fault::NegativeSize, span);
            let natural =
                self.bind(Kind::Bool, None, Expression::Compare(Comparison::GreaterEqual, count, Operand::Int(0)));
            self.push(Statement::Check(natural, site, vec![count]));
        }
        self.check_length(count, span);
    }

    /// Makes sure that an array is no longer than arrays are here, for a length that is not negative.
    pub fn check_length(&mut self, len: Operand, span: Span) {
        if !self.bounds.is_length(len) {
            let site = self.site(Fault::WrongShape, span);
            let most = Operand::Int(LONGEST);
            let short = self.bind(Kind::Bool, None, Expression::Compare(Comparison::LessEqual, len, most));
            self.push(Statement::Check(short, site, Vec::new()));
        }
        self.bounds.is_size(len);
    }

    /// Makes sure that two sizes are the same.
    pub fn check_equal(&mut self, a: Operand, b: Operand, fault: Fault, span: Span) {
        if self.same(a, b) {
            return;
        }
        let site = self.site(fault, span);
        let equal = self.bind(Kind::Bool, None, Expression::Equal(a, b));
        self.push(Statement::Check(equal, site, vec![a, b]));
    }

    /// Whether two lengths or strides are known to be the same.
    pub fn same(&self, a: Operand, b: Operand) -> bool {
        a == b || self.bounds.polynomials.same(a, b)
    }
}
