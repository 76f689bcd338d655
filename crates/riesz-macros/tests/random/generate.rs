//! Writes random functions `fn name(v: &[f64]) -> f64` of the subset, for slices of five numbers between −1 and 1.
//!
//! Values stay small: what is assigned in a loop goes through `sin` or `tanh`. Indices are in range.

use std::fmt::Write;

/// Writes the function of a seed.
pub fn function(seed: u64, name: &str) -> String {
    let mut writer = Writer {
        state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        text: format!("fn {name}(v: &[f64]) -> f64 {{\n    let n = v.len();\n"),
        indent: 1,
        numbers: Vec::new(),
        mutable: Vec::new(),
        arrays: vec!["v".into()],
        places: Vec::new(),
        indices: Vec::new(),
        integers: Vec::new(),
        labels: Vec::new(),
        next: 0,
        in_loop: 0,
    };
    (0..8).for_each(|_| {
        writer.draw();
    });
    writer.let_number();
    writer.let_mutable();
    writer.let_array();
    let count = 3 + writer.below(4);
    writer.statements(count);
    let (a, b) = (writer.number(2), writer.number(2));
    let sums: Vec<String> = writer.places.iter().map(|array| format!("{array}.iter().sum::<f64>()")).collect();
    let rest: Vec<String> = writer.mutable.iter().cloned().chain(sums).collect();
    let _ = writeln!(writer.text, "    {a} + {b} * 0.5 + {}\n}}", rest.join(" + "));
    writer.text
}

struct Writer {
    state: u64,
    text: String,
    indent: usize,
    /// Variables that hold numbers.
    numbers: Vec<String>,
    /// Those of them that can be assigned.
    mutable: Vec<String>,
    /// Arrays of five numbers.
    arrays: Vec<String>,
    /// Those of them that can be assigned.
    places: Vec<String>,
    /// Integers from 0 to 4.
    indices: Vec<String>,
    /// Integers of the type `i32` between −9 and 9.
    integers: Vec<String>,
    /// The labels of the loops around.
    labels: Vec<String>,
    next: usize,
    in_loop: usize,
}

impl Writer {
    fn draw(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }

    fn below(&mut self, n: usize) -> usize {
        (self.draw() >> 33) as usize % n
    }

    fn one(&mut self, of: &[String]) -> String {
        let at = self.below(of.len());
        of[at].clone()
    }

    fn name(&mut self, hint: &str) -> String {
        self.next += 1;
        format!("{hint}{}", self.next)
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{}{line}", "    ".repeat(self.indent));
    }

    fn index(&mut self) -> String {
        if self.indices.is_empty() || self.below(3) == 0 {
            return self.below(5).to_string();
        }
        let index = self.one(&self.indices.clone());
        match self.below(4) {
            0 => format!("({index} + {}) % 5", self.below(5)),
            1 => format!("n - 1 - {index}"),
            _ => index,
        }
    }

    /// An expression for an integer of the type `i32`, of at most some hundreds.
    fn integer(&mut self) -> String {
        let known = self.integers.clone();
        let atom = |writer: &mut Writer| match writer.below(3) {
            0 if !writer.indices.is_empty() => format!("({} as i32 - 2)", writer.one(&writer.indices.clone())),
            1 if !known.is_empty() => writer.one(&known),
            _ => format!("({}_i32)", writer.below(19) as i64 - 9),
        };
        let (a, b) = (atom(self), atom(self));
        match self.below(9) {
            0 => format!("({a} + {b})"),
            1 => format!("({a} - {b})"),
            2 => format!("({a} * {b})"),
            3 => format!("({a} / {})", ["2", "3", "(-4)"][self.below(3)]),
            4 => format!("({a} % {})", ["2", "5", "(-3)"][self.below(3)]),
            5 => format!("({a}).rem_euclid(4)"),
            6 => format!("(({a} * 77) as i8 as i32)"),
            7 => format!("(({a} - 3) as u8 as i32)"),
            _ => format!("({a}).max({b}).abs()"),
        }
    }

    /// An expression for a number between about −2 and 2.
    fn number(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.below(6) {
                5 => {
                    let integer = self.integer();
                    format!("({integer} as f64 * 0.01)")
                }
                0 => format!("({:.2}_f64)", self.below(200) as f64 / 100.0 - 1.0),
                1 if !self.indices.is_empty() => format!("({} as f64 * 0.1)", self.one(&self.indices.clone())),
                2 | 3 if !self.numbers.is_empty() => self.one(&self.numbers.clone()),
                _ => {
                    let (array, index) = (self.one(&self.arrays.clone()), self.index());
                    format!("{array}[{index}]")
                }
            };
        }
        let (a, b) = (self.number(depth - 1), self.number(depth - 1));
        match self.below(32) {
            22.. => self.optional(&a, &b),
            0 | 1 => format!("({a} + {b})"),
            2 => format!("({a} - {b})"),
            3 | 4 => format!("({a} * {b})"),
            5 => format!("({a} / (1.5 + ({b}).abs()))"),
            6 => format!("({a}).sin()"),
            7 => format!("({a}).tanh()"),
            8 => format!("(1.0 + ({a}).powi(2)).sqrt()"),
            9 => format!("(({a}).tanh() * 0.5).exp()"),
            10 => format!("({a}).max({b})"),
            11 => format!("(if {} {{ {a} }} else {{ {b} }})", self.condition()),
            12 => format!("(-{a})"),
            13 => format!("({a}).atan2(2.0 + ({b}).cos())"),
            14 => {
                let (array, other) = (self.one(&self.arrays.clone()), self.one(&self.arrays.clone()));
                format!("{array}.iter().zip({other}.iter()).map(|(p, q)| p * q).sum::<f64>().tanh()")
            }
            15 => {
                let array = self.one(&self.arrays.clone());
                format!("{array}.windows(2).map(|w| w[0] * w[1] * {a}).sum::<f64>().sin()")
            }
            16 => {
                let array = self.one(&self.arrays.clone());
                let step = ["rev()", "skip(1)", "take(3)", "step_by(2)"][self.below(4)];
                format!("{array}.iter().{step}.fold(0.1, |acc, x| (acc * 0.5 + x * {a}).sin())")
            }
            17 => {
                let integer = self.integer();
                format!("(match {integer} {{ -3..=0 => {a}, 1 | 4 => 0.3, k if k > 6 => {b}, _ => {a} * {b} }})")
            }
            18 => {
                let (y, z) = (self.name("y"), self.name("z"));
                format!("({{ let {y} = {a}; let {z} = |x: f64| x * {y}; let {y} = {y} - {b}; {z}({y}).sin() }})")
            }
            19 => format!("(({a} * 3.0) as i32 as f64 * 0.2 * {b})"),
            20 => {
                let array = self.one(&self.arrays.clone());
                format!("{array}[1..].chunks(2).map(|c| c[0] * c[c.len() - 1]).sum::<f64>().sin()")
            }
            _ => format!("({a}).min(0.5)"),
        }
    }

    /// An expression that looks for something that may be missing, or that is left early.
    fn optional(&mut self, a: &str, b: &str) -> String {
        let array = self.one(&self.arrays.clone());
        match self.below(9) {
            0 => format!("{array}.iter().copied().reduce(|p, q| (p * 0.5 + q * {a}).sin()).unwrap_or({b})"),
            1 => format!("{array}.iter().copied().find(|x| *x > {a}).map_or({b}, |x| x * {a})"),
            2 => {
                let (x, k) = (self.name("x"), self.below(7));
                format!("(if let Some({x}) = {array}.get({k}) {{ {x} * {a} }} else {{ {b} }})")
            }
            3 => format!("{array}[{array}.iter().position(|x| *x < {a} * 0.3).unwrap_or(2)]"),
            4 => format!("({array}.iter().max_by(|p, q| p.total_cmp(q)).unwrap() * {a})"),
            5 => {
                let (label, condition) = (self.name("'b"), self.condition());
                format!("({label}: {{ if {condition} {{ break {label} {a}; }} {b} }})")
            }
            6 => {
                let (x, condition) = (self.name("x"), self.condition());
                let some = format!("(if {condition} {{ Some({a}) }} else {{ None }}).filter(|x| *x > -0.5)");
                format!("(if let Some({x}) = {some} && {x} < 0.4 {{ {x} * 0.7 }} else {{ {b} }})")
            }
            7 => format!("{array}.iter().chain(&v[1..3]).map(|x| x * x * {a}).sum::<f64>().tanh()"),
            _ => {
                let q = self.name("q");
                format!("({{ fn {q}(x: f64) -> f64 {{ if x > 0.3 {{ return x * 0.5; }} x * x }} {q}({a}) }})")
            }
        }
    }

    fn condition(&mut self) -> String {
        match self.below(4) {
            0 if !self.indices.is_empty() => {
                let index = self.one(&self.indices.clone());
                format!("{index} {} {}", ["<", ">", "==", "!="][self.below(4)], self.below(5))
            }
            1 => {
                let (a, b) = (self.number(0), self.number(0));
                format!("{a} > 0.1 && {b} < 0.6")
            }
            _ => {
                let (a, b) = (self.number(1), self.number(0));
                format!("{a} {} {b}", ["<", ">"][self.below(2)])
            }
        }
    }

    fn let_number(&mut self) {
        let (name, value) = (self.name("a"), self.number(2));
        self.line(&format!("let {name}: f64 = {value};"));
        self.numbers.push(name);
    }

    fn let_mutable(&mut self) {
        let (name, value) = (self.name("m"), self.number(1));
        self.line(&format!("let mut {name}: f64 = {value};"));
        self.numbers.push(name.clone());
        self.mutable.push(name);
    }

    fn let_array(&mut self) {
        let name = self.name("w");
        let value = match self.below(5) {
            0 => "vec![0.5_f64; n]".to_string(),
            3 => {
                let (factor, shift) = (self.number(1), self.below(5));
                self.line(&format!(
                    "let mut {name}: [f64; 5] = std::array::from_fn(|k| v[(k + {shift}) % 5] * {factor});"
                ));
                self.arrays.push(name.clone());
                self.places.push(name);
                return;
            }
            1 => "v.to_vec()".to_string(),
            2 => {
                let factor = self.number(1);
                format!("v.iter().enumerate().map(|(k, x)| x * {factor} + k as f64 * 0.1).collect::<Vec<f64>>()")
            }
            _ => "[0.1_f64, 0.2, 0.3, 0.4, 0.5]".to_string(),
        };
        self.line(&format!("let mut {name} = {value};"));
        self.arrays.push(name.clone());
        self.places.push(name);
    }

    fn statements(&mut self, count: usize) {
        for _ in 0..count {
            self.statement();
        }
    }

    /// Statements in a block of their own.
    fn block(&mut self, count: usize) {
        let kept = (self.numbers.len(), self.mutable.len(), self.arrays.len(), self.places.len(), self.indices.len());
        let integers = self.integers.len();
        self.indent += 1;
        self.statements(count);
        self.indent -= 1;
        self.numbers.truncate(kept.0);
        self.mutable.truncate(kept.1);
        self.arrays.truncate(kept.2);
        self.places.truncate(kept.3);
        self.indices.truncate(kept.4);
        self.integers.truncate(integers);
    }

    fn statement(&mut self) {
        let nested = self.indent > 3;
        match self.below(25) {
            21 => {
                let (o, array, value) = (self.name("o"), self.one(&self.arrays.clone()), self.number(1));
                let target = self.one(&self.mutable.clone());
                self.line(&format!("let mut {o} = None;"));
                self.line(&format!("for x in {array}.iter() {{"));
                self.line(&format!("    {o} = match {o} {{ Some(y) if y > *x => Some(y), _ => Some(*x * {value}) }};"));
                self.line("}");
                self.line(&format!("{target} += {o}.map_or(0.1, |x| x.sin() * 0.2);"));
            }
            22 => {
                let (c, p, target) = (self.name("c"), self.name("p"), self.one(&self.mutable.clone()));
                let (a, b) = (self.number(1), self.number(1));
                self.line(&format!("let {p} = ({a}, {b});"));
                self.line(&format!("let mut {c} = |x: f64| {target} = ({target} * 0.5 + x).sin();"));
                self.line(&format!("{c}({p}.0);"));
                self.line(&format!("{c}({p}.1);"));
            }
            23 => {
                let target = self.one(&self.places.clone());
                let (index, form) = (self.below(3), self.below(3));
                self.line(&match form {
                    0 => format!("for c in {target}.chunks_mut(2) {{ c[0] = (c[0] * 1.5).sin(); }}"),
                    1 => {
                        format!("{{ let (p, q) = {target}.split_at_mut(2); p[1] += q[{index}] * 0.2; q[0] *= p[0]; }}")
                    }
                    _ => format!("{target}[1..3].copy_from_slice(&v[2..4]);"),
                });
            }
            24 if self.in_loop == 0 => {
                let (x, k, condition) = (self.name("a"), self.name("k"), self.condition());
                let value = self.number(1);
                self.line(&format!("let mut {k} = 0;"));
                self.line(&format!("let {x}: f64 = loop {{"));
                self.line(&format!("    if {k} == 4 || {condition} {{ break v[{k}] * {value}; }}"));
                self.line(&format!("    {k} += 1;"));
                self.line("};");
                self.numbers.push(x);
            }
            16 => {
                let (name, value) = (self.name("j"), self.integer());
                self.line(&format!("let {name}: i32 = {value} % 10;"));
                self.integers.push(name);
            }
            17 if self.mutable.len() > 1 => {
                let (a, b) = (self.one(&self.mutable.clone()), self.one(&self.mutable.clone()));
                match (a == b, self.below(3)) {
                    (false, 0) => self.line(&format!("std::mem::swap(&mut {a}, &mut {b});")),
                    (false, 1) => {
                        let (p, q) = (self.name("p"), self.name("q"));
                        self.line(&format!(
                            "{{ let ({p}, {q}) = (&mut {a}, &mut {b}); *{p} = (*{q} - *{p}).sin(); *{q} *= 0.5; }}"
                        ));
                    }
                    _ => self.line(&format!("({a}, {b}) = ({b}, {a} * 0.5);")),
                }
            }
            18 if self.indent > 1 && self.below(2) == 0 => {
                let (condition, value) = (self.condition(), self.number(1));
                self.line(&format!("if {condition} {{ return {value}; }}"));
            }
            19 if self.in_loop > 0 && !self.labels.is_empty() => {
                let (condition, label) = (self.condition(), self.one(&self.labels.clone()));
                let leave = ["continue", "break"][self.below(2)];
                self.line(&format!("if {condition} {{ {leave} {label}; }}"));
            }
            20 if self.in_loop == 0 => {
                let (name, mut values) = (self.name("g"), Vec::new());
                (0..6).for_each(|_| values.push(self.number(0)));
                let (a, b) = (values[..3].join(", "), values[3..].join(", "));
                self.line(&format!("let mut {name} = [[{a}], [{b}]];"));
                let (row, column, value) = (self.below(2), self.below(3), self.number(1));
                self.line(&format!("{name}[{row}][{column}] *= ({value}).tanh();"));
                let (target, i) = (self.one(&self.mutable.clone()), self.name("i"));
                self.line(&format!(
                    "for {i} in 0..2 {{ let r = &mut {name}[{i}]; r.swap({row}, {column}); r[2] += r[0]; }}"
                ));
                self.line(&format!(
                    "{target} += {name}.iter().map(|r| r.iter().sum::<f64>().sin()).sum::<f64>() * 0.1;"
                ));
            }
            0 | 1 => self.let_number(),
            2 if self.in_loop == 0 => self.let_mutable(),
            3 if self.in_loop == 0 => self.let_array(),
            4 | 5 => {
                let (target, value) = (self.one(&self.mutable.clone()), self.number(2));
                self.line(&format!("{target} = ({value}).sin();"));
            }
            6 => {
                let (target, value) = (self.one(&self.mutable.clone()), self.number(2));
                let sign = ["+=", "-="][self.below(2)];
                self.line(&format!("{target} {sign} ({value}).tanh() * 0.2;"));
            }
            7 | 8 => {
                let (target, index, value) = (self.one(&self.places.clone()), self.index(), self.number(2));
                self.line(&format!("{target}[{index}] = ({value}).tanh();"));
            }
            9 => {
                let (target, index, value) = (self.one(&self.places.clone()), self.index(), self.number(1));
                self.line(&format!("{target}[{index}] += ({value}).sin() * 0.3;"));
            }
            10 if !nested => {
                let condition = self.condition();
                self.line(&format!("if {condition} {{"));
                let count = 1 + self.below(2);
                self.block(count);
                if self.below(2) == 0 {
                    self.line("} else {");
                    self.block(1);
                }
                self.line("}");
            }
            11 if !nested && self.in_loop == 0 && self.below(2) == 0 => {
                let count = self.name("k");
                self.line(&format!("let mut {count} = 0;"));
                let condition = self.condition();
                self.line(&format!("while {count} < 6 && ({condition} || {count} < 2) {{"));
                self.in_loop += 1;
                self.block(2);
                self.in_loop -= 1;
                self.line(&format!("    {count} += 1;"));
                self.line("}");
            }
            12..=14 if !nested => {
                let index = self.name("i");
                let range = ["0..n", "1..n", "0..n - 1", "(0..n).rev()", "1..=3"][self.below(5)];
                let label = format!("'{}", self.name("l"));
                self.line(&format!("{label}: for {index} in {range} {{"));
                self.labels.push(label);
                self.in_loop += 1;
                self.indices.push(index.clone());
                if self.below(4) == 0 {
                    let condition = self.condition();
                    let leave = ["continue", "break"][self.below(2)];
                    self.line(&format!("    if {condition} {{ {leave}; }}"));
                }
                let count = 1 + self.below(3);
                self.block(count);
                self.in_loop -= 1;
                self.labels.pop();
                self.indices.retain(|known| *known != index);
                self.line("}");
            }
            15 if !nested => {
                let target = self.one(&self.places.clone());
                let (x, value) = (self.name("x"), self.number(1));
                self.line(&format!("for {x} in {target}.iter_mut() {{"));
                self.line(&format!(
                    "    *{x} = (*{x} * 0.7 + {}).sin();",
                    value.replace(&format!("{target}["), "v[").replace(&format!("{target}."), "v.")
                ));
                self.line("}");
            }
            _ => self.let_number(),
        }
    }
}
