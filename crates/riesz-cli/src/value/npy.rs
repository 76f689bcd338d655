//! Arrays from npy files, of any axis order, byte order and width.
//!
//! A file consists of `\x93NUMPY`, a version, the length of a header, the header, which is a dictionary in Python's
//! syntax, and the numbers. The reader checks every claim of the header against the file.

use riesz::{Data, Elements};

/// The most axes that an array may have: NumPy has no more.
const AXES: usize = 64;
const ENDS: &str = "the file ends before the array does";

/// The array that an npy file holds. An error says why there is none.
pub fn read(bytes: &[u8]) -> Result<Data, String> {
    let (header, numbers) = split(bytes)?;
    let Header { order, kind, width, by_columns, shape } = Header::read(header)?;
    if shape.len() > AXES {
        return Err(format!("the array has {} axes; at most {AXES} are supported", shape.len()));
    }
    let bytes = shape.iter().try_fold(width, |bytes, &size| bytes.checked_mul(size));
    let numbers = match bytes {
        Some(bytes) => numbers.get(..bytes).ok_or(ENDS)?,
        None => return Err("the array is too large".into()),
    };
    let words = numbers.chunks_exact(width);
    let unsigned = |word: &[u8]| match order {
        Order::Little => word.iter().rev().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte)),
        Order::Big => word.iter().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte)),
    };
    // The sign is the first bit of the word.
    let signed = |word: &[u8]| (unsigned(word) << (64 - 8 * width)).cast_signed() >> (64 - 8 * width);
    let elements = match (kind, width) {
        (Kind::Float, 8) => Elements::Real(words.map(|word| f64::from_bits(unsigned(word))).collect()),
        (Kind::Float, 4) => Elements::Real(words.map(|word| f32::from_bits(unsigned(word) as u32).into()).collect()),
        (Kind::Float, _) => Elements::Real(words.map(|word| half(unsigned(word) as u16)).collect()),
        (Kind::Signed, _) => Elements::Int(words.map(signed).collect()),
        (Kind::Unsigned, _) => {
            let fitting: Result<_, _> = words.map(|word| i64::try_from(unsigned(word))).collect();
            Elements::Int(fitting.map_err(|_| "a number does not fit into a signed integer of 64 bits")?)
        }
        (Kind::Bool, _) => Elements::Bool(words.map(|word| word != [0]).collect()),
    };
    let elements = match (by_columns, elements) {
        (false, elements) => elements,
        (true, Elements::Real(elements)) => Elements::Real(row_major(&shape, &elements)),
        (true, Elements::Int(elements)) => Elements::Int(row_major(&shape, &elements)),
        (true, Elements::Bool(elements)) => Elements::Bool(row_major(&shape, &elements)),
    };
    Ok(Data::Tensor { shape, elements })
}

/// The header of a file, and the bytes after it.
fn split(bytes: &[u8]) -> Result<(&str, &[u8]), String> {
    let rest = bytes.strip_prefix(b"\x93NUMPY").ok_or("it does not begin as an npy file does")?;
    let (length, rest) = match rest {
        [1, _, a, b, rest @ ..] => (usize::from(u16::from_le_bytes([*a, *b])), rest),
        [2 | 3, _, a, b, c, d, rest @ ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, rest),
        [version, ..] if !(1..=3).contains(version) => return Err(format!("version {version} of npy is not known")),
        _ => return Err(ENDS.into()),
    };
    let (header, numbers) = rest.split_at_checked(length).ok_or(ENDS)?;
    Ok((std::str::from_utf8(header).map_err(|_| MALFORMED)?, numbers))
}

const MALFORMED: &str = "its header is not that of an npy file";

/// The contents of a header.
struct Header {
    order: Order,
    kind: Kind,
    /// The bytes of a number, from 1 to 8.
    width: usize,
    /// Whether the first index runs fastest.
    by_columns: bool,
    shape: Vec<usize>,
}

#[derive(Clone, Copy)]
enum Order {
    Little,
    Big,
}

#[derive(Clone, Copy)]
enum Kind {
    Float,
    Signed,
    Unsigned,
    Bool,
}

impl Header {
    /// `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`, the keys in any order.
    fn read(text: &str) -> Result<Header, String> {
        let value = |key: &str| {
            let (_, rest) = text.split_once(&format!("'{key}':")).ok_or(MALFORMED)?;
            Ok::<&str, String>(rest.trim_start())
        };
        let described = value("descr")?;
        let descr = described.strip_prefix('\'').and_then(|rest| rest.split_once('\''));
        let Some((descr, _)) = descr else { return Err(unknown(described)) };
        let (order, letters) = match descr.split_at_checked(1) {
            Some(("<" | "|" | "=", letters)) => (Order::Little, letters),
            Some((">", letters)) => (Order::Big, letters),
            _ => return Err(unknown(descr)),
        };
        let (kind, width) = match letters {
            "f8" | "f4" | "f2" => (Kind::Float, &letters[1..]),
            "i8" | "i4" | "i2" | "i1" => (Kind::Signed, &letters[1..]),
            "u8" | "u4" | "u2" | "u1" => (Kind::Unsigned, &letters[1..]),
            "b1" => (Kind::Bool, "1"),
            _ => return Err(unknown(descr)),
        };
        let width = width.parse().map_err(|_| MALFORMED)?;
        let by_columns = match value("fortran_order")? {
            order if order.starts_with("True") => true,
            order if order.starts_with("False") => false,
            _ => return Err(MALFORMED.into()),
        };
        let sizes = value("shape")?.strip_prefix('(').and_then(|rest| rest.split_once(')')).ok_or(MALFORMED)?.0;
        // A tuple of one number has a comma after it.
        let listed = sizes.trim().strip_suffix(',').unwrap_or(sizes.trim());
        if !listed.is_empty() && !sizes.contains(',') {
            return Err(MALFORMED.into());
        }
        let size = |size: &str| match size.trim().trim_end_matches('L').parse::<u64>() {
            // Sizes are integers of 64 bits with a sign.
            Ok(size) => i64::try_from(size).ok().and_then(|size| usize::try_from(size).ok()),
            Err(_) => None,
        };
        let shape: Option<Vec<usize>> = match listed {
            "" => Some(Vec::new()),
            listed => listed.split(',').map(size).collect(),
        };
        let shown: String = sizes.chars().take(40).collect();
        let shape = shape.ok_or_else(|| format!("its sizes are not those of an array: ({shown})"))?;
        Ok(Header { order, kind, width, by_columns, shape })
    }
}

/// A number of half precision: a sign, five bits of exponent, ten of fraction.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let fraction = f64::from(bits & 0x3FF);
    match i32::from(bits >> 10 & 0x1F) {
        0 => sign * fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN,
        exponent => sign * (1024.0 + fraction) * 2f64.powi(exponent - 25),
    }
}

fn unknown(descr: &str) -> String {
    let shown: String = descr.chars().take(40).collect();
    format!("elements of type {shown} cannot be read; NumPy converts them with `a.astype('float64')`")
}

/// Brings elements from column-major order, in which the first index runs fastest, into row-major order.
fn row_major<T: Copy>(shape: &[usize], elements: &[T]) -> Vec<T> {
    let strides: Vec<usize> = shape
        .iter()
        .scan(1, |stride, &size| {
            let here = *stride;
            *stride *= size;
            Some(here)
        })
        .collect();
    let mut index = vec![0; shape.len()];
    let mut ordered = Vec::with_capacity(elements.len());
    for _ in 0..elements.len() {
        let at: usize = index.iter().zip(&strides).map(|(i, stride)| i * stride).sum();
        ordered.push(elements[at]);
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            if index[axis] < shape[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::{AXES, half, read};
    use npyz::{AutoSerialize, Order, Serialize, WriterBuilder};
    use riesz::{Data, Elements};

    fn file<T: Serialize + AutoSerialize + Copy>(shape: &[u64], order: Order, elements: &[T]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let options = npyz::WriteOptions::new().default_dtype().shape(shape).order(order).writer(&mut bytes);
        let mut writer = options.begin_nd().unwrap();
        writer.extend(elements.iter().copied()).unwrap();
        writer.finish().unwrap();
        bytes
    }

    fn tensor(shape: &[usize], elements: Elements) -> Result<Data, String> {
        Ok(Data::Tensor { shape: shape.to_vec(), elements })
    }

    #[test]
    fn every_kind_of_number() {
        let ints = || tensor(&[2], Elements::Int(vec![1, 2]));
        assert_eq!(read(&file(&[2], Order::C, &[1i8, 2])), ints());
        assert_eq!(read(&file(&[2], Order::C, &[1i16, 2])), ints());
        assert_eq!(read(&file(&[2], Order::C, &[1i32, 2])), ints());
        assert_eq!(read(&file(&[2], Order::C, &[1i64, 2])), ints());
        assert_eq!(read(&file(&[2], Order::C, &[1u8, 2])), ints());
        assert_eq!(read(&file(&[2], Order::C, &[1u16, 2])), ints());
        assert_eq!(read(&file(&[2], Order::C, &[1u32, 2])), ints());
        assert_eq!(read(&file(&[2], Order::C, &[1u64, 2])), ints());
        let reals = || tensor(&[2], Elements::Real(vec![0.5, f64::INFINITY]));
        assert_eq!(read(&file(&[2], Order::C, &[0.5f32, f32::INFINITY])), reals());
        assert_eq!(read(&file(&[2], Order::C, &[0.5f64, f64::INFINITY])), reals());
        assert_eq!(read(&file(&[2], Order::C, &[true, false])), tensor(&[2], Elements::Bool(vec![true, false])));
    }

    #[test]
    fn both_orders_of_axes() {
        let rows = || tensor(&[2, 3], Elements::Int(vec![1, 2, 3, 4, 5, 6]));
        assert_eq!(read(&file(&[2, 3], Order::C, &[1i64, 2, 3, 4, 5, 6])), rows());
        assert_eq!(read(&file(&[2, 3], Order::Fortran, &[1i64, 4, 2, 5, 3, 6])), rows());
        let deep = (0..24).collect::<Vec<i64>>();
        let columns: Vec<i64> = (0..24).map(|at| at % 2 * 12 + at / 2 % 3 * 4 + at / 6).collect();
        assert_eq!(read(&file(&[2, 3, 4], Order::Fortran, &columns)), tensor(&[2, 3, 4], Elements::Int(deep)));
    }

    #[test]
    fn small_arrays() {
        assert_eq!(read(&file(&[], Order::C, &[2.5f64])), tensor(&[], Elements::Real(vec![2.5])));
        assert_eq!(read(&file(&[], Order::Fortran, &[2.5f64])), tensor(&[], Elements::Real(vec![2.5])));
        assert_eq!(read(&file::<f64>(&[2, 0], Order::Fortran, &[])), tensor(&[2, 0], Elements::Real(vec![])));
    }

    #[test]
    fn both_byte_orders() {
        let mut bytes = file(&[1], Order::C, &[1i32]);
        let at = bytes.windows(3).position(|window| window == b"<i4").unwrap();
        bytes[at] = b'>';
        assert_eq!(read(&bytes), tensor(&[1], Elements::Int(vec![1 << 24])));
    }

    /// A file with a header as it is written here, and bytes after it.
    fn raw(header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    #[test]
    fn half_precision_in_both_byte_orders() {
        let header = |order: char| format!("{{'descr': '{order}f2', 'fortran_order': False, 'shape': (6,), }}\n");
        let bits = [0x3C00u16, 0xC000, 0x7BFF, 0x0001, 0xFC00, 0x8000];
        let numbers = [1.0, -2.0, 65504.0, 2f64.powi(-24), f64::NEG_INFINITY, -0.0];
        let little: Vec<u8> = bits.iter().flat_map(|bits| bits.to_le_bytes()).collect();
        let big: Vec<u8> = bits.iter().flat_map(|bits| bits.to_be_bytes()).collect();
        for (order, data) in [('<', little), ('>', big)] {
            assert_eq!(read(&raw(&header(order), &data)), tensor(&[6], Elements::Real(numbers.to_vec())), "{order}");
        }
        assert!(half(0x7E00).is_nan());
    }

    /// Whatever a header states: there is an array or a message, and no more memory is used than the file has.
    #[test]
    fn no_header_is_believed() {
        let refused = |shape: &str, descr: &str, data: &[u8]| {
            let header = format!("{{'descr': {descr}, 'fortran_order': True, 'shape': {shape}, }}\n");
            read(&raw(&header, data)).err()
        };
        for shape in [
            "(1000000000000,)",
            "(1000000000000, 1000000000000)",
            "(18446744073709551615,)",
            "(18446744073709551616,)",
            "(4294967296, 4294967296)",
            "(4294967296, 4294967296, 0)",
            "(-1,)",
            "(-1, -1)",
            "(3)",
            "(1.5,)",
            "()",
            "",
        ] {
            assert!(refused(shape, "'<f8'", &[]).is_some(), "{shape}");
        }
        let axes = format!("({})", "1,".repeat(AXES + 1));
        assert!(refused(&axes, "'<f8'", &[0; 8]).unwrap().contains("axes"));
        for descr in ["'<f16'", "'<c16'", "'<U5'", "'|O'", "'<M8[s]'", "[('a', '<f8')]"] {
            assert!(refused("(0,)", descr, &[]).is_some(), "{descr}");
        }
        // Rows without elements are an array; how many there may be is for the session to say.
        let empty = "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 0), }\n";
        assert_eq!(read(&raw(empty, &[])), tensor(&[1_000_000_000_000, 0], Elements::Real(vec![])));
        for length in 0..100 {
            let whole = raw("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n", &[0; 16]);
            assert_eq!(read(&whole[..length.min(whole.len())]).is_ok(), length >= whole.len(), "{length}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(read(b"").is_err());
        assert!(read(b"not an array").is_err());
        let whole = file(&[4], Order::C, &[1.0f64, 2.0, 3.0, 4.0]);
        assert_eq!(read(&whole[..whole.len() - 1]), Err("the file ends before the array does".into()));
        assert!(read(&file(&[1], Order::C, &[u64::MAX])).unwrap_err().contains("64 bits"));
    }
}
