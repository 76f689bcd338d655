//! Aliased arrays, views of them, and updates: code that writes in place must not change data that another name still
//! reads.

use super::types::{Size, Type, array};
use super::{Node, Production, Writer};

pub const ALL: &[(&str, usize, Production)] = &[
    ("update beside what it was", 30, Writer::update_beside),
    ("update in a loop", 40, Writer::update_in_loop),
    ("two names in a loop", 25, Writer::two_names),
    ("views joined", 30, Writer::views_joined),
    ("gather from what is scattered", 25, Writer::scattered),
    ("updates of rows", 30, Writer::rows),
    ("one array passed twice", 25, Writer::passed_twice),
    ("update in a fold", 20, Writer::update_in_fold),
    ("element of a view", 20, Writer::element_of_view),
];

impl Writer {
    /// An array under a name, at least one long: the name, the size as text, and the node that makes it.
    fn named_array(&mut self, ty: &Type, fuel: usize) -> Option<(String, String, Node)> {
        let Type::Array(size, _) = ty else { return None };
        if size.least == 0 {
            return None;
        }
        let start = self.tame(ty, fuel);
        Some((self.name("w"), size.show(), start))
    }

    /// The mean of two elements, if they can be added, or one of them.
    fn mixed(&mut self, element: &Type, a: &str, b: &str) -> String {
        match element.is_vector() && self.random.percent(60) {
            true => format!("(0.5 * ({a} + {b}))"),
            false => self.random.pick(&[a, b]).to_string(),
        }
    }

    /// Another index below a size, made from one that is.
    fn moved(&mut self, index: &str, n: &str) -> String {
        match self.random.below(5) {
            0 => index.to_string(),
            1 => format!("({n} - 1 - {index})"),
            2 => format!("mod({index} + 1, {n})"),
            3 => format!("mod({index} * 2 + 1, {n})"),
            _ => "0".to_string(),
        }
    }

    /// A view of an array, of the same type.
    fn view(&mut self, of: &str, n: &str) -> String {
        match self.random.below(5) {
            0 => of.to_string(),
            1 => format!("reverse({of})"),
            2 => format!("slice({of}, 0, {n})"),
            3 => format!("slice(concat({of}, {of}), 1, {n} + 1)"),
            _ => format!("reverse(slice(reverse({of}), 0, {n}))"),
        }
    }

    fn update_beside(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Array(size, element) = ty else { return None };
        let shares = self.split(fuel, 2);
        let (w, n, start) = self.named_array(ty, shares[0])?;
        let at = self.index(size)?;
        let new = self.within(&[(&w, ty)], |writer| writer.tame(element, shares[1]));
        let (u, old) = (self.name("u"), self.view(&w, &n));
        let both = self.mixed(element, &format!("{u}[i]"), &format!("{old}[i]"));
        let template = format!("(let {w} = $ in let {u} = update({w}, {at}, $) in [{both} | i < {n}])");
        Some(self.node(ty, template, vec![start, new]))
    }

    fn update_in_loop(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Array(_, element) = ty else { return None };
        let (w, n, start) = self.named_array(ty, fuel - 1)?;
        let (i, s) = (self.name("i"), self.name("s"));
        let (at, from, other) = (self.moved(&i, &n), self.moved(&i, &n), self.moved(&i, &n));
        let step = match self.random.below(4) {
            0 => {
                let new = self.mixed(element, &format!("{s}[{from}]"), &format!("{w}[{other}]"));
                format!("update({s}, {at}, {new})")
            }
            // Two elements change places.
            1 => format!("update(update({s}, {at}, {s}[{from}]), {from}, {s}[{at}])"),
            2 => {
                let view = self.view(&s, &n);
                format!("update({view}, {at}, {s}[{from}])")
            }
            _ => {
                let new = self.mixed(element, &format!("{s}[{from}]"), &format!("{w}[{other}]"));
                format!("(if mod({i}, 2) == 0 then update({s}, {at}, {new}) else {s})")
            }
        };
        let template = format!("(let {w} = $ in loop {s} = {w} for {i} < {n} do {step})");
        Some(self.node(ty, template, vec![start]))
    }

    fn two_names(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Array(_, element) = ty else { return None };
        let (w, n, start) = self.named_array(ty, fuel - 1)?;
        let (i, a, b) = (self.name("i"), self.name("s"), self.name("s"));
        let (at, from) = (self.moved(&i, &n), self.moved(&i, &n));
        let new = self.mixed(element, &format!("{a}[{from}]"), &format!("{b}[{at}]"));
        let step = match self.random.below(6) {
            // Each is changed in place, unless the other reads it after that.
            4 => format!("(update({a}, {at}, {new}), update({b}, {from}, {b}[{at}]))"),
            5 => {
                let view = self.view(&a, &n);
                format!(
                    "((if mod({i}, 2) == 0 then update({a}, {at}, {new}) else {a}), update({view}, {from}, {a}[{at}]))"
                )
            }
            0 => format!("({b}, update({a}, {at}, {new}))"),
            1 => format!("(update({a}, {at}, {new}), {a})"),
            2 => format!("(update({b}, {at}, {new}), update({a}, {from}, {b}[{from}]))"),
            _ => {
                let view = self.view(&b, &n);
                format!("({view}, update({b}, {at}, {new}))")
            }
        };
        let which = self.random.below(2);
        let template = format!("(let {w} = $ in (loop ({a}, {b}) = ({w}, {w}) for {i} < {n} do {step}).{which})");
        Some(self.node(ty, template, vec![start]))
    }

    fn views_joined(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Array(Size { name: None, least }, _) = ty else { return None };
        let (w, n, start) = self.named_array(ty, fuel - 1)?;
        let cut = self.random.below(least + 1);
        let form = match self.random.below(5) {
            0 => format!("concat(slice({w}, {cut}, {n}), slice({w}, 0, {cut}))"),
            1 => format!("concat(reverse(slice({w}, 0, {cut})), slice({w}, {cut}, {n}))"),
            2 => format!("slice(concat({w}, reverse({w}), {w}), {cut}, {cut} + {n})"),
            3 => format!("flatten([slice({w}, i, i + 1) | i < {n}])"),
            _ => format!("transpose([{w}, reverse({w})])[mod(i, {n})][mod(i, 2)]"),
        };
        let form = if form.starts_with("transpose") { format!("[{form} | i < {n}]") } else { form };
        Some(self.node(ty, format!("(let {w} = $ in {form})"), vec![start]))
    }

    fn scattered(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Array(_, element) = ty else { return None };
        if !element.is_vector() {
            return None;
        }
        let (w, n, start) = self.named_array(ty, fuel - 1)?;
        let (i, k) = (self.name("i"), self.name("k"));
        let at = self.moved(&i, &n);
        let view = self.view(&w, &n);
        let form = match self.random.below(3) {
            0 => format!("scatter_add({n}, {k}, gather({view}, {k}))"),
            1 => format!("(0.5 * ({w} + scatter_add({n}, {k}, {view})))"),
            _ => format!("gather(update({view}, {n} - 1, {w}[0]), {k})"),
        };
        Some(self.node(ty, format!("(let {w} = $ in let {k} = [{at} | {i} < {n}] in {form})"), vec![start]))
    }

    fn rows(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Array(rows, row) = ty else { return None };
        let Type::Array(columns, element) = &**row else { return None };
        if columns.least == 0 {
            return None;
        }
        let (w, n, start) = self.named_array(ty, fuel - 1)?;
        let (i, s, m) = (self.name("i"), self.name("s"), columns.show());
        let (at, from) = (self.moved(&i, &n), self.moved(&i, &n));
        let inner = self.moved(&format!("mod({i}, {m})"), &m);
        let step = match self.random.below(if rows == columns { 7 } else { 5 }) {
            0 => format!("update({s}, {at}, reverse({s}[{from}]))"),
            1 => format!("update({s}, {at}, {s}[{from}])"),
            2 => format!("update({s}, {at}, update({s}[{from}], {inner}, {w}[{at}][{inner}]))"),
            3 => {
                let new = self.mixed(row, &format!("{s}[{from}]"), &format!("{w}[{at}]"));
                format!("update({s}, {at}, {new})")
            }
            4 => {
                let new = self.mixed(element, &format!("{s}[{from}][{inner}]"), &format!("{s}[{at}][0]"));
                format!("update({s}, {at}, [{new} | _ in {s}[0]])")
            }
            5 => format!("transpose({s})"),
            _ => format!("update(transpose({s}), {at}, {s}[{from}])"),
        };
        Some(self.node(ty, format!("(let {w} = $ in loop {s} = {w} for {i} < {n} do {step})"), vec![start]))
    }

    fn passed_twice(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let (w, n, start) = self.named_array(ty, fuel - 1)?;
        let (one, other) = (self.view(&w, &n), self.view(&w, &n));
        let form = match self.random.below(3) {
            0 => self.library(&format!("crossed({one}, {other})")),
            1 => {
                let iterations = self.random.below(5);
                self.library(&format!("walked({one}, {other}, {iterations})"))
            }
            _ => {
                let walked = self.library(&format!("walked({one}, {other}, 2)"));
                self.library(&format!("crossed({walked}, {w})"))
            }
        };
        Some(self.node(ty, format!("(let {w} = $ in {form})"), vec![start]))
    }

    fn update_in_fold(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Array(_, element) = ty else { return None };
        let (w, n, start) = self.named_array(ty, fuel - 1)?;
        let (at, from) = (self.moved("i", &n), self.moved("i", &n));
        let new = self.mixed(element, &format!("s[{from}]"), &format!("{w}[{at}]"));
        let form = match self.random.percent(60) {
            true => format!("fold(\\s i -> update(s, {at}, {new}), {w}, iota({n}))"),
            false => format!("scan(\\s i -> update(s, {at}, {new}), {w}, iota({n}))[{n} - 1]"),
        };
        Some(self.node(ty, format!("(let {w} = $ in {form})"), vec![start]))
    }

    fn element_of_view(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let size = self.some_size();
        let whole = array(size.clone(), ty.clone());
        let (w, n, start) = self.named_array(&whole, fuel - 1)?;
        let view = self.view(&w, &n);
        let at = self.index(&size)?;
        Some(self.node(ty, format!("(let {w} = $ in update({view}, 0, {w}[{n} - 1])[{at}])"), vec![start]))
    }
}
