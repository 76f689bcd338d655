//! Options: where they are matched, what their methods give, and the methods of iterators that give them.

// The forms are written as users write them.
#![allow(clippy::unnecessary_map_or, clippy::iter_nth, clippy::iter_skip_next, clippy::get_first)]

use crate::check_at_points;
use crate::riesz::differentiable;

#[test]
fn options() {
    check_at_points!(
        bound_by_if_let matched elements_that_may_be_missing extremes found let_else slices_in_let_else mapped
        carried_by_a_loop of_pairs last_and_nth least_integer conditions_behind_a_let orderings
        of_a_type_that_the_loop_tells let_else_in_a_loop returns_behind_a_let greatest_with_its_position
        while_let in_each_other chained
    );
}

/// Whether there is a value is a constant; the derivative by an option that holds a number is one too.
#[differentiable(crate = crate::riesz)]
fn with_a_default(x: Option<f64>, y: f64) -> f64 {
    match x {
        Some(x) => x * x * y,
        None => 3.0 * y,
    }
}

#[test]
fn parameters() {
    assert_eq!(with_a_default::grad(Some(2.0), 5.0), (Some(20.0), 4.0));
    assert_eq!(with_a_default::grad(None, 5.0), (None, 3.0));
    assert_eq!(with_a_default::jvp(Some(2.0), Some(1.0), 5.0, 1.0), (20.0, 24.0));
    let (value, back) = with_a_default::vjp(None, 5.0);
    assert_eq!((value, back(2.0)), (15.0, (None, 6.0)));
}

#[differentiable(crate = crate::riesz)]
fn first(v: &[f64]) -> f64 {
    v.first().unwrap() * 2.0
}

#[test]
#[should_panic(expected = "unwrap")]
fn nothing_to_unwrap() {
    first::grad(&[]);
}

#[differentiable(crate = crate::riesz)]
fn bound_by_if_let(v: &[f64]) -> f64 {
    let m = v.iter().copied().reduce(f64::max);
    if let Some(x) = m { x * v[0] } else { 0.0 }
}

#[differentiable(crate = crate::riesz)]
fn matched(v: &[f64]) -> f64 {
    let o = if v[0] > 0.0 { Some(v[0] * v[1]) } else { None };
    match o {
        Some(x) if x > 0.1 => x * x,
        Some(x) => x,
        None => v[2],
    }
}

#[differentiable(crate = crate::riesz)]
fn elements_that_may_be_missing(v: &[f64]) -> f64 {
    v.first().unwrap() * v.last().unwrap() + v.get(2).copied().unwrap_or(0.0) + v.get(9).copied().unwrap_or(v[3])
}

#[differentiable(crate = crate::riesz)]
fn extremes(v: &[f64]) -> f64 {
    let m = v.iter().cloned().min_by(|a, b| a.partial_cmp(b).unwrap()).unwrap();
    let n = v.iter().max_by(|a, b| a.total_cmp(b)).unwrap();
    m * n
}

#[differentiable(crate = crate::riesz)]
fn found(v: &[f64]) -> f64 {
    let k = v.iter().position(|x| *x > 0.5).unwrap_or(0);
    v[k] * v[0]
        + match v.iter().find(|x| **x < -0.4) {
            Some(x) => x * 2.0,
            None => 1.0,
        }
}

#[differentiable(crate = crate::riesz)]
fn let_else(v: &[f64]) -> f64 {
    let Some(x) = v.get(1) else { return 0.0 };
    x * x
}

#[differentiable(crate = crate::riesz)]
fn slices_in_let_else(v: &[f64]) -> f64 {
    let &[a, b, ..] = v else { return 0.0 };
    a * b
}

#[differentiable(crate = crate::riesz)]
fn mapped(v: &[f64]) -> f64 {
    let o: Option<f64> = if v[0] > 0.0 { Some(v[0]) } else { None };
    o.map(|x| x * 2.0).unwrap_or_else(|| v[1]) + if o.is_some() { v[2] } else { 0.0 }
}

#[differentiable(crate = crate::riesz)]
fn carried_by_a_loop(v: &[f64]) -> f64 {
    let mut best: Option<f64> = None;
    for &x in v {
        best = match best {
            None => Some(x),
            Some(b) if x > b => Some(x),
            other => other,
        };
    }
    best.unwrap_or(0.0) * v[0]
}

#[differentiable(crate = crate::riesz)]
fn of_pairs(v: &[f64]) -> f64 {
    let mut best: Option<(usize, f64)> = None;
    for (i, &x) in v.iter().enumerate() {
        if best.map_or(true, |(_, b)| x > b) {
            best = Some((i, x));
        }
    }
    let (i, x) = best.unwrap();
    x * i as f64
}

#[differentiable(crate = crate::riesz)]
fn last_and_nth(v: &[f64]) -> f64 {
    *v.iter().last().unwrap() * *v.iter().nth(1).unwrap() + v.iter().skip(1).next().unwrap()
}

#[differentiable(crate = crate::riesz)]
fn least_integer(v: &[f64]) -> f64 {
    let k = [3usize, 1, 2].iter().copied().min().unwrap();
    v[k]
}

#[differentiable(crate = crate::riesz)]
fn conditions_behind_a_let(v: &[f64]) -> f64 {
    if let Some(x) = v.get(0)
        && *x > 0.0
    {
        x * x
    } else {
        v[1]
    }
}

#[differentiable(crate = crate::riesz)]
fn orderings(v: &[f64]) -> f64 {
    match v[0].partial_cmp(&v[1]) {
        Some(std::cmp::Ordering::Less) => v[2],
        _ => v[3],
    }
}

#[differentiable(crate = crate::riesz)]
fn of_a_type_that_the_loop_tells(v: &[f64]) -> f64 {
    let mut best = None;
    for &x in v {
        best = match best {
            Some(y) if y > x => Some(y),
            _ => Some(x * v[0]),
        };
    }
    best.map_or(0.0, |x| x.sin())
}

#[differentiable(crate = crate::riesz)]
fn let_else_in_a_loop(v: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..7 {
        let Some(x) = v.get(i) else { continue };
        let Some(y) = v.get(i + 1) else { break };
        s += x * y;
    }
    s
}

#[differentiable(crate = crate::riesz)]
fn returns_behind_a_let(v: &[f64]) -> f64 {
    for i in 0..5 {
        if let Some(x) = v.get(i + 1)
            && *x < v[i]
        {
            return x * v[0];
        }
    }
    v[4]
}

#[differentiable(crate = crate::riesz)]
fn greatest_with_its_position(v: &[f64]) -> f64 {
    let (i, m) = v.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).unwrap();
    m * v[(i + 1) % 5]
}

#[differentiable(crate = crate::riesz)]
fn while_let(v: &[f64]) -> f64 {
    let mut i = 0;
    let mut s = 0.0;
    while let Some(x) = v.get(i) {
        s = s * 0.5 + x * x;
        i += 2;
    }
    s * i as f64
}

#[differentiable(crate = crate::riesz)]
fn in_each_other(v: &[f64]) -> f64 {
    let o: Option<(f64, Option<f64>)> =
        if v[0] > 0.0 { Some((v[1], if v[2] > 0.3 { Some(v[3]) } else { None })) } else { None };
    match o {
        Some((a, Some(b))) => a * b,
        Some((a, None)) => a,
        None => v[4],
    }
}

#[differentiable(crate = crate::riesz)]
fn chained(v: &[f64]) -> f64 {
    v.first()
        .and_then(|x| if *x > 0.0 { Some(x * 2.0) } else { None })
        .or(v.get(1).copied())
        .filter(|x| x.abs() < 0.7)
        .unwrap_or_default()
        + v.iter().copied().find(|x| *x > 0.9).or_else(|| Some(v[2])).unwrap()
}
