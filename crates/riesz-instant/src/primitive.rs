//! Functions of numbers as instructions, with the conventions of `riesz_runtime::number`. All others are functions of the
//! host, which the row of the primitive names.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value};
use cranelift_frontend::FunctionBuilder;
use riesz_primitive::{Primitive, scalar};
use riesz_program::program::Operand;

/// A function of real numbers as instructions, if it is only a few.
pub(crate) fn inline(
    builder: &mut FunctionBuilder,
    primitive: &'static Primitive,
    operands: &[Operand],
    values: &[Value],
) -> Option<Value> {
    Some(match *values {
        [x, y] if *primitive == scalar::ADD => builder.ins().fadd(x, y),
        [x, y] if *primitive == scalar::SUB => builder.ins().fsub(x, y),
        [x, y] if *primitive == scalar::MUL => builder.ins().fmul(x, y),
        [x, y] if *primitive == scalar::DIV => builder.ins().fdiv(x, y),
        [x, y] if *primitive == scalar::MIN => min(builder, x, y),
        [x, y] if *primitive == scalar::MAX => max(builder, x, y),
        [x, y] if *primitive == scalar::EXACT_MUL => exact_mul(builder, x, y),
        [x, _] if *primitive == scalar::POWI => match operands[1] {
            Operand::Real(n) if n.fract() == 0.0 && (1.0..=8.0).contains(&n.abs()) => power(builder, x, n as i32),
            _ => return None,
        },
        [x] if *primitive == scalar::NEG => builder.ins().fneg(x),
        [x] if *primitive == scalar::ABS => builder.ins().fabs(x),
        [x] if *primitive == scalar::SQRT => builder.ins().sqrt(x),
        [x] if *primitive == scalar::FLOOR => builder.ins().floor(x),
        [x] if *primitive == scalar::CEIL => builder.ins().ceil(x),
        [x] if *primitive == scalar::SIGN => sign(builder, x),
        _ => return None,
    })
}

/// The larger of two numbers, the first of equal ones; NaN if either is.
pub(crate) fn max(builder: &mut FunctionBuilder, x: Value, y: Value) -> Value {
    let less = builder.ins().fcmp(FloatCC::LessThan, x, y);
    second_if(builder, less, x, y)
}

/// The smaller of two numbers, the first of equal ones; NaN if either is.
pub(crate) fn min(builder: &mut FunctionBuilder, x: Value, y: Value) -> Value {
    let less = builder.ins().fcmp(FloatCC::LessThan, y, x);
    second_if(builder, less, x, y)
}

fn second_if(builder: &mut FunctionBuilder, condition: Value, x: Value, y: Value) -> Value {
    let nan = builder.ins().fcmp(FloatCC::Unordered, y, y);
    let second = builder.ins().bor(condition, nan);
    builder.ins().select(second, y, x)
}

/// The product in which zero times anything is zero.
fn exact_mul(builder: &mut FunctionBuilder, x: Value, y: Value) -> Value {
    let zero = builder.ins().f64const(0.0);
    let first = builder.ins().fcmp(FloatCC::Equal, x, zero);
    let second = builder.ins().fcmp(FloatCC::Equal, y, zero);
    let either = builder.ins().bor(first, second);
    let product = builder.ins().fmul(x, y);
    builder.ins().select(either, zero, product)
}

/// 1, −1 or 0; NaN of NaN.
fn sign(builder: &mut FunctionBuilder, x: Value) -> Value {
    let [zero, one, minus] = [0.0, 1.0, -1.0].map(|number| builder.ins().f64const(number));
    let nan = builder.ins().fcmp(FloatCC::Unordered, x, x);
    let otherwise = builder.ins().select(nan, x, zero);
    let below = builder.ins().fcmp(FloatCC::LessThan, x, zero);
    let otherwise = builder.ins().select(below, minus, otherwise);
    let above = builder.ins().fcmp(FloatCC::GreaterThan, x, zero);
    builder.ins().select(above, one, otherwise)
}

/// A small whole power, as `riesz_runtime::powi` multiplies it.
fn power(builder: &mut FunctionBuilder, x: Value, n: i32) -> Value {
    let x = match n < 0 {
        true => {
            let one = builder.ins().f64const(1.0);
            builder.ins().fdiv(one, x)
        }
        false => x,
    };
    if n.abs() == 1 {
        return x;
    }
    let square = builder.ins().fmul(x, x);
    let mut times = |a, b| builder.ins().fmul(a, b);
    match n.abs() {
        2 => square,
        3 => times(square, x),
        4 => times(square, square),
        5 => {
            let fourth = times(square, square);
            times(fourth, x)
        }
        6 => {
            let fourth = times(square, square);
            times(fourth, square)
        }
        7 => {
            let (fourth, third) = (times(square, square), times(square, x));
            times(fourth, third)
        }
        _ => {
            let fourth = times(square, square);
            times(fourth, fourth)
        }
    }
}

/// The quotient of integers, rounded down, and what it leaves, by a positive number.
pub(crate) fn floor_div(builder: &mut FunctionBuilder, a: Value, b: Value) -> (Value, Value) {
    let quotient = builder.ins().sdiv(a, b);
    let back = builder.ins().imul(quotient, b);
    let remainder = builder.ins().isub(a, back);
    let negative = builder.ins().icmp_imm_s(IntCC::SignedLessThan, remainder, 0);
    let (less, more) = (builder.ins().iadd_imm_s(quotient, -1), builder.ins().iadd(remainder, b));
    (builder.ins().select(negative, less, quotient), builder.ins().select(negative, more, remainder))
}
