//! Types, and the sizes in them.

use super::Generator;

impl Generator {
    pub(super) fn ty(&mut self, size: u32) {
        if size == 0 {
            let name = self.pick(&["R", "Int", "Bool", "t", "Model"]);
            return self.write(name);
        }
        match self.below(9) {
            0 => self.brackets("(", ")", |g| {
                if g.below(4) > 0 {
                    g.commas(3, |g| g.ty(size - 1));
                }
            }),
            1 | 2 => {
                self.sizes();
                self.gap();
                self.atomic_type(size - 1);
            }
            3 => self.brackets("{", "}", |g| {
                g.commas(3, |g| {
                    g.name();
                    g.gap();
                    g.token(":");
                    g.ty(size - 1);
                });
            }),
            4 => {
                self.atomic_type(size - 1);
                self.gap();
                self.token("->");
                self.ty(size - 1);
            }
            5 => {
                self.atomic_type(size - 1);
                self.inner_gap();
                self.token("-o");
                self.ty(size - 1);
            }
            6 => {
                self.write("Model");
                self.space();
                self.sizes();
            }
            _ => self.ty(0),
        }
    }

    fn atomic_type(&mut self, size: u32) {
        if self.below(2) == 0 {
            self.brackets("(", ")", |g| g.ty(size));
        } else {
            self.ty(0);
        }
    }

    pub(super) fn sizes(&mut self) {
        self.brackets("[", "]", |g| {
            g.commas(2, |g| {
                for number in 0..=g.below(3) {
                    if number > 0 {
                        g.gap();
                        let operator = g.pick(&["+", "-", "*"]);
                        g.token(operator);
                    }
                    let size = g.pick(&["n", "o", "2", "_", "0x1F"]);
                    g.write(size);
                }
            });
        });
    }
}
