//! Loops with independent iterations in strips: a function of numbers is called once for many iterations.
//!
//! ```text
//! for i { a; y = exp(x); b }   =   for each strip { for i { a; keep x };  exp of all x;  for i { y; b } }
//! ```
//!
//! The statements of a loop have levels: a statement that needs the result of a call is one level above it. Each level is a
//! loop over the strip, followed by its calls. Numbers that a level needs from another are stored in the frame, unless
//! they are cheaper to compute again. Iterations are independent, so only the order of additions to a number changes. A
//! loop in which another error could become the first one does not change.

use super::{Number, Translator, trusted};
use crate::machine::number;
use crate::{host, kernel};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{BlockArg, InstBuilder, StackSlotData, StackSlotKind, Value, types};
use riesz_program::program::{Block, Buffer, Expression, For, Operand, Register, Statement};
use riesz_program::{any_buffer, blocks, each_operand, each_statement};
use rustc_hash::{FxHashMap, FxHashSet};

/// How many iterations a strip has.
const STRIP: i64 = 64;
/// How many numbers of an iteration are kept at most, and those of all loops around it: they are in the frame.
const MOST_KEPT: usize = 24;
const MOST_ROOMS: usize = 96;
/// How many statements a loop in strips has at most.
const MOST_STATEMENTS: usize = 512;

/// Where numbers of a strip are kept, by their registers; and arguments of calls that have no register of their own, by the
/// statement and the argument.
type Rooms = FxHashMap<Register, Value>;
type Arguments = FxHashMap<(usize, usize), Value>;

/// A loop in levels.
pub(super) struct Levels {
    /// The role of each statement.
    roles: Vec<Role>,
    /// How many levels there are.
    count: usize,
    /// The registers that are kept in the frame.
    kept: FxHashSet<Register>,
    /// The registers that iterations set.
    assigned: FxHashSet<Register>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
    /// Computed again in each level that needs it.
    Cheap,
    /// Done in a level.
    Plain(usize),
    /// A call behind a level.
    Call(usize),
}

impl Levels {
    /// The levels of a loop; none where strips do not pay, or are not right.
    pub fn of(each: &For) -> Option<Levels> {
        let few = matches!(each.count, Operand::Int(count) if count < 4);
        if !each.parallel || few || each.body.len() > MOST_STATEMENTS || !each.body.iter().any(is_call) {
            return None;
        }
        let (written, assigned) = (written(&each.body), assigned(&each.body));
        let mut levels = Levels { roles: Vec::new(), count: 1, kept: FxHashSet::default(), assigned };
        // Where registers are bound, the levels that statements of a buffer are in, and that of what can fail.
        let mut bound: FxHashMap<Register, usize> = FxHashMap::default();
        let mut touched: FxHashMap<Buffer, usize> = FxHashMap::default();
        let (mut failing, mut set): (Option<usize>, FxHashMap<Register, usize>) = (None, FxHashMap::default());
        for (at, statement) in each.body.iter().enumerate() {
            if let Statement::Let(register, expression) = statement
                && is_cheap(expression, &written)
                && all_operands(statement).iter().all(|used| match bound.get(used) {
                    Some(definition) => levels.roles[*definition] == Role::Cheap,
                    None => !levels.assigned.contains(used),
                })
            {
                bound.insert(*register, at);
                levels.roles.push(Role::Cheap);
                continue;
            }
            let mut level = 0;
            for used in all_operands(statement) {
                level = level.max(match bound.get(&used).map(|definition| levels.roles[*definition]) {
                    Some(Role::Plain(level)) => level,
                    Some(Role::Call(level)) => level + 1,
                    Some(Role::Cheap) | None => 0,
                });
            }
            let mut makes = false;
            for part in with_parts(statement) {
                makes |= match part {
                    Statement::Allocate(_) | Statement::Grow(_) | Statement::Swap(..) => true,
                    Statement::Call(_) | Statement::Matrix(_) | Statement::While(_) => true,
                    Statement::For(inner) => !inner.private.is_empty(),
                    _ => false,
                };
                for buffer in buffers(part) {
                    if let (true, Some(before)) = (written.contains(&buffer), touched.get(&buffer)) {
                        level = level.max(*before);
                    }
                }
            }
            if makes {
                return None;
            }
            if can_fail(statement) && *failing.get_or_insert(level) != level {
                return None;
            }
            for part in with_parts(statement) {
                touched.extend(buffers(part).into_iter().map(|buffer| (buffer, level)));
            }
            // A number that iterations set belongs to one level.
            let mut mine = all_operands(statement);
            mine.extend(with_parts(statement).into_iter().filter_map(set_by));
            let elsewhere = |register: &Register| *set.entry(*register).or_insert(level) != level;
            if mine.iter().filter(|register| levels.assigned.contains(*register)).any(elsewhere) {
                return None;
            }
            if let Statement::Let(register, _) = statement {
                bound.insert(*register, at);
            }
            levels.roles.push(if is_call(statement) { Role::Call(level) } else { Role::Plain(level) });
            levels.count = levels.count.max(level + if is_call(statement) { 2 } else { 1 });
        }
        // Buffers that iterations use anew hold what they hold for one level only.
        let private = |buffer: &Buffer| each.private.iter().any(|allocation| allocation.buffer == *buffer);
        for buffer in touched.keys().filter(|buffer| private(buffer)) {
            let mut found = FxHashSet::default();
            for (role, statement) in levels.roles.iter().zip(&each.body) {
                for part in with_parts(statement) {
                    if buffers(part).contains(buffer) {
                        found.insert(match role {
                            Role::Plain(level) | Role::Call(level) => *level,
                            Role::Cheap => usize::MAX,
                        });
                    }
                }
            }
            if found.len() > 1 {
                return None;
            }
        }
        levels.keep(&each.body, &bound);
        (levels.kept.len() <= MOST_KEPT).then_some(levels)
    }

    /// Finds the registers that are kept: arguments and results of calls, and what is used above the level that binds it.
    fn keep(&mut self, body: &Block, bound: &FxHashMap<Register, usize>) {
        for (role, statement) in self.roles.clone().into_iter().zip(body) {
            for used in all_operands(statement) {
                let Some(definition) = bound.get(&used) else { continue };
                let kept = match (self.roles[*definition], role) {
                    (_, Role::Call(_)) => true,
                    (Role::Plain(from), Role::Plain(to)) => from != to,
                    (Role::Call(_), _) => true,
                    (Role::Cheap, _) | (_, Role::Cheap) => false,
                };
                if kept {
                    self.kept.insert(used);
                }
            }
        }
    }
}

impl Translator<'_> {
    /// Whether there is room in the frame for a loop in strips: what it keeps, and results and arguments of its calls.
    pub(super) fn has_room(&self, levels: &Levels) -> bool {
        let calls = levels.roles.iter().filter(|role| matches!(role, Role::Call(_))).count();
        self.rooms_used + levels.kept.len() + 3 * calls <= MOST_ROOMS
    }

    /// A loop in strips.
    pub(super) fn strips(&mut self, each: &For, levels: &Levels) {
        let (count, rooms_before) = (self.operand(each.count), self.rooms_used);
        let mut rooms = Rooms::default();
        let mut kept: Vec<Register> = levels.kept.iter().copied().collect();
        kept.sort_unstable();
        for register in kept {
            let room = self.strip_room();
            rooms.insert(register, room);
        }
        // Results of calls, arguments that iterations set, and arguments that are the same in all iterations.
        let mut others = Arguments::default();
        for (at, (role, statement)) in levels.roles.iter().zip(&each.body).enumerate() {
            if let (Role::Call(_), Statement::Let(register, Expression::Real(_, operands))) = (role, statement) {
                if !rooms.contains_key(register) {
                    let room = self.strip_room();
                    rooms.insert(*register, room);
                }
                for (which, operand) in operands.iter().enumerate() {
                    let is = |registers: &dyn Fn(&Register) -> bool| matches!(operand, Operand::Register(register) if registers(register));
                    if is(&|register| rooms.contains_key(register)) {
                        continue;
                    }
                    let room = self.strip_room();
                    others.insert((at, which), room);
                    if !is(&|register| levels.assigned.contains(register)) {
                        let (value, most) = (self.operand(*operand), self.int(STRIP));
                        let first = self.builder.ins().smin(count, most);
                        self.call_host(&host::fill_reals(), &[room, first, value]);
                    }
                }
            }
        }
        let [strip, behind] = [(); 2].map(|()| self.builder.create_block());
        let first = self.builder.append_block_param(strip, types::I64);
        let zero = self.int(0);
        let some = self.builder.ins().icmp(IntCC::SignedGreaterThan, count, zero);
        self.builder.ins().brif(some, strip, &[BlockArg::Value(zero)], behind, &[]);
        self.builder.switch_to_block(strip);
        let left = self.builder.ins().isub(count, first);
        let most = self.int(STRIP);
        let len = self.builder.ins().smin(left, most);
        for level in 0..levels.count {
            self.level(each, levels, level, (first, len), (&rooms, &others));
            for (at, (role, statement)) in levels.roles.iter().zip(&each.body).enumerate() {
                if let (true, Statement::Let(register, Expression::Real(primitive, operands))) =
                    (*role == Role::Call(level), statement)
                    && let Some(host) = kernel::of(primitive)
                {
                    let mut arguments = vec![rooms[register]];
                    for (which, operand) in operands.iter().enumerate() {
                        arguments.push(match (others.get(&(at, which)), operand) {
                            (Some(room), _) => *room,
                            (None, Operand::Register(register)) => rooms[register],
                            (None, _) => rooms[register],
                        });
                    }
                    arguments.push(len);
                    self.call_host(&host, &arguments);
                }
            }
        }
        let next = self.builder.ins().iadd_imm_s(first, STRIP);
        let more = self.builder.ins().icmp(IntCC::SignedLessThan, next, count);
        self.builder.ins().brif(more, strip, &[BlockArg::Value(next)], behind, &[]);
        self.builder.seal_block(strip);
        self.builder.switch_to_block(behind);
        self.builder.seal_block(behind);
        self.rooms_used = rooms_before;
    }

    /// The statements of a level, for each iteration of a strip.
    fn level(
        &mut self,
        each: &For,
        levels: &Levels,
        level: usize,
        (first, len): (Value, Value),
        (rooms, others): (&Rooms, &Arguments),
    ) {
        let mine = |role: &Role| *role == Role::Plain(level);
        // What the level uses: of other levels, and what is computed again for it, or kept for its calls.
        let mut needed: FxHashSet<Register> = FxHashSet::default();
        for (role, statement) in levels.roles.iter().zip(&each.body).rev() {
            let here = mine(role)
                || *role == Role::Call(level)
                || matches!((role, statement), (Role::Cheap, Statement::Let(register, _)) if needed.contains(register));
            if here {
                needed.extend(all_operands(statement));
            }
        }
        let works = levels.roles.iter().zip(&each.body).any(|(role, statement)| {
            mine(role)
                || *role == Role::Call(level)
                    && all_operands(statement).iter().any(|used| {
                        each.body.iter().zip(&levels.roles).any(|(definition, role)| {
                    matches!((definition, role), (Statement::Let(register, _), Role::Cheap) if register == used)
                })
                    })
        });
        if !works {
            return;
        }
        let [iteration, behind] = [(); 2].map(|()| self.builder.create_block());
        let at = self.builder.append_block_param(iteration, types::I64);
        let zero = self.int(0);
        self.builder.ins().jump(iteration, &[BlockArg::Value(zero)]);
        self.builder.switch_to_block(iteration);
        let index = self.builder.ins().iadd(first, at);
        self.numbers[each.index.0 as usize] = Number::Value(index);
        for (place, (role, statement)) in levels.roles.iter().zip(&each.body).enumerate() {
            match (role, statement) {
                // Arguments that iterations set are what they are here.
                (Role::Call(from), Statement::Let(_, Expression::Real(_, operands))) if *from == level => {
                    for (which, operand) in operands.iter().enumerate() {
                        if let (Some(room), Operand::Register(register)) = (others.get(&(place, which)), operand)
                            && levels.assigned.contains(register)
                        {
                            let (value, to) = (self.operand(*operand), self.in_strip(*room, at));
                            self.builder.ins().store(trusted(), value, to, 0);
                        }
                    }
                }
                (Role::Cheap, Statement::Let(register, _)) if needed.contains(register) => {
                    self.statement(statement, false);
                    self.keep(*register, at, rooms);
                }
                (Role::Plain(from), Statement::Let(register, _)) if *from != level && needed.contains(register) => {
                    self.recall(*register, at, rooms);
                }
                (Role::Call(from), Statement::Let(register, _)) if *from < level && needed.contains(register) => {
                    self.recall(*register, at, rooms);
                }
                (Role::Plain(from), statement) if *from == level => {
                    self.statement(statement, false);
                    if let Statement::Let(register, _) = statement {
                        self.keep(*register, at, rooms);
                    }
                }
                _ => {}
            }
        }
        let next = self.builder.ins().iadd_imm_s(at, 1);
        let more = self.builder.ins().icmp(IntCC::SignedLessThan, next, len);
        self.builder.ins().brif(more, iteration, &[BlockArg::Value(next)], behind, &[]);
        self.builder.seal_block(iteration);
        self.builder.switch_to_block(behind);
        self.builder.seal_block(behind);
    }

    /// Keeps a number of an iteration of a strip, if a level or a call needs it.
    fn keep(&mut self, register: Register, at: Value, rooms: &Rooms) {
        if let Some(room) = rooms.get(&register) {
            let value = self.operand(Operand::Register(register));
            let place = self.in_strip(*room, at);
            self.builder.ins().store(trusted(), value, place, 0);
        }
    }

    /// Binds a number of an iteration of a strip to what was kept.
    fn recall(&mut self, register: Register, at: Value, rooms: &Rooms) {
        if let Some(room) = rooms.get(&register) {
            let place = self.in_strip(*room, at);
            let ty = number(self.kind(Operand::Register(register)));
            let value = self.builder.ins().load(ty, trusted(), place, 0);
            self.bind(register, value);
        }
    }

    fn in_strip(&mut self, room: Value, at: Value) -> Value {
        let bytes = self.builder.ins().ishl_imm_u(at, 3);
        self.builder.ins().iadd(room, bytes)
    }

    /// Room for a number of each iteration of a strip. Loops that are not inside of each other share it.
    fn strip_room(&mut self) -> Value {
        if self.rooms_used == self.rooms.len() {
            let data = StackSlotData::new(StackSlotKind::ExplicitSlot, 8 * STRIP as u32, 6);
            let slot = self.builder.create_sized_stack_slot(data);
            self.rooms.push(slot);
        }
        self.rooms_used += 1;
        self.builder.ins().stack_addr(types::I64, self.rooms[self.rooms_used - 1], 0)
    }
}

/// Whether a statement is a call that there is a kernel for, of which many can be done at once.
fn is_call(statement: &Statement) -> bool {
    matches!(statement, Statement::Let(_, Expression::Real(primitive, _)) if kernel::of(primitive).is_some())
}

/// Whether an expression is computed again rather than kept: it cannot fail, and takes an instruction or two.
fn is_cheap(expression: &Expression, written: &FxHashSet<Buffer>) -> bool {
    match expression {
        Expression::Copy(_)
        | Expression::Position(..)
        | Expression::ToReal(_)
        | Expression::Not(_)
        | Expression::And(..)
        | Expression::Within(..) => true,
        Expression::Load(element) => !written.contains(&element.buffer),
        _ => false,
    }
}

/// Whether a statement, or one in its blocks, can fail or take steps.
fn can_fail(statement: &Statement) -> bool {
    let fails = |part: &Statement| match part {
        Statement::Let(_, expression) => matches!(expression, Expression::Int(..) | Expression::Truncate(..)),
        part => matches!(part, Statement::Check(..) | Statement::For(_)),
    };
    with_parts(statement).into_iter().any(fails)
}

/// The buffers that a block writes to.
fn written(block: &Block) -> FxHashSet<Buffer> {
    let mut written = FxHashSet::default();
    each_statement(block, &mut |statement| match statement {
        Statement::Let(..) | Statement::Check(..) => {}
        // What is not a plain reading may be a writing.
        Statement::Copy { to, .. } => written.extend([to.buffer]),
        Statement::Product(product) => written.extend([product.to.buffer]),
        statement => written.extend(buffers(statement)),
    });
    written
}

/// The buffers that a statement uses outside of its blocks.
fn buffers(statement: &Statement) -> Vec<Buffer> {
    let mut found = Vec::new();
    any_buffer(statement, &mut |buffer| {
        found.push(buffer);
        false
    });
    found
}

/// A statement, and all in its blocks.
fn with_parts(statement: &Statement) -> Vec<&Statement> {
    let mut found = vec![statement];
    for block in blocks(statement) {
        each_statement(block, &mut |statement| found.push(statement));
    }
    found
}

/// The registers that a statement uses, also in its blocks.
fn all_operands(statement: &Statement) -> Vec<Register> {
    let mut found = Vec::new();
    for part in with_parts(statement) {
        each_operand(part, &mut |operand| {
            if let Operand::Register(register) = operand {
                found.push(register);
            }
        });
    }
    found
}

/// The register that a statement sets, if it does.
fn set_by(statement: &Statement) -> Option<Register> {
    match statement {
        Statement::Set(register, _) => Some(*register),
        _ => None,
    }
}

/// The registers that a block sets.
fn assigned(block: &Block) -> FxHashSet<Register> {
    let mut assigned = FxHashSet::default();
    each_statement(block, &mut |statement| assigned.extend(set_by(statement)));
    assigned
}
