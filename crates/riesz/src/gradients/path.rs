//! Coordinates in the user's notation: `model.weights[3][1]`.

use crate::{Type, Value};

/// The path to the real number at a position of a value, such as `.weights[3][1]`; empty for a number itself.
pub fn path(ty: &Type, value: &Value, mut position: usize) -> String {
    let parts: Vec<(String, Type, Value)> = match ty {
        Type::Array(_, element) => {
            let elements = value.elements().enumerate();
            elements.map(|(at, part)| (format!("[{at}]"), Type::clone(element), part)).collect()
        }
        Type::Tuple(types) => {
            let parts = types.iter().zip(value.parts()).enumerate();
            parts.map(|(at, (ty, part))| (format!(".{at}"), ty.clone(), part.clone())).collect()
        }
        Type::Record(record) => {
            let parts = record.fields.iter().zip(value.parts());
            parts.map(|((name, ty), part)| (format!(".{name}"), ty.clone(), part.clone())).collect()
        }
        _ => Vec::new(),
    };
    for (step, ty, part) in parts {
        let count = reals(&part);
        if position < count {
            return step + &path(&ty, &part, position);
        }
        position -= count;
    }
    String::new()
}

/// How many real numbers there are in a value.
pub fn reals(value: &Value) -> usize {
    let mut count = 0;
    value.visit_reals(&mut |_| count += 1);
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;

    #[test]
    fn positions_have_paths() {
        let mut session = Session::default();
        let text = "{weights = [[1.0, 2.0], [3.0, 4.0]], bias = (5, [6.0, 7.0]), gain = 8.0}";
        let found = session.evaluate(text, Vec::new()).unwrap();
        let paths: Vec<String> = (0..reals(&found.value)).map(|at| path(&found.ty, &found.value, at)).collect();
        assert_eq!(
            paths,
            [
                ".bias.1[0]",
                ".bias.1[1]",
                ".gain",
                ".weights[0][0]",
                ".weights[0][1]",
                ".weights[1][0]",
                ".weights[1][1]"
            ]
        );
    }
}
