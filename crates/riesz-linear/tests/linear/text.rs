//! Maps as text: printing, parsing, and the messages for wrong input.

use riesz_linear::{LinearMap, Matrix, Relation, Space, Vector};

fn map(text: &str) -> LinearMap {
    match text.parse() {
        Ok(map) => map,
        Err(error) => panic!("{text}: {error}"),
    }
}

/// Every form in its own notation, which reads back as the same map.
#[test]
fn every_form_has_a_notation() {
    for text in [
        "0 : R -o [3]R",
        "id (R, [2]R)",
        "scale 2.5",
        "scale -0.5 [2][3]R",
        "diagonal [2.0, 3.0]",
        "diagonal (1.0, [2.0, 3.0])",
        "[1.0, 2.0] ⊗ [3.0]",
        "0.54 · ([1.0, 2.0] ⊗ (3.0, 4.0))",
        "2.0 ⊗ 3.0",
        "dot([[1.0, 2.0], [3.0, 4.0]], _)",
        "dot(_, [[1.0, 2.0], [3.0, 4.0]]) over [5]R",
        "dot(banded 1 0 3 [[1.0], [2.0, 3.0], [4.0, 5.0]], _)",
        "dot(_, banded 0 1 4 [[1.0, 2.0], [3.0, 4.0]])",
        "dot([1.0, 2.0], _)",
        "0.5 · dot([1.0, 2.0], _)",
        "inner((1.0, [2.0, 3.0]), _)",
        "_ · [1.0, 2.0]",
        "0.5 · (_ · [1.0, 2.0])",
        "(_ · [1.0, 2.0]) ∘ dot([3.0, 4.0], _)",
        "1.0 ⊗ 3.0",
        "sum [3]R",
        "replicate [3](R, R)",
        "prefix [4]R",
        "suffix [4]R",
        "reverse [4]R",
        "gather [2, 0, 0] of [3]R",
        "scatter [2, 0, 0] into [3]R",
        "slice 1 3 of [5]R",
        "pad 1 3 into [5]R",
        "line 3 from 8 by -4 of [9]R to 1 by 2 of 6",
        "relate [(0, 1), (2, 0), (2, 1)] of [3]R into 2",
        "project 1 of (R, [2]R)",
        "inject 0 into [4]R",
        "reshape [2][3]R to [6]R",
        "transpose [2]R [3]R",
        "transpose [2]R [3]R over (R, R)",
        "zip ([3]R, [3][2]R)",
        "unzip ([3]R, [3][2]R)",
        "id R + scale 2.0 + scale 3.0",
        "scale 2.0 ∘ sum [3]R",
        "sum [3]R × project 0 of [3]R",
        "id R ⋈ scale 2.0",
        "fork [id R, scale 2.0]",
        "join [id R, scale 2.0]",
        "each (id R, sum [2]R)",
        "each [scale 2.0, scale 3.0]",
        "map 10 (sum [2]R)",
        "fork (id R)",
        "join (id R)",
        "add (id R)",
        "compose (id R)",
        "each ()",
        "(0 : R -o R) × id R",
        "(id R × scale 2.0) × id R",
        "(scale 2.0 ∘ scale 3.0) ∘ scale 4.0",
        "(scale 2.0 + scale 3.0) ∘ scale 4.0",
        "scale inf ∘ scale -inf ∘ scale nan ∘ scale 1e-7 ∘ scale -0.0",
        "diagonal ([] : [0][3]R)",
        "_ · ([[], []] : [2][0]R)",
        "dot(([] : [0][2]R), _)",
        "id (R,)",
        "diagonal (1.0,)",
        "diagonal ()",
    ] {
        assert_eq!(map(text).to_string(), text);
        assert_eq!(format!("{:#}", map(text)), text);
    }
}

#[test]
fn ascii_and_other_spellings_are_read() {
    for (text, shown) in [
        ("scale 2 . scale 3", "scale 2.0 ∘ scale 3.0"),
        ("scale 2 & scale 3", "scale 2.0 × scale 3.0"),
        ("scale 2 | scale 3", "scale 2.0 ⋈ scale 3.0"),
        ("0.5 * ([1, 2] >< [3])", "0.5 · ([1.0, 2.0] ⊗ [3.0])"),
        ("fork (id R, scale 2)", "id R × scale 2.0"),
        ("join (id R, scale 2)", "id R ⋈ scale 2.0"),
        ("0 : R ⊸ R", "0 : R -o R"),
        ("id R ⊕ id R", "id R + id R"),
        ("3 · id [2]R", "scale 3.0 [2]R"),
        ("3 · sum [2]R", "scale 3.0 ∘ sum [2]R"),
        ("((id (R)))", "id R"),
        ("compose (id R)", "compose (id R)"),
    ] {
        assert_eq!(map(text).to_string(), shown);
    }
}

#[test]
fn large_maps_have_short_texts() {
    let million = 1_000_000;
    let vector = Vector::of_reals((0..million).map(f64::from).collect::<Vec<_>>());
    let values = "[0.0, 1.0, 2.0, … 1000000 values]";
    assert_eq!(LinearMap::diagonal(vector.clone()).to_string(), format!("diagonal {values}"));
    assert_eq!(LinearMap::row(vector).to_string(), format!("dot({values}, _)"));
    let matrix = Matrix::new(1000, 1000, vec![0.5; 1_000_000]).unwrap();
    let row = "[0.5, 0.5, 0.5, … 1000 values]";
    let shown = format!("dot([{row}, {row}, {row}, … 1000 values], _)");
    assert_eq!(LinearMap::left(matrix, Space::Real).to_string(), shown);
    let gather = Relation::gather((0..1_000_000).rev().collect::<Vec<_>>(), 1_000_000).unwrap();
    let shown = "gather [999999, 999998, 999997, … 1000000 values] of [1000000]R";
    assert_eq!(LinearMap::reduce(gather, Space::Real).to_string(), shown);
    let forks = LinearMap::fork(vec![map("id R"); 1_000_000]).unwrap();
    assert_eq!(forks.to_string(), "id R × id R × id R × … 1000000 maps");
    assert_eq!(LinearMap::identity(forks.codomain().clone()).to_string(), "id (R, R, R, … 1000000 spaces)");
    let each = LinearMap::each_array(vec![map("scale 2.0"); 1_000_000]).unwrap();
    assert_eq!(each.to_string(), "each [scale 2.0, scale 2.0, scale 2.0, … 1000000 maps]");
}

#[test]
fn what_is_wrong_is_said() {
    for (text, message) in [
        ("", "at byte 0: a linear map was expected, and here is the end of the text"),
        ("scale", "at byte 5: a number was expected, and here is the end of the text"),
        ("id R id R", "at byte 5: the end was expected, and here is `id`"),
        ("flip R", "at byte 0: a linear map was expected, and here is `flip`"),
        ("id Q", "at byte 3: a space was expected, and here is `Q`"),
        ("id R ; id R", "at byte 5: `;` is no part of a linear map"),
        ("scale 2.0 ∘ sum [3]R ∘ id R", "at byte 10: a map to R is followed by a map from [3]R"),
        ("id R + id [2]R", "at byte 5: the maps of a sum have one domain, and here are both R and [2]R"),
        ("id R × id [2]R", "at byte 5: the maps of a fork have one domain, and here are both R and [2]R"),
        (
            "join [id R, sum [2]R]",
            "at byte 5: the maps of a join of an array have one domain, and here are both R and [2]R",
        ),
        ("fork []", "at byte 5: a fork of no maps has no spaces: write the zero map between two spaces"),
        ("project 2 of (R, R)", "at byte 8: (R, R) has no part 2"),
        ("gather [3] of [3]R", "at byte 7: index 3 is outside an array of 3 elements"),
        ("slice 2 9 of [3]R", "at byte 6: elements 2 to 9 are no slice of 3 elements"),
        ("sum R", "at byte 4: this is an array, and R is not"),
        (
            "reshape [2]R to [3]R",
            "at byte 8: [2]R has dimension 2 and [3]R has dimension 3, so neither reshapes to the other",
        ),
        (
            "zip ([2]R, [3]R)",
            "at byte 4: only arrays of one size or products of one length are zipped, and these are ([2]R, [3]R)",
        ),
        ("diagonal [1, [2]]", "at byte 17: the elements of an array have one space, and here are both R and [1]R"),
        ("diagonal []", "at byte 11: the space of an empty array is written: `([] : [0]R)`"),
        ("dot(_, [1, 2])", "at byte 7: a matrix is an array of rows, and this is a vector of [2]R"),
        ("(id R", "at byte 5: `)` was expected, and here is the end of the text"),
        ("scale -", "at byte 6: `-` is not a number"),
    ] {
        let error = text.parse::<LinearMap>().expect_err(text);
        assert_eq!(error.to_string(), message, "{text}");
    }
}

#[test]
fn spaces_read_back() {
    for text in ["R", "[3]R", "(R, [2]R)", "()", "(R,)", "[2][0](R, ())"] {
        assert_eq!(text.parse::<Space>().unwrap().to_string(), text);
    }
}

/// Nothing that can be written makes reading, printing or counting fail, however large its spaces are.
#[test]
fn huge_spaces_are_no_trouble() {
    for text in [
        "id [18446744073709551615][18446744073709551615]R",
        "0 : [18446744073709551615]R -o [9223372036854775807](R, R)",
        "scatter [5] into [18446744073709551615]R",
        "sum [18446744073709551615]()",
        "prefix [18446744073709551615]R",
        "map 18446744073709551615 (scale 2.0)",
        "slice 18446744073709551614 18446744073709551615 of [18446744073709551615]R",
        "transpose [18446744073709551615]R [18446744073709551615]R",
        "reverse [18446744073709551615]R ∘ reverse [18446744073709551615]R",
        "id [18446744073709551615]R × id [18446744073709551615]R",
        "each (id [18446744073709551615]R, id [18446744073709551615]R)",
        "zip ([18446744073709551615]R, [18446744073709551615]R)",
        "dot([[1.0], [2.0]], _) over [18446744073709551615]R",
        "project 1 of ([18446744073709551615]R, [18446744073709551615]R)",
    ] {
        let map = map(text);
        assert_eq!(format!("{map:#}"), text);
        let _ = (map.adjoint().to_string(), map.costs(), map.associate().to_string(), map.simplify().to_string());
    }
}
