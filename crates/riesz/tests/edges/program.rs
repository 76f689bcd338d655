//! Random programs: one function of a number, a vector and a square matrix, made of a few arbitrary built-in functions.
//! One template states how each is used.

use crate::random::Random;
use riesz::primitive::{self, Primitive};
use std::sync::LazyLock;

/// What an expression is.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Sort {
    Real,
    Vector,
    Matrix,
}

/// How an expression is made: `$r`, `$v`, `$m` stand for others, `$i` for an index, `$n` for the size of all arrays, `$k` for
/// a small integer, and `$z` for a name that nothing else has.
struct Template {
    /// What a test of coverage calls it.
    name: &'static str,
    sort: Sort,
    text: String,
}

/// A random function `f(x: R, v: [n]R, a: [n][n]R): R`.
pub struct Program {
    pub text: String,
    /// How long its arrays are.
    pub size: usize,
    /// The names of what it is made of.
    pub covered: Vec<&'static str>,
}

/// The names of everything that programs are made of.
pub fn constructs() -> impl Iterator<Item = &'static str> {
    TEMPLATES.iter().map(|template| template.name)
}

impl Program {
    pub fn random(random: &mut Random) -> Program {
        let size = random.below(4);
        let mut writer = Writer { random, size, names: 0, covered: Vec::new() };
        let depth = 1 + writer.random.below(3);
        let body = writer.expression(Sort::Real, depth);
        let covered = std::mem::take(&mut writer.covered);
        Program { text: format!("fun f(x: R, v: [{size}]R, a: [{size}][{size}]R): R = {body}\n"), size, covered }
    }
}

struct Writer<'a> {
    random: &'a mut Random,
    size: usize,
    names: usize,
    covered: Vec<&'static str>,
}

impl Writer<'_> {
    fn expression(&mut self, sort: Sort, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(sort);
        }
        let fitting: Vec<&Template> = TEMPLATES
            .iter()
            .filter(|template| template.sort == sort && (self.size > 0 || !template.needs_elements()))
            .collect();
        let template = *self.random.pick(&fitting);
        self.covered.push(template.name);
        self.names += 1;
        let name = format!("z{}", self.names);
        let mut text = String::from("(");
        let mut rest = template.text.as_str();
        while let Some(at) = rest.find('$') {
            text += &rest[..at];
            text += &match &rest[at + 1..at + 2] {
                "r" => self.expression(Sort::Real, depth - 1),
                "v" => self.expression(Sort::Vector, depth - 1),
                "m" => self.expression(Sort::Matrix, depth - 1),
                "i" => self.random.below(self.size).to_string(),
                "k" => self.random.below(4).to_string(),
                "n" => self.size.to_string(),
                "z" => name.clone(),
                other => unreachable!("a template has ${other}"),
            };
            rest = &rest[at + 2..];
        }
        text + rest + ")"
    }

    fn leaf(&mut self, sort: Sort) -> String {
        match (sort, self.random.below(6)) {
            (Sort::Real, 0) => "0.0".into(),
            (Sort::Real, 1) => "2.0".into(),
            (Sort::Real, _) => "x".into(),
            (Sort::Vector, _) => "v".into(),
            (Sort::Matrix, _) => "a".into(),
        }
    }
}

impl Template {
    /// Whether it has no meaning where arrays have no elements.
    fn needs_elements(&self) -> bool {
        self.text.contains("$i") || ["max", "min", "argmax", "argmin"].contains(&self.name) && self.text.contains("$v")
    }
}

/// One template or more for each construct.
static TEMPLATES: LazyLock<Vec<Template>> = LazyLock::new(|| {
    let written = [(Sort::Real, REALS), (Sort::Vector, VECTORS), (Sort::Matrix, MATRICES)];
    let mut templates: Vec<Template> = written
        .into_iter()
        .flat_map(|(sort, rows)| rows.iter().map(move |&(name, text)| Template { name, sort, text: text.into() }))
        .collect();
    for row in primitive::table().iter().filter(|row| !row.hidden() && is_smooth(row)) {
        let Some(scalar) = row.scalar() else { continue };
        let written = |argument: &str| match (row.name.starts_with(|c: char| c.is_alphabetic()), scalar.domain.len()) {
            (true, 1) => format!("{}({argument})", row.name),
            (true, _) => format!("{}({argument}, {argument})", row.name),
            (false, 1) => format!("{}{argument}", row.name),
            (false, _) => format!("{argument} {} {argument}", row.name),
        };
        templates.push(Template { name: row.name, sort: Sort::Real, text: written("$r") });
        if row.name.starts_with(|c: char| c.is_alphabetic()) && !["max", "min"].contains(&row.name) {
            templates.push(Template { name: row.name, sort: Sort::Vector, text: written("$v") });
        }
    }
    templates
});

fn is_smooth(row: &Primitive) -> bool {
    row.scalar().is_some_and(|scalar| scalar.real.is_some())
}

/// Numbers.
const REALS: &[(&str, &str)] = &[
    ("if", "if $r > $r then $r else $r"),
    ("integer power", "$r ^ $k"),
    ("let", "let $z = $r in $z * $z"),
    ("loop", "loop $z = $r for i < $k do $z * $r"),
    ("while", "(loop ($z, i) = ($r, 0) while i < 2 do ($z * 0.5 + $r, i + 1)).0"),
    ("element", "$v[$i]"),
    ("element of a matrix", "$m[$i, $i]"),
    ("sum", "sum($v)"),
    ("sum of rows", "sum(sum($m))"),
    ("sum with a condition", "sum(if i < 1 then $r else $z | (i, $z) in zip(iota($n), $v))"),
    ("sum below", "sum($z[j] * $r | $z in [$v], i < $n, j < i)"),
    ("prod", "prod($v)"),
    ("max", "max($v)"),
    ("min", "min($v)"),
    ("argmax", "$v[argmax($v)]"),
    ("argmin", "$v[argmin($v)]"),
    ("all", "if all(y > 0 | y in $v) then $r else $r"),
    ("any", "if any(y > 0 | y in $v) then $r else $r"),
    ("fold", "fold(\\s y -> s * 0.5 + y * $r, $r, $v)"),
    ("dot", "dot($v, $v)"),
    ("inner", "inner($v, $v)"),
    ("inner", "inner($m, $m)"),
    ("norm", "norm($v)"),
    ("norm of a tuple", "norm(($v, $r))"),
    ("det", "det($m)"),
    ("logdet", "logdet($m)"),
    ("sigmoid", "sigmoid($r)"),
    ("softplus", "softplus($r)"),
    ("relu", "relu($r)"),
    ("record", "{b = $r, a = $r}.b"),
    ("tuple", "($r, $v).0"),
    ("is_nan", "if is_nan($r) then $r else $r"),
    ("real", "real($k) * $r"),
    ("trunc", "$r * trunc(2.5)"),
    ("size", "$r * size($v)"),
    ("function", "[\\y -> y * $r, \\y -> y][1]($r)"),
    ("derivative", "D(\\$z -> $z * $r, $r)($r)"),
    ("grad", "grad(\\$z -> $z * $z * $r, $r)"),
    ("taylor", "taylor(\\$z -> $z * $r, $r, $r, 2)[1]"),
    ("hvp", "sum(hvp(\\$z -> inner($z, $z) * $r, $v, $v))"),
];

/// Vectors.
const VECTORS: &[(&str, &str)] = &[
    ("array", "[y * $r | y in $v]"),
    ("build", "build($n, \\i -> $r)"),
    ("iota", "iota($n) * $r"),
    ("replicate", "replicate($n, $r)"),
    ("map", "map(\\y -> y * $r, $v)"),
    ("zip", "[y * $z | (y, $z) in zip($v, $v)]"),
    ("unzip", "unzip(zip($v, $v)).1"),
    ("scan", "scan(\\s y -> s + y * $r, $r, $v)"),
    ("reverse", "reverse($v)"),
    ("concat", "slice(concat($v, $v), 0, $n)"),
    ("slice", "slice(concat([$r], $v), 1, $n + 1)"),
    ("flatten", "flatten([$v])"),
    ("flatten of columns", "flatten([[y] | y in $v])"),
    ("gather", "gather($v, reverse(iota($n)))"),
    ("gather", "gather(concat([$r], $v), [0 | i < $n])"),
    ("scatter_add", "scatter_add($n, [0 | i < $n], $v)"),
    ("update", "update($v, $i, $r)"),
    ("row", "$m[$i]"),
    ("sum of vectors", "sum($m)"),
    ("max of columns", "[max(concat([$r], y)) | y in $m]"),
    ("dot", "dot($m, $v)"),
    ("dot", "dot($v, $m)"),
    ("solve", "solve($m, $v)"),
    ("if", "if $r > $r then $v else $v"),
    ("scaled", "$r * $v"),
    ("sum of two", "$v + $v"),
    ("product of two", "$v * $v"),
    ("quotient of two", "$v / $v"),
    ("loop", "loop $z = $v for i < $k do $z * $r"),
    ("grad", "grad(\\$z -> inner($z, $z) * $r, $v)"),
    ("jacobian", "dot(jacobian(\\$z -> $z * $r, $v), $v)"),
    ("vjp", "vjp(\\$z -> $z * $z, $v, $v).1"),
    ("adjoint", "adjoint(D(\\$z -> $z * $r, $v))($v)"),
    ("compose", "compose(D(\\$z -> $z * $r, $v), D(\\$z -> reverse($z), $v))($v)"),
];

/// Square matrices.
const MATRICES: &[(&str, &str)] = &[
    ("outer", "outer($v, $v)"),
    ("inv", "inv($m)"),
    ("cholesky", "cholesky($m)"),
    ("transpose", "transpose($m)"),
    ("dot", "dot($m, $m)"),
    ("solve", "solve($m, $m)"),
    ("scaled", "$r * $m"),
    ("sum of two", "$m + $m"),
    ("product of two", "$m * $m"),
    ("array", "[$v | i < $n]"),
    ("array", "[[$r | i < $n] | j < $n]"),
    ("matrix", "matrix(D(\\$z -> $z * $v, $v))"),
    ("update", "update($m, $i, $v)"),
    ("reverse", "reverse($m)"),
];
