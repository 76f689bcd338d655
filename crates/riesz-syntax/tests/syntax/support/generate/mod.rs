//! Random programs, with random white space and comments wherever the rule of line ends allows them.

mod types;

/// A program from a seed; the larger the size, the deeper.
pub fn program(seed: u64, size: u32) -> String {
    let mut generator = Generator { state: seed | 1, out: String::new(), newlines_count: true, comments: 0 };
    for _ in 0..generator.below(4) {
        generator.gap();
    }
    for _ in 0..=generator.below(5) {
        generator.item(size);
        generator.out.push('\n');
        generator.gap();
    }
    generator.out
}

struct Generator {
    state: u64,
    out: String,
    newlines_count: bool,
    comments: u32,
}

impl Generator {
    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn pick(&mut self, words: &[&'static str]) -> &'static str {
        words[self.below(words.len() as u64) as usize]
    }

    fn write(&mut self, text: &str) {
        let joins = |c: char| c.is_alphanumeric() || c == '_' || c == '\'' || c == '.';
        let glued = self.out.chars().next_back().is_some_and(joins) && text.chars().next().is_some_and(joins);
        let operators = "=<>-~!|&*/";
        let merged = self.out.chars().next_back().is_some_and(|c| operators.contains(c))
            && text.chars().next().is_some_and(|c| operators.contains(c));
        let number = text == "." && self.out.ends_with(|c: char| c.is_ascii_digit() || c == 'F');
        if (glued && text != ".") || merged || number {
            self.out.push(' ');
        }
        self.out.push_str(text);
    }

    /// Spaces, but no line end.
    fn space(&mut self) {
        match self.below(4) {
            0 => self.out.push(' '),
            1 => self.out.push_str("  \t"),
            _ => {}
        }
    }

    /// White space, line ends and comments.
    fn gap(&mut self) {
        match self.below(24) {
            0 => self.out.push('\n'),
            1 => self.out.push_str("\n\n\n   "),
            2 | 3 => {
                self.comments += 1;
                let own = self.below(2) == 0;
                let comment = format!("{} # {}\n", if own { "\n" } else { "" }, self.comments);
                self.out.push_str(&comment);
                if self.below(4) == 0 {
                    self.out.push('\n');
                }
            }
            _ => self.space(),
        }
    }

    /// A gap where newlines do not count.
    fn inner_gap(&mut self) {
        if self.newlines_count { self.space() } else { self.gap() }
    }

    fn token(&mut self, text: &str) {
        self.write(text);
        self.gap();
    }

    fn item(&mut self, size: u32) {
        match self.below(8) {
            0 => {
                self.token("import");
                self.write("\"a.rz\"");
            }
            1 => {
                self.token("type");
                self.write("Model");
                if self.below(2) == 0 {
                    self.space();
                    self.brackets("[", "]", |g| g.commas(2, |g| g.name()));
                }
                self.gap();
                self.token("=");
                self.ty(size);
            }
            2 => {
                self.token("check");
                if self.below(2) == 0 {
                    self.token("\"label # no comment\"");
                }
                self.expr(size);
            }
            3 | 4 => {
                self.token("let");
                self.name();
                self.annotation(size);
                self.gap();
                self.token("=");
                self.expr(size);
            }
            _ => {
                self.token("fun");
                self.name();
                self.gap();
                self.brackets("(", ")", |g| {
                    if g.below(5) > 0 {
                        g.commas(3, |g| {
                            g.pattern(1);
                            g.gap();
                            g.token(":");
                            g.ty(size / 2);
                        });
                    }
                });
                self.annotation(size);
                self.gap();
                self.token("=");
                self.expr(size);
                if self.below(4) == 0 {
                    self.out.push('\n');
                    let word = ["derivative", "implicit"][self.below(2) as usize];
                    self.token(word);
                    self.expr(size / 2);
                }
            }
        }
    }

    fn brackets(&mut self, open: &str, close: &str, contents: impl FnOnce(&mut Generator)) {
        let outer = std::mem::replace(&mut self.newlines_count, false);
        self.token(open);
        contents(self);
        self.gap();
        self.write(close);
        self.newlines_count = outer;
    }

    fn commas(&mut self, most: u64, mut part: impl FnMut(&mut Generator)) {
        for number in 0..=self.below(most) {
            if number > 0 {
                self.gap();
                self.token(",");
            }
            part(self);
        }
    }

    fn annotation(&mut self, size: u32) {
        if self.below(3) == 0 {
            self.gap();
            self.token(":");
            self.ty(size / 2);
        }
    }

    fn name(&mut self) {
        let name =
            self.pick(&["x", "y'", "alpha", "a_rather_long_name", "θ", "o", "m", "an_even_longer_name_than_that"]);
        self.write(name);
    }

    fn pattern(&mut self, size: u32) {
        match self.below(6) {
            0 => self.write("_"),
            1 if size > 0 => self.brackets("(", ")", |g| g.commas(3, |g| g.pattern(size - 1))),
            _ => self.name(),
        }
    }

    fn expr(&mut self, size: u32) {
        if size == 0 {
            return self.atom(0);
        }
        match self.below(16) {
            0 | 1 => self.lets(size),
            2 => {
                self.token("\\");
                for _ in 0..=self.below(2) {
                    self.pattern(1);
                    self.gap();
                }
                self.token("->");
                self.expr(size - 1);
            }
            3 => self.conditional(size),
            4 => {
                self.token("loop");
                self.pattern(1);
                self.gap();
                self.token("=");
                self.expr(size - 1);
                self.gap();
                if self.below(2) == 0 {
                    self.token("while");
                    self.expr(size - 1);
                } else {
                    self.token("for");
                    self.generator(size - 1);
                }
                self.gap();
                self.token("do");
                self.expr(size - 1);
            }
            _ => self.binary(size, 0),
        }
    }

    fn conditional(&mut self, size: u32) {
        self.token("if");
        self.expr(size - 1);
        self.gap();
        self.token("then");
        self.expr(size - 1);
        self.gap();
        self.token("else");
        if self.below(3) == 0 { self.conditional(size) } else { self.expr(size - 1) }
    }

    fn lets(&mut self, size: u32) {
        for _ in 0..=self.below(3) {
            self.token("let");
            self.pattern(1);
            self.annotation(1);
            self.gap();
            self.token("=");
            self.expr(size - 1);
            match self.below(4) {
                0 => {
                    self.gap();
                    self.token("in");
                }
                1 | 2 if self.newlines_count => {
                    self.gap();
                    // At the margin nothing is indented deeper than the `let`.
                    self.out.push('\n');
                }
                _ => {
                    self.space();
                    self.token(";");
                }
            }
        }
        self.expr(size - 1);
    }

    /// Levels from `or`, 0, to `^`, 6.
    fn binary(&mut self, size: u32, level: u32) {
        if level == 7 || size == 0 {
            return self.postfix(size);
        }
        let operators: &[&'static str] = match level {
            0 => &["or"],
            1 => &["and"],
            2 => &["not"],
            3 => &["==", "!=", "<", "<=", ">", ">=", "~="],
            4 => &["+", "-"],
            5 => &["*", "/"],
            _ => &["-"],
        };
        if self.below(5) > 1 {
            return self.binary(size, level + 1);
        }
        match level {
            2 | 6 => {
                self.token(operators[0]);
                self.binary(size - 1, level);
            }
            3 => {
                self.binary(size - 1, level + 1);
                self.gap();
                let operator = self.pick(operators);
                self.token(operator);
                self.binary(size - 1, level + 1);
                if operator == "~=" && self.below(2) == 0 {
                    self.gap();
                    self.token("within");
                    self.binary(size - 1, level + 1);
                }
            }
            _ => {
                self.binary(size - 1, level + 1);
                for _ in 0..=self.below(4) {
                    let operator = self.pick(operators);
                    if operator == "-" {
                        self.inner_gap()
                    } else {
                        self.gap()
                    }
                    self.token(operator);
                    self.binary(size - 1, level + 1);
                }
                if level == 0 && self.below(4) == 0 {
                    self.gap();
                    self.token(operators[0]);
                    self.conditional(size);
                }
            }
        }
    }

    fn postfix(&mut self, size: u32) {
        self.atom(size);
        if size == 0 {
            return;
        }
        for _ in 0..self.below(3) {
            match self.below(4) {
                0 => {
                    self.space();
                    self.brackets("[", "]", |g| g.commas(2, |g| g.expr(size - 1)));
                }
                1 => {
                    self.gap();
                    self.token(".");
                    let field = self.pick(&["0", "1", "x", "name"]);
                    self.write(field);
                }
                _ => {
                    self.space();
                    self.brackets("(", ")", |g| g.arguments(size - 1));
                }
            }
        }
        if self.below(8) == 0 {
            self.gap();
            self.token("^");
            if self.below(2) == 0 {
                self.token("-");
            }
            self.postfix(size - 1);
        }
    }

    fn arguments(&mut self, size: u32) {
        if self.below(6) == 0 {
            return;
        }
        for _ in 0..self.below(3) {
            if self.below(5) == 0 {
                self.write("_")
            } else {
                self.expr(size)
            }
            self.gap();
            self.token(",");
        }
        if self.below(4) > 0 {
            self.expr(size);
            return self.generators(size);
        }
        self.token("\\");
        self.pattern(1);
        self.gap();
        self.token("->");
        self.expr(size);
    }

    fn generators(&mut self, size: u32) {
        if self.below(3) == 0 {
            self.gap();
            self.token("|");
            self.commas(2, |g| g.generator(size));
        }
    }

    fn generator(&mut self, size: u32) {
        if self.below(2) == 0 {
            self.name();
            self.gap();
            self.token("<");
        } else {
            self.pattern(1);
            self.gap();
            self.token("in");
        }
        self.expr(size.saturating_sub(1));
    }

    fn atom(&mut self, size: u32) {
        if size == 0 {
            let atom = self.pick(&[
                "1",
                "2.50",
                "1e-3",
                "0x1F",
                "1_000",
                "true",
                "x",
                "alpha",
                "long_name_of_something",
                "()",
                "[]",
            ]);
            return self.write(atom);
        }
        match self.below(10) {
            0 => self.brackets("(", ")", |g| g.expr(size - 1)),
            1 => self.brackets("(", ")", |g| g.commas(3, |g| g.expr(size - 1))),
            2 => self.brackets("[", "]", |g| g.commas(4, |g| g.expr(size - 1))),
            3 => self.brackets("[", "]", |g| {
                for _ in 0..g.below(60) {
                    g.atom(0);
                    g.gap();
                    g.token(",");
                }
                g.atom(0);
            }),
            4 => self.brackets("[", "]", |g| {
                g.expr(size - 1);
                g.gap();
                g.token("|");
                g.commas(2, |g| g.generator(size - 1));
            }),
            5 => self.brackets("{", "}", |g| {
                g.commas(3, |g| {
                    g.name();
                    g.gap();
                    g.token("=");
                    g.expr(size - 1);
                });
            }),
            6 => {
                let outer = std::mem::replace(&mut self.newlines_count, true);
                self.token("{");
                self.expr(size - 1);
                self.gap();
                self.write("}");
                self.newlines_count = outer;
            }
            _ => self.atom(0),
        }
    }
}
