//! JSON: data from it, and values as it.
//!
//! | JSON | value |
//! |---|---|
//! | number without point or exponent that fits 64 bits | `Int`, or `R` where one is needed |
//! | other number, `"inf"`, `"-inf"`, `"nan"` | `R` |
//! | array | array, or tuple where one is needed; `[]` is also `()` |
//! | object | record |

use riesz::{Data, Name, Type, Value, show_real};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::collections::HashSet;
use std::fmt;

/// How deep arrays and objects may nest.
const NESTING: usize = 1000;

/// The data that a JSON text holds. An error says where it is wrong.
pub fn read(bytes: &[u8]) -> Result<Data, String> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    // The reader below counts for itself.
    deserializer.disable_recursion_limit();
    let data = Reader { depth: 0 }.deserialize(&mut deserializer).map_err(|error| error.to_string())?;
    deserializer.end().map_err(|error| error.to_string())?;
    Ok(data)
}

/// Reads a value inside `depth` others.
#[derive(Clone, Copy)]
struct Reader {
    depth: usize,
}

impl Reader {
    fn inside<E: Error>(self) -> Result<Reader, E> {
        match self.depth < NESTING {
            true => Ok(Reader { depth: self.depth + 1 }),
            false => Err(E::custom(format!("more than {NESTING} arrays and objects are nested"))),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Reader {
    type Value = Data;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Data, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader {
    type Value = Data;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a number, a truth value, an array or an object")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Data, E> {
        Ok(Data::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Data, E> {
        Ok(Data::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Data, E> {
        Ok(i64::try_from(value).map_or(Data::Real(value as f64), Data::Int))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Data, E> {
        Ok(Data::Real(value))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Data, E> {
        match text {
            "inf" => Ok(Data::Real(f64::INFINITY)),
            "-inf" => Ok(Data::Real(f64::NEG_INFINITY)),
            "nan" => Ok(Data::Real(f64::NAN)),
            _ => {
                let text = excerpt(text);
                Err(E::custom(format!("only \"inf\", \"-inf\" and \"nan\" are values, not the text {text}")))
            }
        }
    }

    fn visit_unit<E: Error>(self) -> Result<Data, E> {
        Err(E::custom("`null` is not a value"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Data, A::Error> {
        let reader = self.inside()?;
        let mut list = Vec::new();
        while let Some(element) = elements.next_element_seed(reader)? {
            list.push(element);
        }
        Ok(Data::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Data, A::Error> {
        let reader = self.inside()?;
        let mut fields = Vec::new();
        let mut seen = HashSet::new();
        while let Some(key) = entries.next_key::<String>()? {
            if key.chars().any(is_invisible) {
                return Err(A::Error::custom(format!(
                    "the key {} cannot be shown as the name of a field",
                    excerpt(&key)
                )));
            }
            let name = Name::from(key);
            if !seen.insert(name.clone()) {
                return Err(A::Error::custom(format!("the key {} occurs twice in an object", excerpt(&name))));
            }
            fields.push((name, entries.next_value_seed(reader)?));
        }
        Ok(Data::Record(fields))
    }
}

/// Whether a character would change how a terminal shows what is around it.
fn is_invisible(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text as messages show it: quoted, and not at length.
fn excerpt(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// A value as JSON. An error says why it cannot be.
pub fn write(value: &Value, ty: &Type) -> Result<String, String> {
    let mut text = String::new();
    write_into(value, ty, &mut text)?;
    Ok(text)
}

fn write_into(value: &Value, ty: &Type, text: &mut String) -> Result<(), String> {
    match (value, ty) {
        (Value::Real(number), _) if number.is_finite() => *text += &show_real(*number),
        (Value::Real(number), _) => *text += &format!("\"{}\"", show_real(*number)),
        (Value::Int(number), _) => *text += &number.to_string(),
        (Value::Bool(truth), _) => *text += if *truth { "true" } else { "false" },
        (Value::Tuple(parts), Type::Record(record)) => {
            text.push('{');
            for (at, &field) in record.shown.iter().enumerate() {
                let (name, ty) = &record.fields[field as usize];
                separate(at, text);
                *text += &format!("{}: ", serde_json::Value::from(&**name));
                write_into(&parts[field as usize], ty, text)?;
            }
            text.push('}');
        }
        (Value::Tuple(parts), Type::Tuple(types)) => {
            text.push('[');
            for (at, (part, ty)) in parts.iter().zip(types.iter()).enumerate() {
                separate(at, text);
                write_into(part, ty, text)?;
            }
            text.push(']');
        }
        (Value::Reals(_) | Value::Ints(_) | Value::Values(_), Type::Array(_, element)) => {
            text.push('[');
            for (at, part) in value.elements().enumerate() {
                separate(at, text);
                write_into(&part, element, text)?;
            }
            text.push(']');
        }
        _ => return Err("a function cannot be written as JSON".into()),
    }
    Ok(())
}

fn separate(at: usize, text: &mut String) {
    if at > 0 {
        *text += ", ";
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use riesz::{Binding, Session};

    /// The JSON of an expression with `x` bound to data.
    fn through(data: Data, text: &str) -> String {
        let mut session = Session::default();
        let found = session.evaluate(text, vec![("x".into(), Binding::Data(data))]).unwrap();
        write(&found.value, &found.ty).unwrap()
    }

    #[test]
    fn numbers_have_the_type_they_look_like() {
        assert_eq!(read(b"3"), Ok(Data::Int(3)));
        assert_eq!(read(b"-9223372036854775808"), Ok(Data::Int(i64::MIN)));
        assert_eq!(read(b"9223372036854775808"), Ok(Data::Real(9223372036854775808.0)));
        assert_eq!(read(b"3.0"), Ok(Data::Real(3.0)));
        assert_eq!(read(b"3e0"), Ok(Data::Real(3.0)));
        assert_eq!(read(b"\"-inf\""), Ok(Data::Real(f64::NEG_INFINITY)));
        assert!(matches!(read(b"\"nan\""), Ok(Data::Real(nan)) if nan.is_nan()));
    }

    #[test]
    fn what_is_no_value_is_said() {
        let wrong = |text: &str| read(text.as_bytes()).unwrap_err();
        assert!(wrong("null").contains("`null` is not a value"));
        assert!(wrong("[1, \"one\"]").contains("not the text \"one\""));
        assert!(wrong("{\"a\": 1, \"a\": 2}").contains("\"a\" occurs twice"));
        for key in ["\\u001b[2J", "a\\nb", "\\u202ea"] {
            assert!(wrong(&format!("{{\"{key}\": 1}}")).contains("cannot be shown"), "{key}");
        }
        let long = format!("\"{}\"", "é".repeat(100_000));
        assert!(wrong(&format!("[{long}]")).len() < 300 && wrong(&format!("{{{long}: 1, {long}: 2}}")).len() < 300);
        assert!(wrong("[1, 2").contains("line 1 column"));
        assert!(wrong("1 2").contains("trailing"));
        assert!(wrong("").contains("EOF"));
        assert!(wrong(&"[".repeat(100_000)).contains("more than 1000"));
    }

    #[test]
    fn values_are_written() {
        let record = Data::Record(vec![("b".into(), Data::Int(1)), ("a".into(), Data::List(vec![Data::Real(0.5)]))]);
        assert_eq!(through(record, "x"), r#"{"b": 1, "a": [0.5]}"#);
        assert_eq!(through(Data::Int(1), "(x, 2.0, true, ())"), "[1, 2.0, true, []]");
        assert_eq!(through(Data::Real(f64::NAN), "[x, inf, -inf]"), r#"["nan", "inf", "-inf"]"#);
    }

    proptest! {
        #[test]
        fn reals_come_back_with_the_same_bits(bits in any::<u64>()) {
            let real = f64::from_bits(bits);
            let text = write(&Value::Real(real), &Type::Real).unwrap();
            let Ok(Data::Real(back)) = read(text.as_bytes()) else { panic!("{text} is not a real") };
            prop_assert!(back.to_bits() == bits || real.is_nan() && back.is_nan());
        }

        #[test]
        fn what_is_written_is_read(rows in prop::collection::vec(prop::array::uniform3(any::<i64>()), 1..5), real in any::<f64>()) {
            let list = rows.iter().map(|row| Data::List(row.iter().map(|&int| Data::Int(int)).collect()));
            let data = Data::Record(vec![("rows".into(), Data::List(list.collect())), ("real".into(), Data::Real(real))]);
            let text = through(data.clone(), "x");
            prop_assert_eq!(read(text.as_bytes()), Ok(data));
        }
    }
}
