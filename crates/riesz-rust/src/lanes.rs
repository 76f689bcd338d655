//! A loop whose turns are independent, eight turns at a time.
//!
//! What varies from turn to turn is in eight lanes; what does not is computed once for all of them. Where lanes part at a
//! condition, both ways are taken, each under a mask. What all turns add to has a copy for each lane, and the copies are
//! added up behind the loop, always in the same order. Turns that are left over are taken one by one.
//!
//! Where turns have loops inside, thirty-two are taken at once, in strips of four times eight lanes, and then eight: what
//! is the same in all turns is read once for all of them, and what all of them add to is written back once (`strip`). A
//! product that is only added to something is added in one rounding, where the machine can.

use crate::chunk::{Given, Outline};
use crate::classify::{Class, Lanes, Refused, Step};
use crate::function::Writer;
use riesz_core::Comparison;
use riesz_primitive::Primitive;
use riesz_program::program::{
    Allocation, Arithmetic, Block, Buffer, Combine, Element, Expression, For, Kind, Operand, Procedure, Register,
    Statement, Strided,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A site that stands for no error: the program has to be run in another way.
const ELSEWHERE: u32 = u32::MAX;

/// Whether a loop in lanes adds to a buffer near the index alone, and so can write what it would add to zeros.
pub(crate) fn writes_near(procedure: &Procedure, each: &For, buffer: Buffer) -> bool {
    let covers = |lanes: Lanes| {
        crate::choose::outer(procedure, &lanes, each)
            && stencils(&lanes, each).get(&buffer).is_some_and(|stencil| stencil.first >= 0)
    };
    Lanes::of(procedure, each).is_ok_and(covers)
}

/// Whether a statement, or one inside of it, has to do with a buffer.
pub(crate) fn touches(statement: &Statement, buffer: Buffer) -> bool {
    riesz_program::any_buffer(statement, &mut |other| other == buffer)
        || riesz_program::blocks(statement).into_iter().flatten().any(|inner| touches(inner, buffer))
}

/// Writes a loop in lanes, if that can be.
pub(crate) fn write(writer: &mut Writer, each: &For, declared: &FxHashSet<Register>) -> Result<(), Refused> {
    let lanes = Lanes::of(writer.procedure, each)?;
    if !crate::choose::outer(writer.procedure, &lanes, each) {
        return Err(Refused);
    }
    let stencils = stencils(&lanes, each);
    let products = crate::strip::products(&lanes, each);
    let mut wide = Wide { lanes, masks: 0, stencils, products, strip: false, writer };
    wide.whole(each, declared);
    Ok(())
}

struct Wide<'w, 'p> {
    lanes: Lanes<'p>,
    /// How many masks have been named.
    masks: usize,
    stencils: FxHashMap<Buffer, Stencil>,
    /// Products that are only added to something.
    products: FxHashMap<Register, (Operand, Operand)>,
    /// Whether lanes are taken in strips.
    strip: bool,
    writer: &'w mut Writer<'p>,
}

impl Wide<'_, '_> {
    fn line(&mut self, line: String) {
        self.writer.line(line);
    }

    fn whole(&mut self, each: &For, declared: &FxHashSet<Register>) {
        let count = self.writer.bound(each.count);
        let lanes = self.writer.precision.lanes();
        let shared = self.shared(each);
        let near: FxHashSet<Buffer> = self.stencils.keys().copied().collect();
        let strips = crate::strip::fits(&self.lanes, each);
        let outline = match self.writer.chunked {
            true => None,
            false => Outline::of(self.writer, each, Some((&self.lanes, strips)), &near),
        };
        self.line(format!("context.step({count}, {})?;", each.site.0));
        for buffer in &near {
            // What no block of turns writes is cleared here.
            let Some(len) = self.writer.cleared.get(buffer).copied() else { continue };
            let (total, len) = (self.writer.buffer_mut(*buffer), self.writer.operand(len));
            let first = self.stencils[buffer].first;
            if first > 0 {
                self.line(format!("part_mut({total}, 0, i64::min({len}, {first})).fill(0.0);"));
            }
            // A count may be negative, and then there are no turns.
            let from = format!("{count}.max(0) / {lanes} * {lanes} + {first}");
            self.line(format!("part_mut({total}, {from}, {len} - ({from})).fill(0.0);"));
        }
        let given: Vec<Given> = shared.iter().map(|shared| shared.given(self.writer)).collect();
        let (from, to) = match &outline {
            Some(outline) => {
                outline.open(self.writer, &given);
                ("chunk_from".to_string(), "chunk_to".to_string())
            }
            None => ("0".into(), count.clone()),
        };
        for shared in &shared {
            let line = shared.begin(self.writer);
            self.line(line);
        }
        if strips {
            self.strip = true;
            self.turns(each, declared, &format!("{from} / {}", 4 * lanes), &format!("{to} / {}", 4 * lanes));
            self.strip = false;
            self.turns(each, declared, &format!("{to} / {} * 4", 4 * lanes), &format!("{to} / {lanes}"));
        } else {
            self.turns(each, declared, &format!("{from} / {lanes}"), &format!("{to} / {lanes}"));
        }
        let end = match &outline {
            Some(outline) => {
                for line in shared.iter().filter_map(|shared| shared.settle(self.writer)).collect::<Vec<_>>() {
                    self.line(line);
                }
                outline.close(self.writer, each, &given);
                "chunk_to".into()
            }
            None => format!("{count} / {lanes} * {lanes}"),
        };
        for shared in &shared {
            for line in shared.end(self.writer, outline.is_some(), &end) {
                self.line(line);
            }
        }
        if let Some(outline) = &outline {
            outline.end(self.writer);
        }
        self.writer.cleared.retain(|buffer, _| !near.contains(buffer));
        let index = self.writer.register(each.index).to_string();
        self.line(format!("if {count} % {lanes} > 0 {{"));
        self.writer.depth += 1;
        for allocation in &each.private {
            self.writer.allocate(allocation);
        }
        self.line(format!("for {index} in {count} / {lanes} * {lanes}..{count} {{"));
        let mut inside = declared.clone();
        self.writer.plain = true;
        self.writer.nested(&each.body, &mut inside);
        self.writer.plain = false;
        self.line("}".into());
        self.writer.depth -= 1;
        self.line("}".into());
    }

    /// The turns of some blocks, those of each together.
    fn turns(&mut self, each: &For, declared: &FxHashSet<Register>, from: &str, to: &str) {
        let index = self.writer.register(each.index).to_string();
        let lanes = self.writer.precision.lanes();
        let together = if self.strip { 4 * lanes } else { lanes };
        // Buffers of the turns are as wide as they are.
        let own = !each.private.is_empty();
        if own {
            self.line(format!("if {from} < {to} {{"));
            self.writer.depth += 1;
        }
        for allocation in &each.private {
            self.allocate(allocation);
        }
        self.line(format!("for lane_block in {from}..{to} {{"));
        self.writer.depth += 1;
        self.line(format!("let {index} = {together} * lane_block;"));
        let mut near: Vec<Buffer> = self.stencils.keys().copied().collect();
        near.sort_unstable();
        for buffer in near {
            let name = self.writer.buffer(buffer).to_string();
            self.line(format!("let mut {name}_near = Lanes::splat(0.0);"));
        }
        let mut inside = declared.clone();
        self.block(&each.body, &mut inside, None);
        self.writer.depth -= 1;
        self.line("}".into());
        if own {
            self.writer.depth -= 1;
            self.line("}".into());
        }
    }

    /// What lanes add up for themselves.
    fn shared(&self, each: &For) -> Vec<Partial> {
        let mut summed: Vec<Buffer> = self.lanes.summed.iter().copied().collect();
        summed.sort_unstable();
        let mut reduced: Vec<Register> = self.lanes.reduced.iter().copied().collect();
        reduced.sort_unstable();
        let combines = reductions(&each.body);
        let reduced = reduced.into_iter().map(|register| {
            let combine = combines.iter().find(|(reduced, _)| *reduced == register).map(|(_, combine)| *combine);
            Partial::Number(register, combine.unwrap_or(Combine::Sum))
        });
        let mut shifted: Vec<(Buffer, i64, i64)> = (self.stencils.iter())
            .flat_map(|(buffer, stencil)| stencil.shifts().into_iter().map(|shift| (*buffer, stencil.first, shift)))
            .collect();
        shifted.sort_unstable();
        let carried = shifted.into_iter().map(|(buffer, first, shift)| Partial::Carry { buffer, first, shift });
        carried.chain(summed.into_iter().map(Partial::Sums)).chain(reduced).collect()
    }

    /// What holds a number of a kind for each lane.
    fn ty(&self, kind: Kind) -> &'static str {
        match (kind, self.strip) {
            (Kind::Real, false) => "Lanes",
            (Kind::Int, false) => "Ints",
            (Kind::Bool, false) => "Mask",
            (Kind::Real, true) => "LaneStrip",
            (Kind::Int, true) => "IntStrip",
            (Kind::Bool, true) => "MaskStrip",
        }
    }

    fn allocate(&mut self, allocation: &Allocation) {
        let kind = self.writer.kind_of(allocation.buffer);
        let element = match self.lanes.varying.contains(&allocation.buffer) {
            true => self.ty(kind),
            false => self.writer.rust(kind),
        };
        let name = self.writer.buffer(allocation.buffer).to_string();
        let count = self.writer.operand(allocation.count);
        self.line(format!("let mut {name} = context.buffer::<{element}>({count}, {})?;", allocation.site.0));
    }

    // ---- operands ----

    fn is_uniform(&self, operand: Operand) -> bool {
        self.lanes.is_uniform(operand)
    }

    fn step(&self, step: &Step) -> String {
        match step {
            Step::One => "1".into(),
            Step::Times(step, operand) => match &**step {
                Step::One => self.writer.operand(*operand),
                step => format!("({} * {})", self.step(step), self.writer.operand(*operand)),
            },
            Step::Plus(a, b) => format!("({} + {})", self.step(a), self.step(b)),
            Step::Minus(step) => format!("(-{})", self.step(step)),
        }
    }

    /// An operand in lanes.
    fn wide(&self, operand: Operand) -> String {
        if let Operand::Register(register) = operand
            && let Some((a, b)) = self.products.get(&register)
        {
            return format!("({} * {})", self.wide(*a), self.wide(*b));
        }
        let name = self.writer.operand(operand);
        let ty = self.ty(self.writer.kind(operand));
        match self.lanes.class(operand) {
            Class::Uniform => format!("{ty}::splat({name})"),
            Class::Linear(step) => format!("{ty}::linear({name}, {})", self.step(&step)),
            Class::Varying => name,
        }
    }

    fn mask(&self, mask: Option<&str>) -> String {
        mask.map_or_else(|| format!("{}::splat(true)", self.ty(Kind::Bool)), str::to_string)
    }

    // ---- statements ----

    fn block(&mut self, block: &Block, declared: &mut FxHashSet<Register>, mask: Option<&str>) {
        let mine = self.writer.declarations(block, declared);
        for (at, statement) in block.iter().enumerate() {
            for (first, register) in &mine {
                if *first == at && !self.lanes.reduced.contains(register) {
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
            Statement::Let(register, _) if self.products.contains_key(register) => {}
            Statement::Let(register, expression) => {
                let name = self.writer.register(*register).to_string();
                let text = match self.lanes.class(Operand::Register(*register)) {
                    // Positions that move with the index are computed for the first lane.
                    Class::Uniform | Class::Linear(_) => self.writer.expression(expression),
                    Class::Varying => self.expression(expression, mask),
                };
                self.line(format!("let {name} = {text};"));
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
            Statement::Copy { to, from, count } => {
                let count = self.writer.bound(*count);
                if let (Position::Same(own), Position::Apart(at, step)) =
                    (self.position(from.at, None), self.position(to.at, None))
                    && self.writer.kind_of(to.buffer) == Kind::Real
                    && self.lanes.varying.contains(&from.buffer)
                    && !self.lanes.varying.contains(&to.buffer)
                    && mask.is_none()
                    && !self.strip
                {
                    let (from, to) = (self.writer.buffer_ref(from.buffer), self.writer.buffer_mut(to.buffer));
                    return self.line(format!("store_rows(part({from}, {own}, {count}), {to}, {at}, {step});"));
                }
                self.line(format!("for at_element in 0..{count} {{"));
                self.writer.depth += 1;
                let value = self.load(*from, Some("at_element"), mask);
                let uniform = self.lanes.loaded(*from) == Class::Uniform;
                self.store(*to, Some("at_element"), &value, uniform, mask);
                self.writer.depth -= 1;
                self.line("}".into());
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
                let (index, count) = (self.writer.register(each.index).to_string(), self.writer.bound(each.count));
                self.line(format!("for {index} in 0..{count} {{"));
                self.writer.depth += 1;
                self.block(&each.body, declared, mask);
                self.writer.depth -= 1;
                self.line("}".into());
            }
            Statement::While(each) => {
                for allocation in &each.private {
                    self.allocate(allocation);
                }
                self.line("loop {".into());
                self.writer.depth += 1;
                let mut inside = declared.clone();
                for (_, register) in self.writer.declarations(&each.before, declared) {
                    inside.insert(register);
                    let kind = self.writer.procedure.registers[register.0 as usize].kind;
                    let ty = if self.is_uniform(Operand::Register(register)) {
                        self.writer.rust(kind)
                    } else {
                        self.ty(kind)
                    };
                    self.line(format!("let mut {} = {ty}::default();", self.writer.register(register)));
                }
                for statement in &each.before {
                    self.statement(statement, &mut inside, mask);
                }
                self.line(format!("if !{} {{", self.writer.operand(each.condition)));
                self.line("    break;".into());
                self.line("}".into());
                self.line(format!("context.step({}, {})?;", self.writer.precision.lanes(), each.site.0));
                self.block(&each.body, &mut inside, mask);
                self.writer.depth -= 1;
                self.line("}".into());
            }
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
            Statement::Product(product) => {
                let [rows, inner, columns] =
                    [product.rows, product.inner, product.columns].map(|operand| self.writer.bound(operand));
                let to_varies = self.lanes.varying.contains(&product.to.buffer) || !self.is_uniform(product.to.at);
                self.line(format!("for at_row in 0..{rows} {{"));
                self.line(format!("    for at_column in 0..{columns} {{"));
                self.writer.depth += 2;
                self.line(format!(
                    "let mut lane_total = {};",
                    if to_varies { format!("{}::splat(0.0)", self.ty(Kind::Real)) } else { "0.0".into() }
                ));
                self.line(format!("for at_inner in 0..{inner} {{"));
                self.writer.depth += 1;
                let left = self.strided(product.left, "at_row", "at_inner", to_varies, mask);
                let right = self.strided(product.right, "at_inner", "at_column", to_varies, mask);
                self.line(match (product.exact, to_varies) {
                    (true, true) => format!("lane_total += {left}.exact_mul({right});"),
                    (true, false) => format!("lane_total += exact_mul({left}, {right});"),
                    (false, true) => format!("lane_total = {left}.fma({right}, lane_total);"),
                    (false, false) => format!("lane_total += {left} * {right};"),
                });
                self.writer.depth -= 1;
                self.line("}".into());
                self.store(
                    product.to,
                    Some(&format!("at_row * {columns} + at_column")),
                    "lane_total",
                    !to_varies,
                    mask,
                );
                self.writer.depth -= 2;
                self.line("    }".into());
                self.line("}".into());
            }
            Statement::Grow(_) | Statement::Call(_) | Statement::Matrix(_) => {}
        }
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
            self.masks += 1;
            let name = format!("lane_mask_{}", self.masks);
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
        let outside = self.lanes.reduced.contains(&register);
        let name = self.writer.register(register).to_string();
        if !outside && self.is_uniform(Operand::Register(register)) {
            let value = self.writer.operand(value);
            return self.line(match combine {
                Combine::Sum => format!("{name} += {value};"),
                Combine::Product => format!("{name} *= {value};"),
                Combine::Max => format!("{name} = max({name}, {value});"),
                Combine::Min => format!("{name} = min({name}, {value});"),
                Combine::All => format!("{name} &= {value};"),
                Combine::Any => format!("{name} |= {value};"),
            });
        }
        let name = if outside { format!("{name}_lanes") } else { name };
        if combine == Combine::Sum && mask.is_none() {
            let product = match value {
                Operand::Register(register) => self.products.get(&register).copied(),
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
            let (name, at) = (self.writer.buffer(element.buffer).to_string(), self.writer.operand(element.at));
            let value = match self.lanes.varying.contains(&element.buffer) {
                true => self.wide(value),
                false => self.writer.operand(value),
            };
            return self.line(format!("part_mut(&mut {name}, {at}, {count}).fill({value});"));
        }
        self.line(format!("for at_element in 0..{count} {{"));
        self.writer.depth += 1;
        let uniform = self.is_uniform(value);
        let text = if uniform { self.writer.operand(value) } else { self.wide(value) };
        self.store(element, Some("at_element"), &text, uniform, mask);
        self.writer.depth -= 1;
        self.line("}".into());
    }

    /// Where an element is, further along by an expression: the position in the first lane, and the step to the next; or
    /// the positions in lanes.
    fn position(&self, at: Operand, further: Option<&str>) -> Position {
        let name = self.writer.operand(at);
        match (self.lanes.class(at), further) {
            (Class::Uniform, None) => Position::Same(name),
            (Class::Uniform, Some(further)) => Position::Same(format!("{name} + {further}")),
            (Class::Linear(step), None) => Position::Apart(name, self.step(&step)),
            (Class::Linear(step), Some(further)) => Position::Apart(format!("{name} + {further}"), self.step(&step)),
            (Class::Varying, None) => Position::Any(name),
            (Class::Varying, Some(further)) => {
                Position::Any(format!("{name}.map2({}::splat({further}), i64::wrapping_add)", self.ty(Kind::Int)))
            }
        }
    }

    /// The element: a number where it is the same in all lanes, else lanes.
    fn load(&self, element: Element, further: Option<&str>, mask: Option<&str>) -> String {
        let element_at = element.at;
        let name = self.writer.buffer_ref(element.buffer);
        let kind = self.writer.kind_of(element.buffer);
        let own = self.lanes.varying.contains(&element.buffer);
        let lanes = self.mask(mask);
        let (gather, suffix) = if self.strip { ("gather_strip", "strip_") } else { ("gather", "") };
        let (ty, ints, element) = (self.ty(kind), self.ty(Kind::Int), lanes_of(kind));
        match (self.position(element_at, further), own) {
            (Position::Same(at), _) => format!("at({name}, {at})"),
            (Position::Apart(at, step), false) if kind == Kind::Real && mask.is_none() => {
                format!("{ty}::load({name}, {at}, {step})")
            }
            (Position::Apart(at, step), false) => {
                format!("{gather}::<{element}>({name}, {ints}::linear({at}, {step}), {lanes})")
            }
            (Position::Apart(at, step), true) => {
                format!("gather_{suffix}own({name}, {ints}::linear({at}, {step}), {lanes})")
            }
            (Position::Any(at), false) => format!("{gather}::<{element}>({name}, {at}, {lanes})"),
            (Position::Any(at), true) => format!("gather_{suffix}own({name}, {at}, {lanes})"),
        }
    }

    /// Writes an element: a number where `uniform`, else lanes.
    fn store(&mut self, element: Element, further: Option<&str>, value: &str, uniform: bool, mask: Option<&str>) {
        let name = self.writer.buffer_mut(element.buffer);
        let kind = self.writer.kind_of(element.buffer);
        let own = self.lanes.varying.contains(&element.buffer);
        let lanes = self.mask(mask);
        let spread = if uniform { format!("{}::splat({value})", self.ty(kind)) } else { value.to_string() };
        let line = match (self.position(element.at, further), own) {
            (Position::Same(at), false) => format!("put({name}, {at}, {value});"),
            (Position::Same(at), true) => match mask {
                Some(mask) => {
                    let before = self.writer.buffer_ref(element.buffer);
                    self.line(format!("let before = at({before}, {at});"));
                    format!("put({name}, {at}, {}::select({mask}, {spread}, before));", self.ty(kind))
                }
                None => format!("put({name}, {at}, {spread});"),
            },
            (Position::Apart(at, step), false) if kind == Kind::Real && mask.is_none() => {
                format!("{spread}.store({name}, {at}, {step});")
            }
            (Position::Apart(at, step), false) => {
                format!("scatter({name}, Ints::linear({at}, {step}), {spread}, {lanes});")
            }
            (Position::Apart(at, step), true) => {
                format!("scatter_own({name}, Ints::linear({at}, {step}), {spread}, {lanes});")
            }
            (Position::Any(at), false) => format!("scatter({name}, {at}, {spread}, {lanes});"),
            (Position::Any(at), true) => format!("scatter_own({name}, {at}, {spread}, {lanes});"),
        };
        self.line(line);
    }

    fn add(&mut self, element: Element, value: Operand, mask: Option<&str>) {
        if self.add_near(element, value) {
            return;
        }
        let private = self.lanes.private.contains(&element.buffer);
        let own = self.lanes.varying.contains(&element.buffer);
        let name = self.writer.buffer_mut(element.buffer);
        let ty = self.ty(Kind::Real);
        let masked = |value: String| match mask {
            Some(mask) => format!("{ty}::select({mask}, {value}, {ty}::splat(0.0))"),
            None => value,
        };
        let lanes = self.mask(mask);
        let product = match (value, mask) {
            (Operand::Register(register), None) => self.products.get(&register).copied(),
            _ => None,
        };
        let line = match (self.position(element.at, None), private, own) {
            (Position::Same(at), true, true) if product.is_some() => {
                let (a, b) = product.unwrap_or((value, value));
                let before = self.writer.buffer_ref(element.buffer);
                let (a, b) = (self.wide(a), self.wide(b));
                self.line(format!("let before = at({before}, {at});"));
                format!("put({name}, {at}, {a}.fma({b}, before));")
            }
            (Position::Same(at), false, _) if product.is_some() => {
                let (a, b) = product.unwrap_or((value, value));
                let name = self.writer.buffer(element.buffer);
                format!("add_up_product(&mut {name}_lanes, {at}, {}, {});", self.wide(a), self.wide(b))
            }
            (Position::Same(at), true, false) => format!("add({name}, {at}, {});", self.writer.operand(value)),
            (Position::Same(at), true, true) => format!("add({name}, {at}, {});", masked(self.wide(value))),
            // What all turns add to at the same place has a copy for each lane.
            (Position::Same(at), false, _) => {
                let name = self.writer.buffer(element.buffer);
                format!("add_up(&mut {name}_lanes, {at}, {});", masked(self.wide(value)))
            }
            (Position::Apart(at, step), _, false) if mask.is_none() => {
                format!("{}.add_to({name}, {at}, {step});", self.wide(value))
            }
            (Position::Apart(at, step), _, false) => {
                format!("scatter_add({name}, Ints::linear({at}, {step}), {}, {lanes});", self.wide(value))
            }
            (Position::Apart(at, step), _, true) => {
                let (ints, suffix) = (self.ty(Kind::Int), if self.strip { "strip_" } else { "" });
                let value = self.wide(value);
                format!("scatter_add_{suffix}own({name}, {ints}::linear({at}, {step}), {value}, {lanes});")
            }
            (Position::Any(at), _, false) => format!("scatter_add({name}, {at}, {}, {lanes});", self.wide(value)),
            (Position::Any(at), _, true) => {
                let suffix = if self.strip { "strip_" } else { "" };
                format!("scatter_add_{suffix}own({name}, {at}, {}, {lanes});", self.wide(value))
            }
        };
        self.line(line);
    }

    /// Adds to a neighbourhood of the index: what goes to the same elements is added up before it is stored.
    fn add_near(&mut self, element: Element, value: Operand) -> bool {
        let Some(stencil) = self.stencils.get_mut(&element.buffer) else { return false };
        let Some(at) = stencil.places.iter().position(|(place, _)| *place == element.at) else { return false };
        let (_, offset) = stencil.places.remove(at);
        let (shift, last, first) = (offset - stencil.first, stencil.places.is_empty(), stencil.first);
        let (name, value) = (self.writer.buffer(element.buffer).to_string(), self.wide(value));
        self.line(match shift {
            0 => format!("{name}_near += {value};"),
            shift => format!("{name}_near += {value}.shifted({shift}, &mut {name}_carry_{shift});"),
        });
        if last {
            let (total, index) = (self.writer.buffer_mut(element.buffer), self.writer.register(self.lanes.index));
            let write = if self.writer.cleared.contains_key(&element.buffer) { "store" } else { "add_to" };
            let line = format!("{name}_near.{write}({total}, {index} + {first}, 1);");
            self.line(line);
        }
        true
    }

    // ---- expressions ----

    fn expression(&self, expression: &Expression, mask: Option<&str>) -> String {
        let wide = |operand: &Operand| self.wide(*operand);
        match expression {
            Expression::Copy(a) => wide(a),
            Expression::Real(primitive, operands) => self.primitive(primitive, operands),
            Expression::Int(primitive, operands, _) => self.integer(primitive, operands, mask),
            Expression::Position(arithmetic, a, b) => {
                let function = match arithmetic {
                    Arithmetic::Add => "i64::wrapping_add",
                    Arithmetic::Sub => "i64::wrapping_sub",
                    Arithmetic::Mul => "i64::wrapping_mul",
                };
                format!("{}.map2({}, {function})", wide(a), wide(b))
            }
            Expression::Compare(comparison, a, b) => {
                let sign = match comparison {
                    Comparison::Less => "<",
                    Comparison::LessEqual => "<=",
                    Comparison::Greater => ">",
                    Comparison::GreaterEqual => ">=",
                };
                format!("{}.compare({}, |a, b| a {sign} b)", wide(a), wide(b))
            }
            Expression::Equal(a, b) => match self.writer.kind(*a) {
                Kind::Bool => format!("{}.same({})", wide(a), wide(b)),
                _ => format!("{}.compare({}, |a, b| a == b)", wide(a), wide(b)),
            },
            Expression::Near(a, b, tolerance) => match self.writer.kind(*a) {
                Kind::Bool => format!("{}.same({})", wide(a), wide(b)),
                kind => {
                    let near = if kind == Kind::Real { "near" } else { "near_integers" };
                    let tolerance = self.writer.tolerance(*tolerance);
                    format!("{}.compare({}, |a, b| {near}(a, b, {tolerance}))", wide(a), wide(b))
                }
            },
            Expression::Not(a) => format!("{}.negated()", wide(a)),
            Expression::And(a, b) => format!("{}.and({})", wide(a), wide(b)),
            Expression::Within(index, len) => format!("{}.within({})", wide(index), wide(len)),
            Expression::Select(condition, a, b) => {
                let kind = self.ty(self.writer.kind(*a));
                format!("{kind}::select({}, {}, {})", wide(condition), wide(a), wide(b))
            }
            Expression::ToReal(a) => format!("{}.real()", wide(a)),
            Expression::Truncate(a, _) => {
                let argument = match mask {
                    Some(mask) => format!("Lanes::select({mask}, {}, Lanes::splat(0.0))", wide(a)),
                    None => wide(a),
                };
                format!("{argument}.truncate().ok_or_else(|| fault({ELSEWHERE}, &[]))?")
            }
            Expression::IsNan(a) => format!("{}.is_nan()", wide(a)),
            Expression::Load(element) => self.load(*element, None, mask),
        }
    }

    fn primitive(&self, primitive: &Primitive, operands: &[Operand]) -> String {
        let Some(row) = primitive.scalar() else { return String::new() };
        let mut text = row.rust.replace("riesz_runtime::", &format!("{}::", self.ty(Kind::Real)));
        for (at, operand) in operands.iter().enumerate() {
            text = text.replace(&format!("{{{at}}}"), &self.wide(*operand));
        }
        text
    }

    fn integer(&self, primitive: &Primitive, operands: &[Operand], mask: Option<&str>) -> String {
        // Lanes that do not take part compute with ones.
        let shown: Vec<String> = operands
            .iter()
            .map(|operand| match mask {
                Some(mask) => format!("Ints::select({mask}, {}, Ints::splat(1))", self.wide(*operand)),
                None => self.wide(*operand),
            })
            .collect();
        let one = "Ints::splat(0)".to_string();
        let (a, b) = (&shown[0], shown.get(1).unwrap_or(&one));
        let function = match primitive.name {
            "+" => "i64::checked_add",
            "-" => "i64::checked_sub",
            "*" => "i64::checked_mul",
            "unary -" => "|a, _| a.checked_neg()",
            "abs" => "|a, _| a.checked_abs()",
            "div" => "div",
            "mod" => "modulo",
            "min" => "|a, b| Some(a.min(b))",
            "max" => "|a, b| Some(a.max(b))",
            "sign" => "|a, _| Some(a.signum())",
            _ => "integer_power",
        };
        format!("{a}.try_map2({b}, {function}).ok_or_else(|| fault({ELSEWHERE}, &[]))?")
    }
}

/// What lanes add up, to be brought together behind the loop.
enum Partial {
    /// The elements of a buffer, each in lanes.
    Sums(Buffer),
    /// A number in lanes.
    Number(Register, Combine),
    /// What is to be added a few elements further than the last turns.
    Carry { buffer: Buffer, first: i64, shift: i64 },
}

impl Partial {
    fn name(&self, writer: &Writer) -> String {
        match self {
            Partial::Sums(buffer) => format!("{}_lanes", writer.buffer(*buffer)),
            Partial::Number(register, _) => format!("{}_lanes", writer.register(*register)),
            Partial::Carry { buffer, shift, .. } => format!("{}_carry_{shift}", writer.buffer(*buffer)),
        }
    }

    /// What a chunk of the loop gives.
    fn given(&self, writer: &Writer) -> Given {
        let name = self.name(writer);
        let (name, ty, apiece) = match self {
            Partial::Sums(buffer) => {
                let buffer = writer.buffer(*buffer);
                (format!("{buffer}_sums"), writer.vector(), format!("16.0 * {buffer}.len() as f64"))
            }
            Partial::Number(_, Combine::All | Combine::Any) => (name, "Mask", String::new()),
            Partial::Number(..) | Partial::Carry { .. } => (name, "Lanes", String::new()),
        };
        Given { name, ty: ty.into(), late: matches!(self, Partial::Carry { .. }), apiece }
    }

    /// What is left to do for a chunk before it gives it.
    fn settle(&self, writer: &Writer) -> Option<String> {
        match self {
            Partial::Sums(buffer) => Some(format!("let {0}_sums = sums(&{0}_lanes);", writer.buffer(*buffer))),
            Partial::Number(..) | Partial::Carry { .. } => None,
        }
    }

    fn begin(&self, writer: &Writer) -> String {
        let name = self.name(writer);
        let neutral = match self {
            Partial::Sums(buffer) => {
                return format!("let mut {name} = vec![Lanes::splat(-0.0); {}.len()];", writer.buffer(*buffer));
            }
            Partial::Carry { .. } => "Lanes::splat(0.0)",
            Partial::Number(_, Combine::Sum) => "Lanes::splat(-0.0)",
            Partial::Number(_, Combine::Product) => "Lanes::splat(1.0)",
            Partial::Number(_, Combine::Max) => {
                return format!("let mut {name} = Lanes::splat({}::NEG_INFINITY);", writer.precision.real());
            }
            Partial::Number(_, Combine::Min) => {
                return format!("let mut {name} = Lanes::splat({}::INFINITY);", writer.precision.real());
            }
            Partial::Number(_, Combine::All) => "Mask::splat(true)",
            Partial::Number(_, Combine::Any) => "Mask::splat(false)",
        };
        format!("let mut {name} = {neutral};")
    }

    /// Brings lanes together behind turns that ended before one.
    fn end(&self, writer: &Writer, chunked: bool, end: &str) -> Vec<String> {
        let lanes = self.name(writer);
        match self {
            Partial::Sums(buffer) if chunked => {
                vec![format!("add_all({}, &{}_sums);", writer.buffer_mut(*buffer), writer.buffer(*buffer))]
            }
            Partial::Sums(buffer) => vec![format!("add_lanes({}, &{lanes});", writer.buffer_mut(*buffer))],
            Partial::Carry { buffer, first, shift } => {
                let total = writer.buffer_mut(*buffer);
                vec![
                    format!("if {end} > 0 {{"),
                    format!("    {lanes}.add_first({shift}, {total}, {end} + {first});"),
                    "}".into(),
                ]
            }
            Partial::Number(register, combine) => {
                let name = writer.register(*register);
                vec![match combine {
                    Combine::Sum => format!("{name} += {lanes}.sum();"),
                    Combine::Product => format!("{name} *= {lanes}.product();"),
                    Combine::Max => format!("{name} = {lanes}.0.into_iter().fold({name}, max);"),
                    Combine::Min => format!("{name} = {lanes}.0.into_iter().fold({name}, min);"),
                    Combine::All => format!("{name} &= {lanes}.all();"),
                    Combine::Any => format!("{name} |= {lanes}.any();"),
                }]
            }
        }
    }
}

/// A buffer that turns add to at the index and at places a little further.
struct Stencil {
    /// The least that is added to the index.
    first: i64,
    /// The positions, and what each adds to the index; those that are still to be written.
    places: Vec<(Operand, i64)>,
}

impl Stencil {
    /// How far the places are from the first.
    fn shifts(&self) -> Vec<i64> {
        let mut shifts: Vec<i64> =
            self.places.iter().map(|(_, offset)| offset - self.first).filter(|s| *s > 0).collect();
        shifts.sort_unstable();
        shifts
    }
}

/// The buffers that turns add to only near the index, each time at another place.
fn stencils(lanes: &Lanes, each: &For) -> FxHashMap<Buffer, Stencil> {
    let mut offsets: Vec<(Operand, i64)> = vec![(Operand::Register(each.index), 0)];
    let mut places: FxHashMap<Buffer, Vec<(Operand, i64)>> = FxHashMap::default();
    for statement in &each.body {
        match statement {
            Statement::Let(register, Expression::Position(Arithmetic::Add, a, Operand::Int(further)))
                if *a == Operand::Register(each.index) =>
            {
                offsets.push((Operand::Register(*register), *further));
            }
            Statement::Add(element, _) if !lanes.private.contains(&element.buffer) => {
                let offset = offsets.iter().find(|(place, _)| *place == element.at);
                places.entry(element.buffer).or_default().push(offset.copied().unwrap_or((element.at, i64::MAX)));
            }
            _ => {}
        }
    }
    // What is added to elsewhere too stays as it is.
    let mut everywhere: FxHashMap<Buffer, usize> = FxHashMap::default();
    let mut work = vec![&each.body];
    while let Some(block) = work.pop() {
        for statement in block {
            if let Statement::Add(element, _) = statement {
                *everywhere.entry(element.buffer).or_default() += 1;
            }
            work.extend(riesz_program::blocks(statement));
        }
    }
    let near = |(buffer, places): (Buffer, Vec<(Operand, i64)>)| {
        let first = places.iter().map(|(_, offset)| *offset).min()?;
        let mut distinct: Vec<i64> = places.iter().map(|(_, offset)| *offset).collect();
        distinct.sort_unstable();
        distinct.dedup();
        let fits = distinct.len() == places.len()
            && places.len() > 1
            && everywhere[&buffer] == places.len()
            && distinct.iter().all(|offset| *offset < i64::MAX && offset - first < 8);
        fits.then_some((buffer, Stencil { first, places }))
    };
    places.into_iter().filter_map(near).collect()
}

/// Where an element is.
enum Position {
    /// At the same place in all lanes.
    Same(String),
    /// At places that are a step apart.
    Apart(String, String),
    /// At any places.
    Any(String),
}

/// What holds eight numbers of a kind.
fn lanes_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Real => "Lanes",
        Kind::Int => "Ints",
        Kind::Bool => "Mask",
    }
}

/// What each register is reduced by.
fn reductions(block: &Block) -> Vec<(Register, Combine)> {
    let mut found = Vec::new();
    let mut work = vec![block];
    while let Some(block) = work.pop() {
        for statement in block {
            if let Statement::Reduce(register, combine, _) = statement {
                found.push((*register, *combine));
            }
            work.extend(riesz_program::blocks(statement));
        }
    }
    found
}
