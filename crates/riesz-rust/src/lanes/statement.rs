//! Statements in lanes, under a mask where lanes have diverged.

use super::element::Position;
use super::{ELSEWHERE, Wide};
use crate::Spelling;
use riesz_program::program::{
    Block, Combine, Element, Expression, For, Kind, Operand, Product, Register, SiteId, Statement, Strided, While,
};
use riesz_program::schedule::Class;
use riesz_program::scope::counting;
use rustc_hash::FxHashSet;

impl Wide<'_, '_> {
    pub(super) fn block(&mut self, block: &Block, declared: &mut FxHashSet<Register>, mask: Option<&str>) {
        let mine = riesz_program::scope::declarations(self.writer.procedure, block, declared);
        for (at, statement) in block.iter().enumerate() {
            for (first, register) in &mine {
                if *first == at && !self.lanes.reduced.contains_key(register) {
                    declared.insert(*register);
                    let kind = self.writer.procedure.registers[register.0 as usize].kind;
                    let name = self.writer.register(*register).to_string();
                    let ty = match self.lanes.class(Operand::Register(*register)) {
                        Class::Uniform => self.writer.rust(kind),
                        _ => self.ty(kind),
                    };
                    self.line(format!("let mut {name} = {ty}::default();"));
                }
            }
            self.statement(statement, declared, mask);
        }
        for (_, register) in mine {
            declared.remove(&register);
        }
    }

    fn statement(&mut self, statement: &Statement, declared: &mut FxHashSet<Register>, mask: Option<&str>) {
        match statement {
            Statement::Let(register, _) if self.lanes.fused.contains_key(register) => {}
            // The loop around counts this position down.
            Statement::Let(register, _) if self.lanes.backward.values().any(|position| position == register) => {}
            Statement::Let(register, expression) => {
                let name = self.writer.register(*register).to_string();
                let class = self.lanes.class(Operand::Register(*register));
                let text = match (&class, expression) {
                    // The first lane may be inactive.
                    (Class::Linear(_), Expression::Int(primitive, operands, _)) if mask.is_some() => {
                        let elsewhere = SiteId(ELSEWHERE);
                        self.writer.expression(&Expression::Int(primitive, operands.clone(), elsewhere))
                    }
                    // Positions that move with the index are computed for the first lane.
                    (Class::Uniform | Class::Linear(_), _) => self.writer.bound_to(*register, expression),
                    (Class::Varying, _) => self.expression(expression, mask),
                };
                self.line(format!("let {name} = {text};"));
                if let (Class::Linear(step), Expression::Int(..)) = (class, expression) {
                    let (step, more) = (self.exact_step(&step), self.group() - 1);
                    self.line(format!("if !reaches({name}, {step}, {more}) {{"));
                    self.line(format!("    return Err(fault({ELSEWHERE}, &[]));"));
                    self.line("}".into());
                }
            }
            Statement::Set(register, value) => {
                let name = self.writer.register(*register).to_string();
                if self.is_uniform(Operand::Register(*register)) {
                    return self.line(format!("{name} = {};", self.writer.operand(*value)));
                }
                let kind = self.ty(self.writer.procedure.registers[register.0 as usize].kind);
                let value = self.wide(*value);
                self.line(match mask {
                    Some(mask) => format!("{name} = {kind}::select({mask}, {value}, {name});"),
                    None => format!("{name} = {value};"),
                });
            }
            Statement::Reduce(register, combine, value) => self.reduce(*register, *combine, *value, mask),
            Statement::Allocate(allocation) => self.allocate(allocation),
            Statement::Fill(element, count, value) => self.fill(*element, *count, *value, mask),
            Statement::Copy { to, from, count } => self.copy(*to, *from, *count, mask),
            Statement::Store(element, _)
                if !self.strip && self.rest.is_none() && self.lanes.interleaved.contains_key(&element.buffer) =>
            {
                self.store_interleaved(*element);
            }
            Statement::Store(element, value) => {
                let uniform = self.is_uniform(*value);
                let text = if uniform { self.writer.operand(*value) } else { self.wide(*value) };
                self.store(*element, None, &text, uniform, mask);
            }
            Statement::Add(element, value) => self.add(*element, *value, mask),
            Statement::For(each) => {
                for allocation in &each.private {
                    self.allocate(allocation);
                }
                if !self.is_uniform(each.count) {
                    return self.iterate(each, declared, mask);
                }
                let (index, count) = (self.writer.register(each.index).to_string(), self.writer.bound(each.count));
                // Once for all lanes, as they run together.
                self.writer.count(each, counting(each, false), &count);
                self.line(format!("for {index} in 0..{count} {{"));
                self.writer.depth += 1;
                self.block(&each.body, declared, mask);
                self.writer.depth -= 1;
                self.line("}".into());
            }
            Statement::While(each) => self.repeat(each, declared, mask),
            Statement::If(condition, yes, no) => self.branch(*condition, yes, no, declared, mask),
            Statement::Check(condition, site, operands) => {
                let text = self.writer.operand(*condition);
                if self.is_uniform(*condition) && operands.iter().all(|operand| self.is_uniform(*operand)) {
                    self.line(format!("if !{text} {{"));
                    self.line(format!("    return Err(fault({}, &[{}]));", site.0, self.writer.list(operands)));
                } else {
                    let holds = match mask {
                        Some(mask) => format!("{}.or({mask}.negated())", self.wide(*condition)),
                        None => self.wide(*condition),
                    };
                    self.line(format!("if !{holds}.all() {{"));
                    self.line(format!("    return Err(fault({ELSEWHERE}, &[]));"));
                }
                self.line("}".into());
            }
            Statement::Swap(a, b) => {
                let (a, b) = (self.writer.buffer(*a).to_string(), self.writer.buffer(*b).to_string());
                self.line(format!("std::mem::swap(&mut {a}, &mut {b});"));
            }
            Statement::Product(product) => self.product(product, mask),
            Statement::Grow(allocation) => {
                let (name, count) = (self.writer.buffer(allocation.buffer), self.writer.operand(allocation.count));
                // A store under a mask reads all lanes first.
                let grow = if self.masked.contains(&allocation.buffer) { "grow_cleared" } else { "grow" };
                self.line(format!("context.{grow}(&mut {name}, {count}, {})?;", allocation.site.0));
            }
            Statement::Call(_) | Statement::Matrix(_) => {}
        }
    }

    /// Copies elements: whole rows if each lane has its own row.
    fn copy(&mut self, to: Element, from: Element, count: Operand, mask: Option<&str>) {
        let count = self.writer.bound(count);
        if let (Position::Same(own), Position::Apart(at, step)) =
            (self.position(from.at, None), self.position(to.at, None))
            && self.writer.kind_of(to.buffer) == Kind::Real
            && self.lanes.varying.contains(&from.buffer)
            && !self.lanes.varying.contains(&to.buffer)
            && self.active_only(mask).is_none()
            && !self.strip
        {
            let (from, to) = (self.writer.buffer_ref(from.buffer), self.writer.buffer_mut(to.buffer));
            return self.line(format!("store_rows(part({from}, {own}, {count}), {to}, {at}, {step});"));
        }
        self.line(format!("for at_element in 0..{count} {{"));
        self.writer.depth += 1;
        let value = self.load(from, Some("at_element"), mask);
        let uniform = self.lanes.loaded(from) == Class::Uniform;
        self.store(to, Some("at_element"), &value, uniform, mask);
        self.writer.depth -= 1;
        self.line("}".into());
    }

    /// A loop with a different number of iterations in each lane: those that are done wait for the others.
    fn iterate(&mut self, each: &For, declared: &mut FxHashSet<Register>, mask: Option<&str>) {
        let name = self.next_mask();
        let count = match mask {
            Some(mask) => format!("Ints::select({mask}, {}, Ints::splat(0))", self.wide(each.count)),
            None => self.wide(each.count),
        };
        self.line(format!("let {name}_counts = {count};"));
        self.line(format!("let {name}_most = {name}_counts.most();"));
        self.writer.count(each, counting(each, false), &format!("{name}_most"));
        let (at, order) = match self.lanes.backward.get(&each.index) {
            Some(position) => (self.writer.register(*position).to_string(), ".rev()"),
            None => (self.writer.register(each.index).to_string(), ""),
        };
        self.line(format!("for {at} in (0..{name}_most){order} {{"));
        self.writer.depth += 1;
        self.line(format!("let {name} = {name}_counts.compare(Ints::splat({at}), |a, b| a > b);"));
        self.block(&each.body, declared, Some(&name));
        self.writer.depth -= 1;
        self.line("}".into());
    }

    /// A loop, as long as its condition holds in one of the lanes.
    fn repeat(&mut self, each: &While, declared: &FxHashSet<Register>, mask: Option<&str>) {
        for allocation in &each.private {
            self.allocate(allocation);
        }
        let together = self.is_uniform(each.condition);
        let running = (!together).then(|| self.next_mask());
        if let Some(running) = &running {
            let all = self.mask(mask);
            self.line(format!("let mut {running} = {all};"));
        }
        let mask = running.as_deref().or(mask);
        self.line("loop {".into());
        self.writer.depth += 1;
        let mut inside = declared.clone();
        for (_, register) in riesz_program::scope::declarations(self.writer.procedure, &each.before, declared) {
            inside.insert(register);
            let kind = self.writer.procedure.registers[register.0 as usize].kind;
            let ty = if self.is_uniform(Operand::Register(register)) { self.writer.rust(kind) } else { self.ty(kind) };
            self.line(format!("let mut {} = {ty}::default();", self.writer.register(register)));
        }
        for statement in &each.before {
            self.statement(statement, &mut inside, mask);
        }
        match &running {
            Some(running) => {
                self.line(format!("{running} = {running}.and({});", self.wide(each.condition)));
                self.line(format!("if !{running}.any() {{"));
            }
            None => self.line(format!("if !{} {{", self.writer.operand(each.condition))),
        }
        self.line("    break;".into());
        self.line("}".into());
        self.line(format!("context.step({}, {})?;", self.writer.precision.lanes(), each.site.0));
        self.block(&each.body, &mut inside, mask);
        self.writer.depth -= 1;
        self.line("}".into());
    }

    fn next_mask(&mut self) -> String {
        self.masks += 1;
        format!("lane_mask_{}", self.masks)
    }

    /// A product of matrices, several rows at a time.
    fn product(&mut self, product: &Product, mask: Option<&str>) {
        let [rows, inner, columns] =
            [product.rows, product.inner, product.columns].map(|operand| self.writer.bound(operand));
        let to_varies = self.lanes.varying.contains(&product.to.buffer) || !self.is_uniform(product.to.at);
        let left = self.strided(product.left, "at_row", "at_inner", to_varies, mask);
        let right = self.strided(product.right, "at_inner", "at_column", to_varies, mask);
        let (zero, onto) = match (product.exact, to_varies) {
            (true, true) => (format!("{}::splat(0.0)", self.ty(Kind::Real)), "total + a.exact_mul(b)"),
            (true, false) => ("0.0".into(), "total + exact_mul(a, b)"),
            (false, true) => (format!("{}::splat(0.0)", self.ty(Kind::Real)), "a.fma(b, total)"),
            (false, false) => ("0.0".into(), "total + a * b"),
        };
        self.line("product_in_lanes(".into());
        self.line(format!("    [{rows}, {inner}, {columns}],"));
        self.line(format!("    {zero},"));
        self.line(format!("    #[inline(always)] |at_row: i64, at_inner: i64| {left},"));
        self.line(format!("    #[inline(always)] |at_inner: i64, at_column: i64| {right},"));
        self.line(format!("    #[inline(always)] |a, b, total| {onto},"));
        self.line("    #[inline(always)] |at_row: i64, at_column: i64, lane_total| {".into());
        self.writer.depth += 2;
        self.store(product.to, Some(&format!("at_row * {columns} + at_column")), "lane_total", !to_varies, mask);
        self.writer.depth -= 2;
        self.line("    },".into());
        self.line(");".into());
    }

    fn strided(&mut self, strided: Strided, row: &str, column: &str, varies: bool, mask: Option<&str>) -> String {
        let (row_step, column_step) = (self.writer.operand(strided.row), self.writer.operand(strided.column));
        let further = format!("{row} * {row_step} + {column} * {column_step}");
        let text = self.load(strided.first, Some(&further), mask);
        match varies && self.lanes.loaded(strided.first) == Class::Uniform {
            true => format!("{}::splat({text})", self.ty(Kind::Real)),
            false => text,
        }
    }

    fn branch(
        &mut self,
        condition: Operand,
        yes: &Block,
        no: &Block,
        declared: &mut FxHashSet<Register>,
        mask: Option<&str>,
    ) {
        if self.is_uniform(condition) {
            self.line(format!("if {} {{", self.writer.operand(condition)));
            self.writer.depth += 1;
            self.block(yes, declared, mask);
            self.writer.depth -= 1;
            if !no.is_empty() {
                self.line("} else {".into());
                self.writer.depth += 1;
                self.block(no, declared, mask);
                self.writer.depth -= 1;
            }
            return self.line("}".into());
        }
        let condition = self.wide(condition);
        for (block, holds) in [(yes, condition.clone()), (no, format!("{condition}.negated()"))] {
            if block.is_empty() {
                continue;
            }
            let name = self.next_mask();
            let holds = match mask {
                Some(mask) => format!("{holds}.and({mask})"),
                None => holds,
            };
            self.line(format!("let {name} = {holds};"));
            self.line(format!("if {name}.any() {{"));
            self.writer.depth += 1;
            self.block(block, declared, Some(&name));
            self.writer.depth -= 1;
            self.line("}".into());
        }
    }

    fn reduce(&mut self, register: Register, combine: Combine, value: Operand, mask: Option<&str>) {
        let outside = self.lanes.reduced.contains_key(&register);
        if !outside && self.is_uniform(Operand::Register(register)) {
            return self.writer.reduce(register, combine, value);
        }
        let name = self.writer.register(register).to_string();
        let name = if outside { format!("{name}_lanes") } else { name };
        if combine == Combine::Sum && mask.is_none() {
            let product = match value {
                Operand::Register(register) => self.lanes.fused.get(&register).copied(),
                _ => None,
            };
            return self.line(match (product, outside) {
                (Some((a, b)), true) => {
                    format!("{name} = {}.product_onto({}, {name});", self.wide(a), self.wide(b))
                }
                (Some((a, b)), false) => format!("{name} = {}.fma({}, {name});", self.wide(a), self.wide(b)),
                (None, true) => format!("{name} = {}.onto({name});", self.wide(value)),
                (None, false) => format!("{name} = {name} + {};", self.wide(value)),
            });
        }
        let value = self.wide(value);
        let (combined, kind) = match combine {
            Combine::Sum if outside => (format!("{value}.onto({name})"), Kind::Real),
            Combine::Sum => (format!("{name} + {value}"), Kind::Real),
            Combine::Product => (format!("{name} * {value}"), Kind::Real),
            Combine::Max => (format!("{name}.max({value})"), Kind::Real),
            Combine::Min => (format!("{name}.min({value})"), Kind::Real),
            Combine::Least => (format!("{name}.map2({value}, i64::min)"), Kind::Int),
            Combine::All => (format!("{name}.and({value})"), Kind::Bool),
            Combine::Any => (format!("{name}.or({value})"), Kind::Bool),
        };
        let ty = self.ty(kind);
        self.line(match mask {
            Some(mask) => format!("{name} = {ty}::select({mask}, {combined}, {name});"),
            None => format!("{name} = {combined};"),
        });
    }

    fn fill(&mut self, element: Element, count: Operand, value: Operand, mask: Option<&str>) {
        let count = self.writer.bound(count);
        if self.lanes.private.contains(&element.buffer) && self.is_uniform(element.at) && mask.is_none() {
            let (buffer, at) = (self.writer.buffer_mut(element.buffer), self.writer.operand(element.at));
            let value = match self.lanes.varying.contains(&element.buffer) {
                true => self.wide(value),
                false => self.writer.operand(value),
            };
            return self.line(format!("part_mut({buffer}, {at}, {count}).fill({value});"));
        }
        self.line(format!("for at_element in 0..{count} {{"));
        self.writer.depth += 1;
        let uniform = self.is_uniform(value);
        let text = if uniform { self.writer.operand(value) } else { self.wide(value) };
        self.store(element, Some("at_element"), &text, uniform, mask);
        self.writer.depth -= 1;
        self.line("}".into());
    }
}
