//! Innermost loops with independent iterations in lanes: four iterations at a time, in two registers of two numbers.
//!
//! ```text
//! for i < n { y += a[i] · b[i] }   =   for each four i { [y₀ y₁ y₂ y₃] += a[i ..] · b[i ..] };  y += y₀ + y₁ + y₂ + y₃
//! ```
//!
//! Sums of lanes do not wait for each other, and are added after the loop, so only the order of rounding changes. The last
//! iterations run one by one. A loop runs in lanes if all that it does is arithmetic: it makes no buffers, calls nothing,
//! and cannot fail.

use super::{Translator, trusted};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::immediates::Offset32;
use cranelift_codegen::ir::{BlockArg, InstBuilder, MemFlagsData, Value, types};
use cranelift_frontend::Variable;
use riesz_core::Comparison;
use riesz_primitive::{Primitive, scalar};
use riesz_program::any_buffer;
use riesz_program::program::{
    Arithmetic, Buffer, Combine, Element, Expression, For, Kind, Operand, Procedure, Register, Statement,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// How many iterations run at a time, and how many registers their numbers take.
const LANES: i64 = 4;
const REGISTERS: usize = 2;

/// The functions of numbers that vectors are computed by.
const FUNCTIONS: [&Primitive; 9] = [
    &scalar::ADD,
    &scalar::SUB,
    &scalar::MUL,
    &scalar::DIV,
    &scalar::NEG,
    &scalar::ABS,
    &scalar::SQRT,
    &scalar::EXACT_MUL,
    &scalar::MAX,
];

/// How a number differs between iterations.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    /// An integer that grows by a number from one to the next; whether that is one.
    Linear { adjacent: bool },
    /// A number.
    Real,
    /// A truth value.
    Mask,
}

/// The numbers of a loop that are not the same in all iterations.
pub(super) struct Lanes {
    classes: FxHashMap<Register, Class>,
    /// The registers into which iterations sum.
    sums: Vec<Register>,
}

impl Lanes {
    /// The lanes of a loop; none where it does more than they can.
    pub fn of(procedure: &Procedure, large: &FxHashSet<Register>, each: &For) -> Option<Lanes> {
        let few = matches!(each.count, Operand::Int(count) if count < LANES);
        if !each.parallel || few || !each.private.is_empty() {
            return None;
        }
        let mut lanes = Lanes { classes: FxHashMap::default(), sums: Vec::new() };
        lanes.classes.insert(each.index, Class::Linear { adjacent: true });
        let (mut read, mut written) = (FxHashSet::<Buffer>::default(), FxHashSet::<Buffer>::default());
        for statement in &each.body {
            let into = match statement {
                Statement::Store(..) | Statement::Add(..) => &mut written,
                Statement::Let(_, Expression::Load(_)) => &mut read,
                _ => continue,
            };
            any_buffer(statement, &mut |buffer| {
                into.insert(buffer);
                false
            });
        }
        if read.intersection(&written).next().is_some() {
            return None;
        }
        let real = |buffer: Buffer| procedure.buffers[buffer.0 as usize].kind == Kind::Real;
        for statement in &each.body {
            match statement {
                Statement::Let(register, _) if large.contains(register) => return None,
                Statement::Let(register, expression) => {
                    if let Some(class) = lanes.class_of(procedure, expression)? {
                        lanes.classes.insert(*register, class);
                    }
                }
                Statement::Reduce(register, Combine::Sum, value) if lanes.is_real(procedure, *value) => {
                    if !lanes.sums.contains(register) {
                        lanes.sums.push(*register);
                    }
                }
                Statement::Store(element, value) | Statement::Add(element, value) => {
                    let apart = matches!(statement, Statement::Add(..)) || lanes.class(element.at).is_some();
                    if !real(element.buffer) || !apart || !lanes.is_real(procedure, *value) {
                        return None;
                    }
                    if matches!(lanes.class(element.at), Some(Class::Real | Class::Mask)) {
                        return None;
                    }
                }
                _ => return None,
            }
        }
        let uses_sum = |statement: &Statement| {
            let mut found = false;
            if !matches!(statement, Statement::Reduce(..)) {
                riesz_program::each_operand(statement, &mut |operand| {
                    found |= matches!(operand, Operand::Register(register) if lanes.sums.contains(&register));
                });
            }
            found
        };
        (!each.body.iter().any(uses_sum)).then_some(lanes)
    }

    fn class(&self, operand: Operand) -> Option<Class> {
        match operand {
            Operand::Register(register) => self.classes.get(&register).copied(),
            _ => None,
        }
    }

    fn is_real(&self, procedure: &Procedure, operand: Operand) -> bool {
        match self.class(operand) {
            None => procedure.kind(operand) == Kind::Real,
            class => class == Some(Class::Real),
        }
    }

    /// The class of the value of an expression, which is the same in all iterations if there is none.
    fn class_of(&self, procedure: &Procedure, expression: &Expression) -> Option<Option<Class>> {
        let real = |operand: &Operand| self.is_real(procedure, *operand);
        let differs = |operand: &Operand| self.class(*operand).is_some();
        Some(match expression {
            Expression::Load(element) => match self.class(element.at) {
                None => None,
                Some(Class::Linear { .. }) if procedure.buffers[element.buffer.0 as usize].kind == Kind::Real => {
                    Some(Class::Real)
                }
                Some(_) => return None,
            },
            Expression::Copy(a) => self.class(*a),
            Expression::Position(arithmetic, a, b) => match (arithmetic, self.class(*a), self.class(*b)) {
                (_, None, None) => None,
                (Arithmetic::Add, Some(Class::Linear { adjacent }), None)
                | (Arithmetic::Sub, Some(Class::Linear { adjacent }), None)
                | (Arithmetic::Add, None, Some(Class::Linear { adjacent })) => Some(Class::Linear { adjacent }),
                (Arithmetic::Mul, Some(Class::Linear { .. }), None)
                | (Arithmetic::Mul, None, Some(Class::Linear { .. })) => Some(Class::Linear { adjacent: false }),
                _ => return None,
            },
            Expression::Real(primitive, operands) => {
                if !FUNCTIONS.contains(primitive) || !operands.iter().all(real) {
                    return None;
                }
                operands.iter().any(differs).then_some(Class::Real)
            }
            Expression::Compare(_, a, b) if real(a) && real(b) => (differs(a) || differs(b)).then_some(Class::Mask),
            Expression::Select(c, a, b) if self.class(*c) == Some(Class::Mask) && real(a) && real(b) => {
                Some(Class::Real)
            }
            Expression::Not(a) => match self.class(*a) {
                None | Some(Class::Mask) => self.class(*a),
                Some(_) => return None,
            },
            _ => return None,
        })
    }
}

/// A number in all lanes.
#[derive(Clone, Copy)]
enum Wide {
    /// That of the first lane is bound; the distance to the next, where it is not one.
    Linear(Option<Value>),
    /// A number, or the bits of a truth value.
    Vector([Value; REGISTERS]),
}

type Wides = FxHashMap<Register, Wide>;

impl Translator<'_> {
    /// The iterations of a loop that fill vectors; how many they are.
    pub(super) fn in_lanes(&mut self, each: &For, lanes: &Lanes) -> Value {
        let count = self.operand(each.count);
        let sums: Vec<(Register, [Variable; REGISTERS])> = lanes
            .sums
            .iter()
            .map(|register| (*register, std::array::from_fn(|_| self.builder.declare_var(types::F64X2))))
            .collect();
        // The sum of −0 and a number is the number.
        let start = self.builder.ins().f64const(-0.0);
        let start = self.builder.ins().splat(types::F64X2, start);
        sums.iter().flat_map(|(_, parts)| parts).for_each(|part| self.builder.def_var(*part, start));
        let [iteration, behind] = [(); 2].map(|()| self.builder.create_block());
        let at = self.builder.append_block_param(iteration, types::I64);
        let done = self.builder.append_block_param(behind, types::I64);
        let (zero, last) = (self.int(0), self.builder.ins().iadd_imm_s(count, -LANES));
        let some = self.builder.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, count, LANES);
        self.builder.ins().brif(some, iteration, &[BlockArg::Value(zero)], behind, &[BlockArg::Value(zero)]);
        self.builder.switch_to_block(iteration);
        self.numbers[each.index.0 as usize] = super::Number::Value(at);
        let mut wides = Wides::default();
        wides.insert(each.index, Wide::Linear(None));
        for statement in &each.body {
            self.wide_statement(statement, lanes, &sums, &mut wides);
        }
        let next = self.builder.ins().iadd_imm_s(at, LANES);
        let more = self.builder.ins().icmp(IntCC::SignedLessThanOrEqual, next, last);
        self.builder.ins().brif(more, iteration, &[BlockArg::Value(next)], behind, &[BlockArg::Value(next)]);
        self.builder.seal_block(iteration);
        self.builder.switch_to_block(behind);
        self.builder.seal_block(behind);
        for (register, parts) in sums {
            let parts = parts.map(|part| self.builder.use_var(part));
            let sum = self.sum_of_lanes(parts);
            let before = self.operand(Operand::Register(register));
            let sum = self.builder.ins().fadd(before, sum);
            self.bind(register, sum);
        }
        done
    }

    fn wide_statement(
        &mut self,
        statement: &Statement,
        lanes: &Lanes,
        sums: &[(Register, [Variable; REGISTERS])],
        wides: &mut Wides,
    ) {
        match statement {
            Statement::Let(register, expression) => match lanes.classes.get(register) {
                None => self.statement(statement, false),
                Some(Class::Linear { .. }) => {
                    let step = self.step_of(expression, wides);
                    self.statement(statement, false);
                    wides.insert(*register, Wide::Linear(step));
                }
                Some(Class::Real | Class::Mask) => {
                    let parts = self.wide_expression(expression, wides);
                    wides.insert(*register, Wide::Vector(parts));
                }
            },
            Statement::Reduce(register, _, value) => {
                let value = self.wide(*value, wides);
                let Some((_, parts)) = sums.iter().find(|(sum, _)| sum == register) else { return };
                for (part, value) in parts.iter().zip(value) {
                    let before = self.builder.use_var(*part);
                    let sum = self.builder.ins().fadd(before, value);
                    self.builder.def_var(*part, sum);
                }
            }
            Statement::Store(element, value) => {
                let value = self.wide(*value, wides);
                self.write(*element, value, wides, false);
            }
            Statement::Add(element, value) => {
                let value = self.wide(*value, wides);
                self.write(*element, value, wides, true);
            }
            _ => {}
        }
    }

    /// The distance from a linear integer to that of the next iteration, where it is not one.
    fn step_of(&mut self, expression: &Expression, wides: &Wides) -> Option<Value> {
        let linear = |operand: &Operand| match operand {
            Operand::Register(register) => match wides.get(register) {
                Some(Wide::Linear(step)) => Some(*step),
                _ => None,
            },
            _ => None,
        };
        match expression {
            Expression::Position(arithmetic, a, b) => {
                let (step, other) = match (linear(a), linear(b)) {
                    (Some(step), _) => (step, *b),
                    (None, step) => (step.flatten(), *a),
                };
                match arithmetic {
                    Arithmetic::Add | Arithmetic::Sub => step,
                    Arithmetic::Mul => {
                        let by = self.operand(other);
                        Some(match step {
                            Some(step) => self.builder.ins().imul(step, by),
                            None => by,
                        })
                    }
                }
            }
            Expression::Copy(a) => linear(a).flatten(),
            _ => None,
        }
    }

    /// An operand in lanes.
    fn wide(&mut self, operand: Operand, wides: &Wides) -> [Value; REGISTERS] {
        if let Operand::Register(register) = operand
            && let Some(Wide::Vector(parts)) = wides.get(&register)
        {
            return *parts;
        }
        let value = self.operand(operand);
        [self.builder.ins().splat(types::F64X2, value); REGISTERS]
    }

    fn wide_expression(&mut self, expression: &Expression, wides: &Wides) -> [Value; REGISTERS] {
        match expression {
            Expression::Copy(a) => self.wide(*a, wides),
            Expression::Load(element) => self.read(*element, wides),
            Expression::Real(primitive, operands) => {
                let operands: Vec<[Value; REGISTERS]> = operands.iter().map(|a| self.wide(*a, wides)).collect();
                std::array::from_fn(|part| match operands[..] {
                    [a] => self.wide_function(primitive, a[part], a[part]),
                    [a, b, ..] => self.wide_function(primitive, a[part], b[part]),
                    [] => self.run,
                })
            }
            Expression::Compare(comparison, a, b) => {
                let condition = match comparison {
                    Comparison::Less => FloatCC::LessThan,
                    Comparison::LessEqual => FloatCC::LessThanOrEqual,
                    Comparison::Greater => FloatCC::GreaterThan,
                    Comparison::GreaterEqual => FloatCC::GreaterThanOrEqual,
                };
                let (a, b) = (self.wide(*a, wides), self.wide(*b, wides));
                std::array::from_fn(|part| self.builder.ins().fcmp(condition, a[part], b[part]))
            }
            Expression::Not(a) => self.wide(*a, wides).map(|part| self.builder.ins().bnot(part)),
            Expression::Select(condition, a, b) => {
                let [condition, a, b] = [condition, a, b].map(|operand| self.wide(*operand, wides));
                std::array::from_fn(|part| self.choice(condition[part], a[part], b[part]))
            }
            _ => [self.run; REGISTERS],
        }
    }

    /// One vector or the other, in each lane.
    fn choice(&mut self, mask: Value, yes: Value, no: Value) -> Value {
        let mask = self.builder.ins().bitcast(types::F64X2, little(), mask);
        self.builder.ins().bitselect(mask, yes, no)
    }

    /// A function of vectors, as `primitive` has it of numbers.
    fn wide_function(&mut self, primitive: &Primitive, x: Value, y: Value) -> Value {
        if primitive == &scalar::ADD {
            self.builder.ins().fadd(x, y)
        } else if primitive == &scalar::SUB {
            self.builder.ins().fsub(x, y)
        } else if primitive == &scalar::MUL {
            self.builder.ins().fmul(x, y)
        } else if primitive == &scalar::DIV {
            self.builder.ins().fdiv(x, y)
        } else if primitive == &scalar::NEG {
            self.builder.ins().fneg(x)
        } else if primitive == &scalar::ABS {
            self.builder.ins().fabs(x)
        } else if primitive == &scalar::SQRT {
            self.builder.ins().sqrt(x)
        } else if primitive == &scalar::MAX {
            let less = self.builder.ins().fcmp(FloatCC::LessThan, x, y);
            let nan = self.builder.ins().fcmp(FloatCC::Unordered, y, y);
            let second = self.builder.ins().bor(less, nan);
            self.choice(second, y, x)
        } else {
            // The product in which zero times anything is zero.
            let zero = self.builder.ins().f64const(0.0);
            let zero = self.builder.ins().splat(types::F64X2, zero);
            let first = self.builder.ins().fcmp(FloatCC::Equal, x, zero);
            let second = self.builder.ins().fcmp(FloatCC::Equal, y, zero);
            let either = self.builder.ins().bor(first, second);
            let product = self.builder.ins().fmul(x, y);
            self.choice(either, zero, product)
        }
    }

    /// Where the elements of all lanes are: of all registers where they are adjacent, or else of each lane.
    fn elements(&mut self, element: Element, wides: &Wides) -> Elements {
        let step = match element.at {
            Operand::Register(register) => match wides.get(&register) {
                Some(Wide::Linear(step)) => Some(*step),
                _ => None,
            },
            _ => None,
        };
        let (base, offset) = self.element(element);
        match step {
            Some(None) => Elements::Adjacent(base, offset),
            Some(Some(step)) => {
                let bytes = self.builder.ins().ishl_imm_u(step, 3);
                let mut places = [base; LANES as usize];
                for lane in 1..LANES as usize {
                    places[lane] = self.builder.ins().iadd(places[lane - 1], bytes);
                }
                Elements::Apart(places, offset)
            }
            None => Elements::Same(base, offset),
        }
    }

    fn read(&mut self, element: Element, wides: &Wides) -> [Value; REGISTERS] {
        match self.elements(element, wides) {
            Elements::Adjacent(base, offset) => {
                std::array::from_fn(|part| self.builder.ins().load(types::F64X2, loose(), base, further(offset, part)))
            }
            Elements::Apart(places, offset) => std::array::from_fn(|part| {
                let [low, high] =
                    [0, 1].map(|lane| self.builder.ins().load(types::F64, trusted(), places[2 * part + lane], offset));
                let both = self.builder.ins().splat(types::F64X2, low);
                self.builder.ins().insertlane(both, high, 1)
            }),
            Elements::Same(base, offset) => {
                let value = self.builder.ins().load(types::F64, trusted(), base, offset);
                [self.builder.ins().splat(types::F64X2, value); REGISTERS]
            }
        }
    }

    /// Writes elements, or adds to them.
    fn write(&mut self, element: Element, value: [Value; REGISTERS], wides: &Wides, adds: bool) {
        match self.elements(element, wides) {
            Elements::Adjacent(base, offset) => {
                for (part, mut value) in value.into_iter().enumerate() {
                    let offset = further(offset, part);
                    if adds {
                        let before = self.builder.ins().load(types::F64X2, loose(), base, offset);
                        value = self.builder.ins().fadd(before, value);
                    }
                    self.builder.ins().store(loose(), value, base, offset);
                }
            }
            Elements::Apart(places, offset) => {
                for (lane, place) in places.into_iter().enumerate() {
                    let mut value = self.builder.ins().extractlane(value[lane / 2], (lane % 2) as u8);
                    if adds {
                        let before = self.builder.ins().load(types::F64, trusted(), place, offset);
                        value = self.builder.ins().fadd(before, value);
                    }
                    self.builder.ins().store(trusted(), value, place, offset);
                }
            }
            Elements::Same(base, offset) => {
                let sum = self.sum_of_lanes(value);
                let before = self.builder.ins().load(types::F64, trusted(), base, offset);
                let sum = self.builder.ins().fadd(before, sum);
                self.builder.ins().store(trusted(), sum, base, offset);
            }
        }
    }

    fn sum_of_lanes(&mut self, [a, b]: [Value; REGISTERS]) -> Value {
        let both = self.builder.ins().fadd(a, b);
        let [low, high] = [0, 1].map(|lane| self.builder.ins().extractlane(both, lane));
        self.builder.ins().fadd(low, high)
    }
}

/// Where the elements of lanes are.
enum Elements {
    /// One after the other.
    Adjacent(Value, Offset32),
    /// Each at an address.
    Apart([Value; LANES as usize], Offset32),
    /// All at one address.
    Same(Value, Offset32),
}

/// The offset of a register of adjacent elements.
fn further(offset: Offset32, part: usize) -> Offset32 {
    let offset: i64 = offset.into();
    Offset32::new((offset + 16 * part as i64) as i32)
}

/// How vectors are accessed: at addresses of their first numbers.
fn loose() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

fn little() -> MemFlagsData {
    MemFlagsData::new().with_endianness(cranelift_codegen::ir::Endianness::Little)
}
