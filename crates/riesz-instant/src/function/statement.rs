//! Statements.

use super::lanes::Lanes;
use super::strip::Levels;
use super::{Number, Place, Translator, trusted};
use crate::host;
use crate::machine::number;
use crate::primitive;
use crate::run::Header;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{BlockArg, InstBuilder, StackSlotData, StackSlotKind, Value, types};
use riesz_program::program::{
    Allocation, Argument, Block, Buffer, Call, Combine, Element, For, Kind, Matrix, Operand, Outcome, Product, SiteId,
    Statement, Strided, Target, While,
};
use riesz_program::scope::{Counting, counting, leaves_nothing};
use riesz_runtime::Context;
use std::mem::{offset_of, size_of};

/// The most elements of a buffer in the frame, and the most bytes of all of them: a recursion may be deep.
const FEW: i64 = 32;
const MOST_LOCAL: u32 = 4096;
/// How many iterations of straight code are not counted.
const SHORT: i64 = 4096;

impl Translator<'_> {
    pub(super) fn statement(&mut self, statement: &Statement, outermost: bool) {
        match statement {
            Statement::Let(register, expression) => {
                let value = self.expression(*register, expression);
                self.bind(*register, value);
            }
            Statement::Set(register, value) => {
                let value = self.operand(*value);
                self.bind(*register, value);
            }
            Statement::Reduce(register, combine, value) => {
                let (before, value) = (self.operand(Operand::Register(*register)), self.operand(*value));
                let value = self.combine(*combine, before, value);
                self.bind(*register, value);
            }
            Statement::Allocate(allocation) => self.allocate(allocation),
            Statement::Grow(allocation) => self.grow(allocation),
            Statement::Fill(element, count, value) => self.fill(*element, *count, *value),
            Statement::Copy { to, from, count } => {
                let size = self.size_of(to.buffer);
                let (to, from, count) = (self.address(*to), self.address(*from), self.operand(*count));
                let bytes = if size == 1 { count } else { self.builder.ins().ishl_imm_u(count, 3) };
                self.call_host(&host::copy(), &[to, from, bytes]);
            }
            Statement::Store(element, value) => {
                let value = self.operand(*value);
                let (base, offset) = self.element(*element);
                self.builder.ins().store(trusted(), value, base, offset);
            }
            Statement::Add(element, value) => {
                let value = self.operand(*value);
                let (base, offset) = self.element(*element);
                let kind = self.kind_of(element.buffer);
                let before = self.builder.ins().load(number(kind), trusted(), base, offset);
                let sum = match kind {
                    Kind::Real => self.builder.ins().fadd(before, value),
                    Kind::Int | Kind::Bool => self.builder.ins().iadd(before, value),
                };
                self.builder.ins().store(trusted(), sum, base, offset);
            }
            Statement::For(each) => self.each(each, outermost),
            Statement::While(each) => self.repeat(each),
            Statement::If(condition, yes, no) => self.branch(*condition, yes, no),
            Statement::Check(condition, site, told) => {
                let condition = self.operand(*condition);
                self.check(condition, *site, told);
            }
            Statement::Swap(a, b) => {
                let (at_a, at_b) = (self.buffer(*a), self.buffer(*b));
                self.place(*a, at_b);
                self.place(*b, at_a);
            }
            Statement::Call(call) => self.call(call),
            Statement::Product(product) => self.product(product),
            Statement::Matrix(matrix) => self.matrix(matrix),
        }
    }

    fn combine(&mut self, combine: Combine, a: Value, b: Value) -> Value {
        match combine {
            Combine::Sum => self.builder.ins().fadd(a, b),
            Combine::Product => self.builder.ins().fmul(a, b),
            Combine::Max => primitive::max(&mut self.builder, a, b),
            Combine::Min => primitive::min(&mut self.builder, a, b),
            Combine::Least => self.builder.ins().smin(a, b),
            Combine::All => self.builder.ins().band(a, b),
            Combine::Any => self.builder.ins().bor(a, b),
        }
    }

    fn allocate(&mut self, Allocation { buffer, count, site }: &Allocation) {
        let size = self.size_of(*buffer);
        if let Operand::Int(few) = *count
            && few <= FEW
            && self.stays(*buffer)
            && self.local + (few.max(0) * size) as u32 <= MOST_LOCAL
        {
            return self.allocate_in_frame(*buffer, few.max(0), *site);
        }
        let (run, count, site) = (self.run, self.operand(*count), self.int(i64::from(site.0)));
        let size = self.int(size);
        let address = self.ask_host(&host::allocate(), &[run, count, size, site]);
        self.require(address, |_| {});
        self.place(*buffer, address);
    }

    /// Whether a buffer is gone when the procedure ends, and never changes its place.
    fn stays(&self, buffer: Buffer) -> bool {
        !self.moved.contains(&buffer) && !self.procedure.results.contains(&Outcome::Buffer(buffer))
    }

    fn allocate_in_frame(&mut self, buffer: Buffer, count: i64, site: SiteId) {
        let bytes = count * self.size_of(buffer);
        let memory = self.limit(types::I64, offset_of!(Context, memory));
        let left = self.builder.ins().iadd_imm_s(memory, -bytes);
        self.set_limit(offset_of!(Context, memory), left);
        let enough = self.builder.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, left, 0);
        self.check(enough, site, &[Operand::Int(count)]);
        self.local += bytes as u32;
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, bytes.max(8) as u32, 4);
        let slot = self.builder.create_sized_stack_slot(data);
        let address = self.builder.ins().stack_addr(types::I64, slot, 0);
        self.buffers[buffer.0 as usize] = Place::Frame(address);
        if self.kind_of(buffer) == Kind::Bool {
            let (count, no) = (self.int(count), self.operand(Operand::Bool(false)));
            self.call_host(&host::fill_bools(), &[address, count, no]);
        }
    }

    fn grow(&mut self, Allocation { buffer, count, site }: &Allocation) {
        let (address, count) = (self.buffer(*buffer), self.operand(*count));
        let offset = offset_of!(Header, count) as i32 - size_of::<Header>() as i32;
        let there = self.builder.ins().load(types::I64, trusted(), address, offset);
        let enough = self.builder.ins().icmp(IntCC::SignedLessThanOrEqual, count, there);
        let (grow, go_on) = (self.builder.create_block(), self.builder.create_block());
        self.builder.ins().brif(enough, go_on, &[], grow, &[]);
        self.builder.switch_to_block(grow);
        self.builder.seal_block(grow);
        let (run, size, site) = (self.run, self.size_of(*buffer), self.int(i64::from(site.0)));
        let size = self.int(size);
        let grown = self.ask_host(&host::grow(), &[run, address, count, size, site]);
        self.require(grown, |_| {});
        self.place(*buffer, grown);
        self.builder.ins().jump(go_on, &[]);
        self.builder.switch_to_block(go_on);
        self.builder.seal_block(go_on);
    }

    fn fill(&mut self, element: Element, count: Operand, value: Operand) {
        if let Operand::Int(count) = count
            && count <= 4
        {
            let size = self.size_of(element.buffer);
            let value = self.operand(value);
            let (base, offset) = self.element(element);
            let offset: i64 = offset.into();
            for at in 0..count {
                self.builder.ins().store(trusted(), value, base, (offset + at * size) as i32);
            }
            return;
        }
        let (to, count, value) = (self.address(element), self.operand(count), self.operand(value));
        let host = match self.kind_of(element.buffer) {
            Kind::Real => host::fill_reals(),
            Kind::Int => host::fill_ints(),
            Kind::Bool => host::fill_bools(),
        };
        self.call_host(&host, &[to, count, value]);
    }

    /// Takes steps.
    pub(super) fn step(&mut self, count: Value, site: SiteId) {
        let steps = self.limit(types::I64, offset_of!(Context, steps));
        let left = self.builder.ins().isub(steps, count);
        self.set_limit(offset_of!(Context, steps), left);
        let enough = self.builder.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, left, 0);
        let goes_on = self.goes_on();
        let fine = self.builder.ins().band(enough, goes_on);
        self.check(fine, site, &[]);
    }

    fn each(&mut self, each: &For, outermost: bool) {
        each.private.iter().for_each(|allocation| self.allocate(allocation));
        let count = self.operand(each.count);
        // The loop around short straight code counts: a check costs as much as some iterations here.
        let is_short = !outermost
            && matches!(each.count, Operand::Int(..=SHORT))
            && each.body.iter().all(|statement| {
                !matches!(statement, Statement::For(_) | Statement::While(_) | Statement::Call(_) | Statement::If(..))
            });
        if !is_short && counting(each, outermost) != Counting::None {
            let zero = self.int(0);
            let taken = self.builder.ins().smax(count, zero);
            self.step(taken, each.site);
        }
        if let Some(levels) = Levels::of(each)
            && self.has_room(&levels)
        {
            return self.strips(each, &levels);
        }
        let first = match Lanes::of(self.procedure, &self.large, each) {
            Some(lanes) => self.in_lanes(each, &lanes),
            None => self.int(0),
        };
        let (iteration, behind) = (self.builder.create_block(), self.builder.create_block());
        let index = self.builder.append_block_param(iteration, types::I64);
        let some = self.builder.ins().icmp(IntCC::SignedGreaterThan, count, first);
        self.builder.ins().brif(some, iteration, &[BlockArg::Value(first)], behind, &[]);
        self.builder.switch_to_block(iteration);
        self.numbers[each.index.0 as usize] = Number::Value(index);
        self.iteration(&each.body);
        let next = self.builder.ins().iadd_imm_s(index, 1);
        let more = self.builder.ins().icmp(IntCC::SignedLessThan, next, count);
        self.builder.ins().brif(more, iteration, &[BlockArg::Value(next)], behind, &[]);
        self.builder.seal_block(iteration);
        self.builder.switch_to_block(behind);
        self.builder.seal_block(behind);
    }

    fn repeat(&mut self, each: &While) {
        each.private.iter().for_each(|allocation| self.allocate(allocation));
        let [head, iteration, behind] = [(); 3].map(|()| self.builder.create_block());
        self.builder.ins().jump(head, &[]);
        self.builder.switch_to_block(head);
        self.block(&each.before, false);
        let condition = self.operand(each.condition);
        self.builder.ins().brif(condition, iteration, &[], behind, &[]);
        self.builder.switch_to_block(iteration);
        self.builder.seal_block(iteration);
        let one = self.int(1);
        self.step(one, each.site);
        self.iteration(&each.body);
        self.release(riesz_program::scope::made(&each.before));
        self.builder.ins().jump(head, &[]);
        self.builder.seal_block(head);
        self.builder.switch_to_block(behind);
        self.builder.seal_block(behind);
        self.release(riesz_program::scope::made(&each.before));
    }

    /// An iteration of a loop. The buffers that it makes are gone behind it, and it gives back what they took.
    fn iteration(&mut self, body: &Block) {
        let before = leaves_nothing(body).then(|| self.limit(types::I64, offset_of!(Context, memory)));
        self.nested(body);
        if let Some(before) = before {
            self.set_limit(offset_of!(Context, memory), before);
        }
    }

    fn branch(&mut self, condition: Operand, yes: &Block, no: &Block) {
        let condition = self.operand(condition);
        let [then, otherwise, behind] = [(); 3].map(|()| self.builder.create_block());
        self.builder.ins().brif(condition, then, &[], otherwise, &[]);
        for (start, block) in [(then, yes), (otherwise, no)] {
            self.builder.switch_to_block(start);
            self.builder.seal_block(start);
            self.nested(block);
            self.builder.ins().jump(behind, &[]);
        }
        self.builder.switch_to_block(behind);
        self.builder.seal_block(behind);
    }

    fn product(&mut self, product: &Product) {
        let to = self.address(product.to);
        let mut words = vec![to];
        for Strided { first, row, column } in [product.left, product.right] {
            words.push(self.address(first));
            words.push(self.operand(row));
            words.push(self.operand(column));
        }
        words.extend([product.rows, product.inner, product.columns].map(|size| self.operand(size)));
        words.push(self.int(i64::from(product.exact)));
        let words = self.frame(&words);
        self.call_host(&host::product(), &[words]);
    }

    fn matrix(&mut self, matrix: &Matrix) {
        let mut words = vec![self.int(i64::from(matrix.site.0)), self.address(matrix.to), self.operand(matrix.count)];
        words.push(self.address(matrix.a));
        words.extend(matrix.shape.map(|size| self.operand(size)));
        words.push(self.operand(matrix.n));
        match matrix.b {
            Some((element, columns)) => words.extend([self.address(element), self.operand(columns)]),
            None => words.extend([self.int(0), self.int(0)]),
        }
        let (run, words) = (self.run, self.frame(&words));
        let failed = self.ask_host(&host::matrix(matrix.function), &[run, words]);
        let fine = self.builder.ins().icmp_imm_s(IntCC::Equal, failed, 0);
        self.require(fine, |_| {});
    }

    /// Words in the frame, and where they are.
    fn frame(&mut self, words: &[Value]) -> Value {
        let at = self.words(words.len());
        for (place, word) in words.iter().enumerate() {
            self.builder.ins().store(trusted(), *word, at, 8 * place as i32);
        }
        at
    }

    fn call(&mut self, call: &Call) {
        let site = call.site;
        // As `Context::enter`.
        let [depth, steps] = [offset_of!(Context, depth), offset_of!(Context, steps)].map(|limit| {
            let before = self.limit(types::I64, limit);
            let left = self.builder.ins().iadd_imm_s(before, -1);
            self.set_limit(limit, left);
            left
        });
        let both = self.builder.ins().bor(depth, steps);
        let enough = self.builder.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, both, 0);
        let here = self.builder.ins().get_stack_pointer(types::I64);
        let lowest = self.limit(types::I64, offset_of!(Context, stack));
        let room = self.builder.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, here, lowest);
        let goes_on = self.goes_on();
        let fine = self.builder.ins().band(enough, room);
        let fine = self.builder.ins().band(fine, goes_on);
        self.check(fine, site, &[]);
        let mut arguments = vec![self.run];
        let mut cells = Vec::new();
        for argument in &call.arguments {
            arguments.push(match *argument {
                Argument::Number(operand) => self.operand(operand),
                Argument::Elements(element, _) => self.address(element),
                Argument::Whole(buffer) => match self.buffers[buffer.0 as usize] {
                    Place::Cell(cell) => cell,
                    _ => {
                        let address = self.buffer(buffer);
                        let cell = self.frame(&[address]);
                        cells.push((buffer, cell));
                        cell
                    }
                },
            });
        }
        let results = self.words(call.results.len());
        arguments.push(results);
        let function = self.module.called(call.procedure, self.builder.func);
        let called = self.builder.ins().call(function, &arguments);
        let failed = self.builder.inst_results(called)[0];
        let fine = self.builder.ins().icmp_imm_s(IntCC::Equal, failed, 0);
        self.require(fine, |this| {
            let (run, site) = (this.run, this.int(i64::from(site.0)));
            this.call_host(&host::called(), &[run, site]);
        });
        let left = self.limit(types::I64, offset_of!(Context, depth));
        let left = self.builder.ins().iadd_imm_s(left, 1);
        self.set_limit(offset_of!(Context, depth), left);
        for (buffer, cell) in cells {
            let address = self.builder.ins().load(types::I64, trusted(), cell, 0);
            self.place(buffer, address);
        }
        for (at, target) in call.results.iter().enumerate() {
            let ty = match *target {
                Target::Register(register) => number(self.kind(Operand::Register(register))),
                Target::Buffer(_) => types::I64,
            };
            let value = self.builder.ins().load(ty, trusted(), results, 8 * at as i32);
            match *target {
                Target::Register(register) => self.bind(register, value),
                Target::Buffer(buffer) => self.place(buffer, value),
            }
        }
    }
}
