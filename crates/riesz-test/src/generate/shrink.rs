//! Shrinking of failing programs: expressions become one of their parts, or a constant; items are removed.

use super::types::Type;
use super::{Item, Node, Program};

/// The smallest program found that still fails, after at most a given number of attempts.
pub fn shrink(program: &Program, attempts: usize, fails: &dyn Fn(&Program) -> bool) -> Program {
    let mut program = program.clone();
    let mut left = attempts;
    let mut smaller = true;
    while smaller && left > 0 {
        smaller = false;
        for at in (0..program.items.len()).rev() {
            let mut without = program.clone();
            without.items.remove(at);
            smaller |= accept(&mut program, without, &mut left, fails);
        }
        let mut at = 0;
        while let Some(node) = find(&mut program.items, at).cloned() {
            let mut replaced = false;
            for candidate in candidates(&node) {
                let mut changed = program.clone();
                *find(&mut changed.items, at).expect("the place is there") = candidate;
                if accept(&mut program, changed, &mut left, fails) {
                    replaced = true;
                    smaller = true;
                    break;
                }
            }
            if left == 0 {
                break;
            }
            // What stands here now may become smaller still.
            if !replaced {
                at += 1;
            }
        }
    }
    program
}

fn accept(program: &mut Program, changed: Program, left: &mut usize, fails: &dyn Fn(&Program) -> bool) -> bool {
    if *left == 0 {
        return false;
    }
    *left -= 1;
    let accepted = fails(&changed);
    if accepted {
        *program = changed;
    }
    accepted
}

/// The nodes of an expression, outermost first.
fn nodes(node: Node) -> Vec<Node> {
    let parts: Vec<Node> = node.parts.iter().cloned().flat_map(nodes).collect();
    std::iter::once(node).chain(parts).collect()
}

/// The node at a place, counted as [`nodes`] has them.
fn find(items: &mut [Item], at: usize) -> Option<&mut Node> {
    fn inside<'n>(node: &'n mut Node, at: &mut usize) -> Option<&'n mut Node> {
        if *at == 0 {
            return Some(node);
        }
        *at -= 1;
        node.parts.iter_mut().find_map(|part| inside(part, at))
    }
    let mut at = at;
    items.iter_mut().flat_map(|item| item.bodies.iter_mut()).find_map(|body| inside(body, &mut at))
}

/// Smaller expressions of the same type: a constant, then the parts that are of the type.
fn candidates(node: &Node) -> Vec<Node> {
    let mut candidates = Vec::new();
    let constant = Node { ty: node.ty.clone(), template: constant(&node.ty), parts: Vec::new() };
    if constant.text() != node.text() && node.text().len() > 3 {
        candidates.push(constant);
    }
    let mut inside: Vec<Node> = nodes(node.clone()).into_iter().skip(1).filter(|part| part.ty == node.ty).collect();
    inside.sort_by_key(|part| part.text().len());
    candidates.extend(inside);
    candidates
}

fn constant(ty: &Type) -> String {
    match ty {
        Type::Real => "0.5".to_string(),
        Type::Int => "1".to_string(),
        Type::Bool => "true".to_string(),
        Type::Array(size, element) => format!("replicate({}, {})", size.show(), constant(element)),
        Type::Tuple(parts) => format!("({})", parts.iter().map(constant).collect::<Vec<_>>().join(", ")),
        Type::Record(fields) => {
            let fields: Vec<String> = fields.iter().map(|(name, ty)| format!("{name} = {}", constant(ty))).collect();
            format!("{{{}}}", fields.join(", "))
        }
        Type::Function(_, to) => format!("(\\z -> {})", constant(to)),
    }
}
