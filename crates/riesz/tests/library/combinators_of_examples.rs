//! On the functions of the examples that give a number, every representation agrees with Nagata numbers.

use riesz_algebra::Nagata;
use riesz_category::via::{Prepared, Via};
use riesz_core::evaluate::{Limits, Machine, Value};
use riesz_core::{Checker, Function, Type, Var, size};
use riesz_primitive::Number;
use riesz_syntax::tree::ItemKind;
use riesz_syntax::{FileId, ParseOptions, parse};
use std::path::Path;

type Dual = Nagata<f64, f64>;

/// How large arrays are.
const SIZE: i64 = 3;

#[test]
fn representations_agree_on_the_examples() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut judged, mut skipped) = (0, Vec::new());
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "rz")) {
        let (checker, names) = load(file);
        for name in names {
            match judge(&checker, &name) {
                Some(Ok(())) => judged += 1,
                Some(Err(why)) => skipped.push(format!("{}: {name}: {why}", file.display())),
                None => {}
            }
        }
    }
    println!("{judged} judged; {skipped:#?}");
    assert!(judged >= 25, "{judged} judged; {skipped:#?}");
    assert!(skipped.len() <= judged / 4, "{skipped:#?}");
}

/// A checker that knows a file and those it imports, and the functions of the file.
fn load(file: &Path) -> (Checker, Vec<String>) {
    let mut trees = Vec::new();
    let mut names = Vec::new();
    let mut work = vec![file.to_path_buf()];
    while let Some(path) = work.pop() {
        let text = std::fs::read_to_string(&path).unwrap();
        let (tree, problems) = parse(FileId(trees.len() as u32 + 1), &text, &ParseOptions::default());
        assert!(problems.is_empty(), "{problems:?}");
        for item in &tree.items {
            match &item.kind {
                ItemKind::Import { path: imported } => work.push(path.with_file_name(&*imported.name)),
                ItemKind::Fun { name, .. } if trees.is_empty() => names.push(name.name.to_string()),
                _ => {}
            }
        }
        trees.push(tree);
    }
    let mut checker = Checker::new();
    let problems = checker.add(trees, false);
    assert!(problems.is_empty(), "{}: {problems:?}", file.display());
    (checker, names)
}

/// None where it is not a function to a number; an error where it cannot be judged.
fn judge(checker: &Checker, name: &str) -> Option<Result<(), String>> {
    let id = checker.function_named(name)?;
    if checker.program.function(id).result != Type::Real {
        return None;
    }
    let mut program = checker.program.clone();
    if riesz_calculus::compile_from(&mut program, &[id]).is_err() {
        return Some(Err("does not compile".into()));
    }
    let function = program.function(id);
    let mut next = 0;
    let mut numbers = || {
        next += 1;
        0.3 + 0.5 * (next as f64 * 0.7).sin().abs()
    };
    let point: Vec<Value<f64>> = arguments(function, &mut numbers)?;
    let mut at = 0;
    let mut tangent = |x: &f64| {
        at += 1;
        Dual { primal: *x, tangent: (at as f64).cos() }
    };
    let dual: Vec<Value<Dual>> = point.iter().map(|value| value.over(&mut tangent)).collect();
    let dx: Vec<f64> = (1..=at).map(|at| (at as f64).cos()).collect();
    let expected = match Machine::<Dual>::new(&program, Limits::default(), |_| None).call_with(id, dual) {
        Ok(value) => value.real(),
        Err(fault) => return Some(Err(fault.message.clone())),
    };
    let prepared = match Prepared::new(&program, id, Limits::default(), |_| None) {
        Ok(prepared) => prepared,
        Err(fault) => return Some(Err(fault.message.clone())),
    };
    let mut gradient: Option<Vec<f64>> = None;
    for via in Via::ALL {
        let derivative = prepared.derivative(point.clone(), via).unwrap();
        let label = format!("{name} via {}", via.name());
        assert!(near(derivative.value.real(), expected.value()), "{label}: {:?}", derivative.value);
        let found = derivative.apply(&dx)[0];
        assert!(near(found, expected.tangent), "{label}: {found} and not {}", expected.tangent);
        let found = derivative.transpose_apply(&[1.0]);
        let first = gradient.get_or_insert_with(|| found.clone());
        assert!(found.iter().zip(first.iter()).all(|(a, b)| near(*a, *b)), "{label}: {found:?} and not {first:?}");
    }
    Some(Ok(()))
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-8 * a.abs().max(b.abs()).max(1.0) || !a.is_finite() && !b.is_finite()
}

/// Arguments for a function; none where it takes functions.
fn arguments(function: &Function, number: &mut dyn FnMut() -> f64) -> Option<Vec<Value<f64>>> {
    let mut values: Vec<Value<f64>> = Vec::new();
    for parameter in &function.vars[..function.parameters] {
        let var = Var(values.len() as u32);
        let is_size = function.vars[..function.parameters].iter().any(|other| {
            let mut found = false;
            other.ty.map_sizes(&mut |size| {
                found |= size.atoms().contains(&size::Atom::Var(var));
                size.clone()
            });
            found
        });
        values.push(if is_size { Value::Int(SIZE) } else { value(&parameter.ty, &values, number)? });
    }
    Some(values)
}

fn value(ty: &Type, before: &[Value<f64>], number: &mut dyn FnMut() -> f64) -> Option<Value<f64>> {
    Some(match ty {
        Type::Real => Value::Real(number()),
        // An index, which is in range.
        Type::Int => Value::Int(1),
        Type::Bool => Value::Bool(true),
        Type::Array(size, element) => {
            let count = size.evaluate(&mut |atom| match atom {
                size::Atom::Var(var) => before.get(var.0 as usize).map(Value::int),
                _ => None,
            })?;
            let elements = (0..count).map(|at| match **element {
                // Indices, which are in range.
                Type::Int => Some(Value::Int(at % 2)),
                ref element => value(element, before, number),
            });
            Value::array(element, elements.collect::<Option<Vec<_>>>()?)
        }
        ty => match ty.components() {
            Some(parts) => {
                Value::Tuple(parts.iter().map(|part| value(part, before, number)).collect::<Option<Vec<_>>>()?.into())
            }
            None => return None,
        },
    })
}
