//! Expressions.

use crate::Refused;
use crate::function::{Writer, c, operand, site};
use riesz_primitive::Primitive;
use riesz_program::foreign::Foreign;
use riesz_program::program::{Expression, Kind, Operand, Register};
use riesz_syntax::Span;

impl Writer<'_> {
    /// Binds a register.
    pub fn bind(&mut self, register: Register, expression: &Expression) {
        let name = Foreign::Register(register);
        let value = match expression {
            Expression::Real(primitive, operands) => {
                self.spelled(primitive, primitive.scalar().map_or("", |row| row.c), operands, self.procedure.span)
            }
            Expression::Int(primitive, operands, at) => {
                let integer = primitive.scalar().and_then(|row| row.integer.as_ref());
                let spelling = integer.map_or("", |integer| integer.c);
                let spelled = self.spelled(primitive, spelling, operands, self.program.site(*at).span);
                if spelled.contains("{to}") {
                    if integer.is_some_and(|integer| (integer.value)(&[1, 0]).is_none()) {
                        self.check(&format!("({} != 0)", operand(operands[1])), &site(*at), &site(*at), operands);
                    }
                    self.line(format!("int64_t {name};"));
                    let checked = spelled.replace("{to}", &format!("&{name}"));
                    return self.check(&checked, "RIESZ_OVERFLOW", &site(*at), operands);
                }
                spelled
            }
            Expression::Truncate(value, at) => {
                self.line(format!("int64_t {name};"));
                let truncated = format!("riesz_truncate({}, &{name})", operand(*value));
                return self.check(&truncated, &site(*at), &site(*at), &[]);
            }
            Expression::Position(arithmetic, a, b) if self.fixed.contains(&register) => {
                let function = format!("riesz_size_{arithmetic:?}").to_lowercase();
                format!("{function}({}, {})", operand(*a), operand(*b))
            }
            plain => self.expression(plain),
        };
        self.line(format!("const {} {name} = {value};", c(self.procedure.kind(Operand::Register(register)))));
    }

    /// The C of a primitive. Where its row has none, the program is refused.
    fn spelled(&mut self, primitive: &Primitive, spelling: &str, operands: &[Operand], span: Span) -> String {
        if spelling.is_empty() {
            self.refused = Some(Refused { what: format!("`{}`", primitive.name), span });
        }
        let fill = |text: String, (at, given): (usize, &Operand)| text.replace(&format!("{{{at}}}"), &operand(*given));
        operands.iter().enumerate().fold(spelling.to_string(), fill)
    }

    /// Fails with a message unless a condition holds.
    pub fn check(&mut self, condition: &str, message: &str, site: &str, told: &[Operand]) {
        let told = [0, 1, 2].map(|at| told.get(at).map_or("0".into(), |told| operand(*told)));
        self.line(format!("if (!{condition}) return riesz_fail(run, {message}, {site}, {});", told.join(", ")));
    }

    fn expression(&self, expression: &Expression) -> String {
        let show = |shown: &Operand| operand(*shown);
        match expression {
            Expression::Copy(a) => show(a),
            Expression::Position(arithmetic, a, b) => format!("{} {} {}", show(a), arithmetic.sign(), show(b)),
            Expression::Compare(comparison, a, b) => format!("{} {} {}", show(a), comparison.sign(), show(b)),
            Expression::Equal(a, b) => format!("{} == {}", show(a), show(b)),
            Expression::Near(a, b, tolerance) => match self.procedure.kind(*a) {
                Kind::Real => format!("riesz_near({}, {}, {})", show(a), show(b), show(tolerance)),
                Kind::Int => format!("riesz_near_integers({}, {}, {})", show(a), show(b), show(tolerance)),
                Kind::Bool => format!("{} == {}", show(a), show(b)),
            },
            Expression::Not(a) => format!("!{}", show(a)),
            Expression::And(a, b) => format!("{} && {}", show(a), show(b)),
            Expression::Within(index, len) => format!("0 <= {0} && {0} < {1}", show(index), show(len)),
            Expression::Select(condition, a, b) => format!("{} ? {} : {}", show(condition), show(a), show(b)),
            Expression::ToReal(a) => format!("(double){}", show(a)),
            Expression::IsNan(a) => format!("isnan({})", show(a)),
            Expression::Load(element) => self.element(*element),
            // These are written where they are bound.
            Expression::Real(..) | Expression::Int(..) | Expression::Truncate(..) => String::new(),
        }
    }
}
