//! The laws, as the checker states them: pairs of patterns, and where they hold. The rows say the same as the table by which
//! derivatives are simplified, which a test sees to; no other part of the two is common.

use std::fmt;

use self::Condition::*;

/// A law: the left side equals the right side where the conditions hold.
#[derive(Debug)]
pub struct Law {
    /// The name of the law.
    pub name: &'static str,
    /// One side.
    pub left: &'static str,
    /// The other side.
    pub right: &'static str,
    /// The conditions under which it holds.
    pub when: &'static [Condition],
    /// Whether it may be used any number of times along a chain, in both directions.
    pub slides: bool,
}

/// Where a law holds.
#[derive(Clone, Copy, Debug)]
pub enum Condition {
    /// Where a map is no multiple of the identity.
    NoMultiple(&'static str),
    /// Where one of these is zero.
    Zero(&'static [&'static str]),
    /// Where the map leads from a space to itself.
    SameSpaces,
    /// Where these only group numbers in another way.
    Reshapes(&'static [&'static str]),
    /// Where a relation is the identity.
    Identity(&'static str),
    /// Where a relation adds up all elements.
    Sums(&'static str),
    /// Where a relation copies an element to all places.
    Replicates(&'static str),
    /// Where two parts are not the same.
    Differ(&'static str, &'static str),
    /// Where a relation relates nothing to a place.
    NoSource(&'static str, &'static str),
    /// Where a relation relates a place to nothing.
    NoTarget(&'static str, &'static str),
    /// Where the map leads to a number.
    ToNumber,
    /// Where the map leads from a number.
    FromNumber,
    /// Where the map leads from an array of numbers.
    FromNumbers,
    /// Where the map leads to an array of numbers.
    ToNumbers,
    /// Where the maps are more than one, to and from an array.
    OfArray,
    /// Where one is the inverse of the other.
    Inverse(&'static str, &'static str),
    /// Where a family is written out.
    List(&'static str),
    /// Where a family is written out, with few maps.
    Few(&'static str),
    /// Where the map leads between families of as many parts.
    Alike,
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoMultiple(m) => write!(f, " where {m} is no multiple of id"),
            Zero(names) => write!(f, " where {} is 0", names.join(" or ")),
            SameSpaces => write!(f, " where both spaces are the same"),
            Reshapes(names) => write!(f, " where {} only regroup", names.join(" and ")),
            Identity(r) => write!(f, " where {r} is the identity"),
            Sums(r) => write!(f, " where {r} is the sum"),
            Replicates(r) => write!(f, " where {r} replicates"),
            Differ(i, j) => write!(f, " where {i} is not {j}"),
            NoSource(r, y) => write!(f, " where {r} relates nothing to {y}"),
            NoTarget(r, x) => write!(f, " where {r} relates {x} to nothing"),
            ToNumber => write!(f, " to R"),
            FromNumber => write!(f, " from R"),
            FromNumbers => write!(f, " from an array of R"),
            ToNumbers => write!(f, " to an array of R"),
            OfArray => write!(f, " of arrays"),
            Inverse(u, v) => write!(f, " where {v} is the inverse of {u}"),
            List(name) => write!(f, " where the maps {name} are written out"),
            Few(name) => write!(f, " where the maps {name} are few"),
            Alike => write!(f, " between families of as many parts"),
        }
    }
}

/// As a certificate writes it.
impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.left, self.right)?;
        self.when.iter().try_for_each(|condition| condition.fmt(f))
    }
}

const fn law(name: &'static str, left: &'static str, right: &'static str, when: &'static [Condition]) -> Law {
    Law { name, left, right, when, slides: false }
}

/// All laws.
pub static LAWS: &[Law] = &[
    law("zero after map", "0 ∘ m", "0", &[]),
    law("map after zero", "m ∘ 0", "0", &[]),
    law("identity after map", "id ∘ m", "m", &[]),
    law("map after identity", "m ∘ id", "m", &[]),
    law("compose scales", "scale k ∘ scale l", "scale (k * l)", &[]),
    law("add scales", "scale k + scale l", "scale (k + l)", &[]),
    law("add scales", "sum (scale kₓ)", "scale (total kₓ)", &[]),
    law("scale by one", "scale 1.0", "id", &[]),
    law("scale by zero", "scale 0.0", "0", &[]),
    Law { slides: true, ..law("scale slides", "m ∘ scale k", "scale k ∘ m", &[]) },
    law("add zero on the right", "m + 0", "m", &[]),
    law("add zero on the left", "0 + m", "m", &[]),
    law("add multiples of a map", "k · m + l · m", "(k + l) · m", &[]),
    law("a map comes out of a sum on the left", "sum (m ∘ fₓ)", "m ∘ sum fₓ", &[]),
    law("a map comes out of a sum on the right", "sum (fₓ ∘ m)", "sum fₓ ∘ m", &[]),
    law("a multiple of a sum beside a map", "m + scale k ∘ sum fₓ", "m + sum (scale k ∘ fₓ)", &[List("f")]),
    law("a multiple of a sum beside a map", "scale k ∘ sum fₓ + m", "sum (scale k ∘ fₓ) + m", &[List("f")]),
    law("add forks", "fork fₓ + fork gₓ", "fork (fₓ + gₓ)", &[]),
    law("a fork of sums", "fork (fₓ + gₓ)", "fork fₓ + fork gₓ", &[]),
    law("a map goes into a sum on its right", "sum fₓ ∘ m", "sum (fₓ ∘ m)", &[Few("f")]),
    law("a sum of sums", "sum (fₓ + gₓ)", "sum fₓ + sum gₓ", &[]),
    law("add joins", "join fₓ + join gₓ", "join (fₓ + gₓ)", &[]),
    law("add maps part by part", "each fₓ + each gₓ", "each (fₓ + gₓ)", &[]),
    law("a sum over projections is a join", "sum (fₓ ∘ project x)", "join fₓ", &[]),
    law("a sum over injections is a fork", "sum (inject x ∘ fₓ)", "fork fₓ", &[]),
    law("join after fork", "join fₓ ∘ fork gₓ", "sum (fₓ ∘ gₓ)", &[]),
    law("map into join", "m ∘ join fₓ", "join (m ∘ fₓ)", &[]),
    law("fork after map", "fork fₓ ∘ m", "fork (fₓ ∘ m)", &[]),
    law("a map comes out of a fork", "fork (fₓ ∘ m)", "fork fₓ ∘ m", &[]),
    law("a map comes out of a join", "join (m ∘ fₓ)", "m ∘ join fₓ", &[]),
    law("project after fork", "project i ∘ fork fₓ", "fᵢ", &[]),
    law("join after inject", "join fₓ ∘ inject i", "fᵢ", &[]),
    law("project after inject", "project i ∘ inject i", "id", &[]),
    law("project after inject", "project i ∘ inject j", "0", &[Differ("i", "j")]),
    law("project after each", "project i ∘ each fₓ", "fᵢ ∘ project i", &[]),
    law("each after inject", "each fₓ ∘ inject i", "inject i ∘ fᵢ", &[]),
    law("each after fork", "each fₓ ∘ fork gₓ", "fork (fₓ ∘ gₓ)", &[]),
    law("join after each", "join fₓ ∘ each gₓ", "join (fₓ ∘ gₓ)", &[]),
    law("each after each", "each fₓ ∘ each gₓ", "each (fₓ ∘ gₓ)", &[]),
    law("fork of projections", "fork (project x)", "id", &[SameSpaces]),
    law("a fork of maps of the parts", "fork (fₓ ∘ project x)", "each fₓ", &[Alike]),
    law("join of injections", "join (inject x)", "id", &[SameSpaces]),
    law("each of identities", "each id", "id", &[]),
    law("a family of zeros", "fork 0", "0", &[]),
    law("a family of zeros", "join 0", "0", &[]),
    law("a family of zeros", "each 0", "0", &[]),
    law("a family of zeros", "sum 0", "0", &[]),
    law("each of one map", "each f", "map f", &[OfArray]),
    law("compose diagonals", "diagonal d ∘ diagonal e", "diagonal (d * e)", &[]),
    law("add diagonals", "diagonal d + diagonal e", "diagonal (d + e)", &[]),
    law("add diagonals", "diagonal d + scale k", "diagonal (d + constant k)", &[]),
    law("add diagonals", "scale k + diagonal e", "diagonal (constant k + e)", &[]),
    law("diagonal of one number", "diagonal d", "scale (only d)", &[]),
    law("a band of one diagonal", "dot(a, _)", "diagonal (main a)", &[]),
    law("add a diagonal to a matrix", "dot(a, _) + diagonal d", "dot(a + band d, _)", &[]),
    law("add a diagonal to a matrix", "diagonal d + dot(a, _)", "dot(band d + a, _)", &[]),
    law("each of scales", "each (scale kₓ)", "diagonal kₓ", &[FromNumbers]),
    law("each of scales", "each (diagonal dₓ)", "diagonal dₓ", &[]),
    law("the sum of a diagonal is a row", "reduce R ∘ diagonal d", "1.0 ⊗ d", &[Sums("R"), ToNumber]),
    law("the sum of a diagonal is a row", "join id ∘ diagonal d", "1.0 ⊗ d", &[ToNumber]),
    law("a diagonal of copies is a column", "diagonal d ∘ reduce R", "d ⊗ 1.0", &[Replicates("R"), FromNumber]),
    law("map of a scale", "each (scale k)", "scale k", &[]),
    law("map of a scale", "fork (scale k ∘ fₓ)", "scale k ∘ fork fₓ", &[]),
    law("a multiple of a fork", "scale k ∘ fork fₓ", "fork (scale k ∘ fₓ)", &[Few("f")]),
    law("compose rank-one maps", "c · (w ⊗ v) ∘ d · (v' ⊗ u)", "(c * d * ⟨v, v'⟩) · (w ⊗ u)", &[]),
    law("map after rank-one", "m ∘ c · (u ⊗ v)", "c · ((m ⊙ u) ⊗ v)", &[NoMultiple("m")]),
    law("rank-one after map", "c · (u ⊗ v) ∘ m", "c · (u ⊗ (mᵀ ⊙ v))", &[NoMultiple("m")]),
    law("rank-one with zero", "c · (u ⊗ v)", "0", &[Zero(&["c", "u", "v"])]),
    law("add rank-one maps with one left", "c · (u ⊗ v) + d · (u ⊗ w)", "u ⊗ (c · v + d · w)", &[]),
    law("add rank-one maps with one left", "sum (u ⊗ vₓ)", "u ⊗ (total vₓ)", &[]),
    law("add rank-one maps with one left", "sum (cₓ · (u ⊗ vₓ))", "u ⊗ (combine cₓ vₓ)", &[]),
    law("add rank-one maps with one right", "c · (u ⊗ w) + d · (v ⊗ w)", "(c · u + d · v) ⊗ w", &[]),
    law("a join of multiples is a row", "join (scale kₓ)", "1.0 ⊗ kₓ", &[ToNumber, FromNumbers]),
    law("a fork of multiples is a column", "fork (scale kₓ)", "kₓ ⊗ 1.0", &[FromNumber, ToNumbers]),
    law("a fork of rank-one maps with one right", "fork (uₓ ⊗ v)", "uₓ ⊗ v", &[]),
    law("a join of rank-one maps with one left", "join (u ⊗ vₓ)", "u ⊗ vₓ", &[]),
    law("a fork of rows is a contraction", "fork (1.0 ⊗ vₓ)", "dot(rows vₓ, _)", &[FromNumbers]),
    law("compose contractions on the left", "dot(a, _) ∘ dot(b, _)", "dot(a * b, _)", &[]),
    law("compose contractions on the right", "dot(_, b) ∘ dot(_, a)", "dot(_, a * b)", &[]),
    law("add contractions", "dot(a, _) + dot(b, _)", "dot(a + b, _)", &[]),
    law("add contractions", "dot(_, a) + dot(_, b)", "dot(_, a + b)", &[]),
    law("compose reductions", "reduce S ∘ reduce R", "reduce (S ∘ R)", &[]),
    law("reduction by the identity", "reduce R", "id", &[Identity("R")]),
    law("a fork of projections is a gather", "fork (project iₓ)", "reduce (gather iₓ)", &[OfArray]),
    law("a join of identities is a sum", "join id", "reduce Σ", &[]),
    law("a fork of identities is a replicate", "fork id", "(reduce Σ)ᵀ", &[]),
    law("sum after replicate", "reduce S ∘ reduce R", "scale (paths S R)", &[]),
    law("project after reduction", "project y ∘ reduce R", "id", &[Replicates("R")]),
    law("project after reduction", "project y ∘ reduce R", "0", &[NoSource("R", "y")]),
    law("project after reduction", "project y ∘ reduce R", "project (source R y)", &[]),
    law("reduction after inject", "reduce R ∘ inject y", "id", &[Sums("R")]),
    law("reduction after inject", "reduce R ∘ inject y", "0", &[NoTarget("R", "y")]),
    law("reduction after inject", "reduce R ∘ inject y", "inject (target R y)", &[]),
    law("map after replicate", "each f ∘ reduce R", "reduce R ∘ f", &[Replicates("R")]),
    law("sum after map", "reduce R ∘ each f", "f ∘ reduce R", &[Sums("R")]),
    law("a unitary map after its adjoint", "unitary U ∘ unitary V", "id", &[Inverse("U", "V"), SameSpaces]),
    law("compose reshapes", "unitary U ∘ unitary V", "unitary U", &[Reshapes(&["U", "V"])]),
    law("reshape to the same space", "unitary U", "id", &[Reshapes(&["U"]), SameSpaces]),
];
