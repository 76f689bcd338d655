//! Arrays from npy files, in whichever order, byte order and width their numbers are stored.

use npyz::{DType, DTypeError, Deserialize, Endianness, NpyFile, Order, TypeChar, TypeRead};
use riesz::{Data, Elements};
use std::io::{self, Read};

/// The most axes that an array may have: NumPy has no more.
const AXES: usize = 64;

/// The array that an npy file holds. An error says why there is none.
pub fn read(bytes: &[u8]) -> Result<Data, String> {
    let file = NpyFile::new(bytes).map_err(|error| error.to_string())?;
    let sizes: Option<Vec<usize>> =
        file.shape().iter().map(|&size| usize::try_from(i64::try_from(size).ok()?).ok()).collect();
    let shape = sizes.filter(|sizes| sizes.iter().try_fold(1usize, |count, &size| count.checked_mul(size)).is_some());
    let Some(shape) = shape else { return Err("the array is too large".into()) };
    if shape.len() > AXES {
        return Err(format!("the array has {} axes, and {AXES} are the most", shape.len()));
    }
    // Before anything is made of a size that the header states, the file has to have the numbers.
    let numbers_stated = shape.iter().product::<usize>();
    if numbers_stated > bytes.len() {
        return Err(ENDS.into());
    }
    let order = file.order();
    let dtype = file.dtype();
    let kind = match &dtype {
        DType::Plain(kind) => (kind.type_char(), kind.size_field()),
        DType::Array(..) | DType::Record(_) => return Err(unknown(&dtype)),
    };
    let elements = match kind {
        (TypeChar::Float, 8) => Elements::Real(numbers(file)?),
        (TypeChar::Float, 4) => Elements::Real(numbers(file)?.into_iter().map(|x: f32| x.into()).collect()),
        (TypeChar::Float, 2) => Elements::Real(numbers(file)?.into_iter().map(|Half(x)| x).collect()),
        (TypeChar::Int, 8) => Elements::Int(numbers(file)?),
        (TypeChar::Int, 4) => Elements::Int(numbers(file)?.into_iter().map(|x: i32| x.into()).collect()),
        (TypeChar::Int, 2) => Elements::Int(numbers(file)?.into_iter().map(|x: i16| x.into()).collect()),
        (TypeChar::Int, 1) => Elements::Int(numbers(file)?.into_iter().map(|x: i8| x.into()).collect()),
        (TypeChar::Uint, 8) => Elements::Int(signed(numbers(file)?)?),
        (TypeChar::Uint, 4) => Elements::Int(numbers(file)?.into_iter().map(|x: u32| x.into()).collect()),
        (TypeChar::Uint, 2) => Elements::Int(numbers(file)?.into_iter().map(|x: u16| x.into()).collect()),
        (TypeChar::Uint, 1) => Elements::Int(numbers(file)?.into_iter().map(|x: u8| x.into()).collect()),
        (TypeChar::Bool, _) => Elements::Bool(numbers(file)?),
        _ => return Err(unknown(&dtype)),
    };
    let elements = match (order, elements) {
        (Order::C, elements) => elements,
        (Order::Fortran, Elements::Real(elements)) => Elements::Real(row_major(&shape, &elements)),
        (Order::Fortran, Elements::Int(elements)) => Elements::Int(row_major(&shape, &elements)),
        (Order::Fortran, Elements::Bool(elements)) => Elements::Bool(row_major(&shape, &elements)),
    };
    Ok(Data::Tensor { shape, elements })
}

fn numbers<T: Deserialize>(file: NpyFile<&[u8]>) -> Result<Vec<T>, String> {
    file.into_vec().map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => ENDS.into(),
        _ => error.to_string(),
    })
}

const ENDS: &str = "the file ends before the array does";

/// A number of half precision: a sign, five bits of exponent, ten of fraction.
struct Half(f64);

impl Half {
    fn of(bits: u16) -> Half {
        let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
        let fraction = f64::from(bits & 0x3FF);
        Half(match i32::from(bits >> 10 & 0x1F) {
            0 => sign * fraction * 2f64.powi(-24),
            31 if fraction == 0.0 => sign * f64::INFINITY,
            31 => f64::NAN,
            exponent => sign * (1024.0 + fraction) * 2f64.powi(exponent - 25),
        })
    }
}

/// Reads numbers of half precision in one byte order.
struct Halves(Endianness);

impl TypeRead for Halves {
    type Value = Half;

    fn read_one<R: Read>(&self, mut bytes: R) -> io::Result<Half> {
        let mut two = [0; 2];
        bytes.read_exact(&mut two)?;
        Ok(Half::of(match self.0 {
            Endianness::Big => u16::from_be_bytes(two),
            Endianness::Little | Endianness::Irrelevant => u16::from_le_bytes(two),
        }))
    }
}

impl Deserialize for Half {
    type TypeReader = Halves;

    fn reader(dtype: &DType) -> Result<Halves, DTypeError> {
        Ok(Halves(match dtype {
            DType::Plain(kind) => kind.endianness(),
            // Which type it is has been looked at.
            DType::Array(..) | DType::Record(_) => Endianness::Irrelevant,
        }))
    }
}

fn signed(numbers: Vec<u64>) -> Result<Vec<i64>, String> {
    let signed: Result<_, _> = numbers.into_iter().map(i64::try_from).collect();
    signed.map_err(|_| "a number does not fit into 64 bits with a sign".into())
}

fn unknown(dtype: &DType) -> String {
    let shown: String = dtype.descr().chars().take(40).collect();
    format!(
        "elements of type {shown} are not numbers that programs have; NumPy converts them with `a.astype('float64')`"
    )
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
    use super::*;
    use npyz::{AutoSerialize, Serialize, WriterBuilder};

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

    /// A file with a header as it is written here, and bytes behind it.
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
        assert!(Half::of(0x7E00).0.is_nan());
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
        let axes = format!("({})", "1,".repeat(65));
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
