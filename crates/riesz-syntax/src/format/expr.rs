//! Expressions.

use super::form::{COMPARISON, level};
use super::layout::Op;
use super::{Formatter, Placed};
use crate::parser::on_a_large_stack;
use crate::token::{Gap, TokenKind};
use crate::tree::{Argument, BinaryOperator, ExprId, ExprKind, Generator, LetBinding, LoopHead};

impl<'a> Formatter<'a> {
    /// An expression where the line is at its beginning whenever the groups around it are broken.
    pub(super) fn own_line_expr(&mut self, id: ExprId) {
        match self.kind(id) {
            ExprKind::Let { bindings, body } if self.newlines_count => self.let_lines(bindings, *body),
            _ => self.expr(id),
        }
    }

    /// `=` and a value: on the same line, if it fits there or can be broken inside, or else below.
    pub(super) fn value(&mut self, id: ExprId, new_line: bool) {
        self.token();
        if new_line || self.is_let_lines(id) {
            self.indent();
            self.hard_line();
            self.own_line_expr(id);
            self.dedent();
        } else if self.hugs(id) && !self.is_commented() {
            self.write(" ");
            self.expr(id);
        } else {
            self.begin();
            self.below(id);
            self.end();
        }
    }

    /// An expression on the next line, indented, if the group around it is broken; a block begins on this line.
    pub(super) fn below(&mut self, id: ExprId) {
        if self.is_block(id) && !self.is_commented() {
            self.write(" ");
            return self.expr(id);
        }
        self.indent();
        if self.is_let_lines(id) {
            self.hard_line();
        } else {
            self.line(" ");
        }
        self.own_line_expr(id);
        self.dedent();
    }

    pub(super) fn expr(&mut self, id: ExprId) {
        on_a_large_stack(|| self.expr_here(id));
    }

    fn expr_here(&mut self, id: ExprId) {
        match self.kind(id) {
            ExprKind::Integer(_) | ExprKind::Real(_) | ExprKind::Bool(_) | ExprKind::Name(_) | ExprKind::Error => {
                self.token();
            }
            ExprKind::Paren(inner) => self.bracketed(false, |formatter| formatter.expr(*inner)),
            ExprKind::Tuple(parts) => self.list(parts, false),
            ExprKind::Array(parts) => self.list(parts, true),
            ExprKind::Comprehension { body, generators } => self.bracketed(false, |formatter| {
                formatter.expr(*body);
                formatter.line(" ");
                formatter.generators(generators);
            }),
            ExprKind::Record(fields) => self.bracketed(false, |formatter| {
                formatter.keep_broken();
                for (number, (_, value)) in fields.iter().enumerate() {
                    if number > 0 {
                        formatter.comma();
                    }
                    formatter.token_space();
                    formatter.value(*value, false);
                }
            }),
            ExprKind::Block(body) => self.bracketed(true, |formatter| formatter.own_line_expr(*body)),
            ExprKind::Let { bindings, body } => self.let_in(bindings, *body),
            ExprKind::Lambda { body, .. } => self.lambda(*body),
            ExprKind::If { .. } => self.conditional(id),
            ExprKind::Loop { start, head, body, .. } => self.loop_(*start, head, *body),
            ExprKind::Unary { operand, .. } => {
                let word = self.at(TokenKind::Not);
                self.token();
                if word {
                    self.write(" ");
                }
                self.expr(*operand);
            }
            ExprKind::Binary { operator: BinaryOperator::Power, left, right, .. } => self.power(*left, *right),
            ExprKind::Binary { .. } => self.chain(id),
            ExprKind::Approximately { left, right, tolerance } => self.approximately(*left, *right, *tolerance),
            ExprKind::Call { .. } | ExprKind::Index { .. } | ExprKind::Field { .. } => self.postfix(id),
        }
    }

    /// Statements, one to a line.
    fn let_lines(&mut self, bindings: &'a [LetBinding], body: ExprId) {
        for binding in bindings {
            self.let_binding(binding);
            if self.at(TokenKind::In) {
                self.skip();
            }
            self.next_statement();
        }
        self.expr(body);
    }

    /// The same inside brackets or a line, where `in` has to be said.
    fn let_in(&mut self, bindings: &'a [LetBinding], body: ExprId) {
        self.begin();
        for binding in bindings {
            self.let_binding(binding);
            self.write(" ");
            if self.at(TokenKind::In) {
                self.token();
            } else {
                self.write("in");
            }
            self.line(" ");
        }
        self.expr(body);
        self.end();
    }

    fn let_binding(&mut self, binding: &LetBinding) {
        self.token_space();
        self.typed_until(TokenKind::Equals);
        self.write(" ");
        self.value(binding.value, false);
    }

    fn lambda(&mut self, body: ExprId) {
        self.begin();
        self.lambda_and_body(body);
        self.end();
    }

    /// Whether the body stands below the head.
    fn lambda_and_body(&mut self, body: ExprId) -> bool {
        self.lambda_head();
        let below = !self.hugs_arrow(body) || self.is_commented();
        if below {
            self.below(body);
        } else {
            self.write(" ");
            self.expr(body);
        }
        below
    }

    /// `\a b ->`
    fn lambda_head(&mut self) {
        self.token();
        while !self.at(TokenKind::Arrow) {
            self.pattern();
            self.write(" ");
        }
        self.token();
    }

    /// Conditions, each with its value beside it where there is room; broken before `else` if the author did so.
    fn conditional(&mut self, mut id: ExprId) {
        self.begin();
        while let ExprKind::If { condition, yes, no } = self.kind(id) {
            self.token_space();
            self.expr(*condition);
            self.write(" ");
            self.token();
            self.branch(*yes);
            if self.is_block(*yes) && !self.is_commented() {
                self.write(" ");
            } else {
                self.keep_broken();
                self.line(" ");
            }
            self.token();
            id = *no;
            if matches!(self.kind(id), ExprKind::If { .. }) {
                self.write(" ");
            }
        }
        self.branch(id);
        self.end();
    }

    fn branch(&mut self, id: ExprId) {
        self.begin();
        self.below(id);
        self.end();
    }

    fn loop_(&mut self, start: ExprId, head: &'a LoopHead, body: ExprId) {
        self.begin();
        self.begin();
        self.token_space();
        self.typed_until(TokenKind::Equals);
        self.write(" ");
        self.token_space();
        self.expr(start);
        self.line(" ");
        self.token_space();
        match head {
            LoopHead::For(generator) => self.generator(generator),
            LoopHead::While(condition) => self.expr(*condition),
        }
        self.end();
        self.write(" ");
        self.token();
        self.below(body);
        self.end();
    }

    fn power(&mut self, left: ExprId, right: ExprId) {
        self.expr(left);
        self.token();
        if self.current().is_keyword() {
            self.write(" ");
        }
        self.expr(right);
    }

    /// Operators of one level and their operands. A broken chain has its operators at the beginnings of lines, unless
    /// there is a `-` among them that newlines would cut off: then at the ends.
    fn chain(&mut self, id: ExprId) {
        let mut operands = Vec::new();
        let mut first = id;
        let mut subtracts = false;
        let level = self.operator(id).map(level);
        while let ExprKind::Binary { operator, left, right, .. } = self.kind(first) {
            if Some(self::level(*operator)) != level {
                break;
            }
            subtracts |= *operator == BinaryOperator::Subtract;
            operands.push(*right);
            first = *left;
        }
        let at_ends = subtracts && self.newlines_count;
        self.begin();
        self.expr(first);
        match operands[..] {
            [right] if !at_ends => {
                self.operator_line(level == Some(COMPARISON) && self.is_bracket(right));
                self.token_space();
                self.expr(right);
                self.ops.push(Op::Operand);
            }
            _ => {
                self.indent();
                for operand in operands.into_iter().rev() {
                    if at_ends {
                        self.write(" ");
                        self.token();
                        self.line(" ");
                    } else {
                        self.line(" ");
                        self.token_space();
                    }
                    self.expr(operand);
                }
                self.dedent();
            }
        }
        self.end();
    }

    fn approximately(&mut self, left: ExprId, right: ExprId, tolerance: Option<ExprId>) {
        self.begin();
        self.expr(left);
        let bracket = self.is_bracket(right);
        self.operator_line(bracket);
        self.token_space();
        self.expr(right);
        if let Some(tolerance) = tolerance {
            if bracket && !self.is_commented() {
                self.write(" ");
            } else {
                self.line(" ");
            }
            self.token_space();
            self.expr(tolerance);
        }
        self.ops.push(Op::Operand);
        self.end();
    }

    /// Calls, indices and fields of fields of calls, however long.
    fn postfix(&mut self, id: ExprId) {
        let mut links = Vec::new();
        let mut first = id;
        while let Some(of) = self.applied(first) {
            links.push(first);
            first = of;
        }
        self.expr(first);
        for link in links.into_iter().rev() {
            match self.kind(link) {
                ExprKind::Call { arguments, generators, .. } => self.call(arguments, generators),
                ExprKind::Index { indices, .. } => self.bracketed(false, |formatter| {
                    formatter.separated(indices, |formatter, index| formatter.expr(*index));
                }),
                _ => {
                    // `1 .0` is a field, if a strange one, and `1.0` is a number.
                    if matches!(self.tokens[self.position - 1].kind, TokenKind::Integer) && self.is_number(first) {
                        self.write(" ");
                    }
                    self.token();
                    self.token();
                }
            }
        }
    }

    /// The expression to which a call, index or field is applied.
    fn applied(&self, id: ExprId) -> Option<ExprId> {
        match self.kind(id) {
            ExprKind::Call { function: of, .. } | ExprKind::Index { array: of, .. } | ExprKind::Field { of, .. } => {
                Some(*of)
            }
            _ => None,
        }
    }

    fn call(&mut self, arguments: &'a [Argument], generators: &'a [Generator]) {
        match arguments {
            [] => {
                self.token();
                self.token();
            }
            [Argument::Value(only)] if generators.is_empty() && self.is_bracket(*only) => {
                let outer = std::mem::replace(&mut self.newlines_count, false);
                self.token();
                self.expr(*only);
                self.token();
                self.newlines_count = outer;
            }
            [simple @ .., Argument::Value(last)] if generators.is_empty() && self.ends_call(*last) => {
                let outer = std::mem::replace(&mut self.newlines_count, false);
                self.begin();
                self.token();
                self.ops.push(Op::BeginFlat);
                for argument in simple {
                    self.argument(argument);
                    self.token_space();
                }
                self.end();
                match self.kind(*last) {
                    ExprKind::Lambda { body, .. } => self.last_lambda(*body),
                    _ => self.expr(*last),
                }
                self.token();
                self.end();
                self.newlines_count = outer;
            }
            _ => self.bracketed(false, |formatter| {
                formatter.separated(arguments, |formatter, argument| formatter.argument(argument));
                if !generators.is_empty() {
                    formatter.line(" ");
                    formatter.generators(generators);
                }
            }),
        }
    }

    /// Whether the last argument of the call that begins here is one to begin on the line of the call: a function, or
    /// brackets that the author broke, with no more than a few words before them.
    fn ends_call(&self, last: ExprId) -> bool {
        let opening = self.position;
        let head = match self.kind(last) {
            ExprKind::Lambda { body, .. } => self.tree.expr(*body).span.start,
            _ => self.tree.expr(last).span.start,
        };
        let head_end = self.tokens.partition_point(|token| token.start < head);
        let start = self.tree.expr(last).span.start;
        let words = &self.tokens[opening + 1..self.tokens.partition_point(|token| token.start <= start)];
        let in_head = |comment: &Placed| comment.before <= head_end;
        let commented = !self.suffixes.is_empty() || self.comments.get(self.next_comment).is_some_and(in_head);
        let broken = self.tokens.get(head_end + 1).is_some_and(|token| token.gap == Gap::Newline);
        let is_last = matches!(self.kind(last), ExprKind::Lambda { .. }) || self.is_bracket(last) && broken;
        is_last
            && !commented
            && words.len() <= 12
            && words.iter().all(|token| token.gap == Gap::None && token.kind != TokenKind::Let)
    }

    /// A function as the last argument, with its body below.
    fn last_lambda(&mut self, body: ExprId) {
        if self.lambda_and_body(body) {
            self.line("");
        }
    }

    fn argument(&mut self, argument: &Argument) {
        match argument {
            Argument::Value(value) => self.expr(*value),
            Argument::Hole(_) => self.token(),
        }
    }

    fn list(&mut self, parts: &'a [ExprId], array: bool) {
        if parts.is_empty() {
            self.token();
            return self.token();
        }
        let words = array && parts.iter().all(|part| self.is_word(*part));
        self.bracketed(false, |formatter| {
            let broken = array && formatter.keep_broken();
            for (number, part) in parts.iter().enumerate() {
                if number > 0 && words {
                    formatter.token();
                    formatter.fill(broken);
                } else if number > 0 {
                    formatter.comma();
                }
                formatter.expr(*part);
            }
        });
    }

    fn separated<T>(&mut self, parts: &'a [T], print: impl Fn(&mut Formatter<'a>, &'a T)) {
        for (number, part) in parts.iter().enumerate() {
            if number > 0 {
                self.comma();
            }
            print(self, part);
        }
    }

    fn comma(&mut self) {
        self.token();
        self.line(" ");
    }

    fn generators(&mut self, generators: &'a [Generator]) {
        self.token_space();
        self.begin();
        self.indent();
        self.separated(generators, Formatter::generator);
        self.dedent();
        self.end();
    }

    fn generator(&mut self, generator: &'a Generator) {
        let of = match generator {
            Generator::Below { bound, .. } => *bound,
            Generator::Each { array, .. } => *array,
        };
        self.pattern();
        self.write(" ");
        self.token_space();
        self.expr(of);
    }
}
