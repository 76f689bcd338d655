//! The coefficients and spaces of linear maps: numbers, or expressions that stand for them.
//!
//! The forms of a linear map, its adjoint and the laws between maps are the same whether a coefficient is `0.5` or
//! `cos x`, and whether an array has 3 elements or `n`. A [`Language`] defines the coefficients and spaces, and
//! computes with them where a law does; [`Numbers`](crate::Numbers) is the language of maps that can be applied. If a
//! language cannot compute an operation, it gives `None`, and the law is not applied.

use std::fmt::Debug;

use crate::map::{Form, Map};
use crate::measure::Measure;
use crate::pattern::{Argument, Function, Kind, Value};

/// The coefficients and spaces of the maps of a language.
pub trait Language: Sized + Clone + Debug + PartialEq + 'static {
    /// Where maps lead from and to.
    type Space: Clone + Debug + PartialEq;
    /// How many numbers a vector of a space has, as far as that is known.
    type Dimension: Copy;
    /// `k` of `S(k)`
    type Number: Clone + Debug;
    /// `d` of `diagonal d`, `u` and `v` of `u ⊗ v`
    type Vector: Clone + Debug + PartialEq;
    /// `a` of `(a *)` and `(* a)`
    type Matrix: Clone + Debug + PartialEq;
    /// `R` of `red_R`
    type Relation: Clone + Debug + PartialEq;
    /// The same numbers in another shape or order.
    type Unitary: Clone + Debug + PartialEq;
    /// `i` of `πᵢ`
    type Part: Clone + Debug + PartialEq;
    /// `i < n` of `B(n, λi. f)`
    type Binder: Clone + Debug + PartialEq;
    /// Maps that only this language has.
    type Extra: Extra<Self>;
    /// The facts about the names in coefficients.
    type Context<'c>;

    /// Whether maps that are shared are worth more than maps that are open.
    const SHARES: bool;

    /// The dimension of a space.
    fn dimension(space: &Self::Space) -> Self::Dimension;
    /// Whether a space is one of arrays.
    fn is_array(space: &Self::Space) -> bool;
    /// Whether two numbers are one and the same.
    fn same_number(a: &Self::Number, b: &Self::Number) -> bool;
    /// `aᵀ`
    fn transpose(matrix: &Self::Matrix) -> Self::Matrix;
    /// `Rᵀ`
    fn converse(relation: &Self::Relation) -> Self::Relation;
    /// `u⁻¹`
    fn inverse(unitary: &Self::Unitary) -> Self::Unitary;

    /// A number that a law names.
    fn number(value: f64) -> Self::Number;
    /// `k l`; none if it does not stand for the one after the other.
    fn times(k: &Self::Number, l: &Self::Number) -> Option<Self::Number>;
    /// Whether a coefficient is zero for certain.
    fn is_zero(value: &Value<Self>) -> bool;
    /// A number as a vector of the space of numbers.
    fn unit(number: &Self::Number) -> Option<Self::Vector>;
    /// Whether a vector is a given number.
    fn is_unit(vector: &Self::Vector, number: f64) -> bool;
    /// The vector of a space that has one number in every place.
    fn constant(number: &Self::Number, space: &Self::Space) -> Option<Self::Vector>;
    /// `m ⊙ v`
    fn apply(map: &Map<Self>, vector: &Self::Vector, context: &Self::Context<'_>) -> Option<Self::Vector>;
    /// The result of a function of coefficients; `space` is the one that a vector is to be of.
    fn compute(
        function: Function,
        arguments: &[Argument<Self>],
        space: Option<&Self::Space>,
        context: &Self::Context<'_>,
    ) -> Option<Value<Self>>;

    /// The properties of a relation that its form shows.
    fn kind(relation: &Self::Relation) -> Kind;
    /// The one place that a relation relates to a place, if there is one; none where there are several, or where that is not known.
    fn source(relation: &Self::Relation, place: &Self::Part) -> Option<Option<Self::Part>>;
    /// `red_R`, between spaces of which one or both are known.
    fn reduction(
        relation: Self::Relation,
        domain: Option<&Self::Space>,
        codomain: Option<&Self::Space>,
    ) -> Option<Map<Self>>;
    /// Whether a unitary operator leaves numbers in their order.
    fn only_regroups(unitary: &Self::Unitary) -> bool;

    /// How long a vector of a space is, to compare lengths by.
    fn length(space: &Self::Space) -> u64;
    /// Whether a space is that of numbers.
    fn is_number(space: &Self::Space) -> bool;
    /// How many parts a space has, where that is known.
    fn count(space: &Self::Space) -> Option<usize>;
    /// The space of a part by its position; of every element of an array, without one.
    fn part(space: &Self::Space, at: Option<usize>) -> Option<Self::Space>;
    /// The space of a part.
    fn part_of(space: &Self::Space, part: &Self::Part) -> Option<Self::Space>;
    /// The position of a part, where that is known.
    fn position(part: &Self::Part) -> Option<usize>;
    /// The part of a space at a position.
    fn part_at(space: &Self::Space, position: usize, context: &Self::Context<'_>) -> Option<Self::Part>;
    /// Whether two parts are not the same for certain.
    fn differ(a: &Self::Part, b: &Self::Part) -> bool;

    /// Whether two spaces are families of as many parts, both products or both arrays.
    fn alike(a: &Self::Space, b: &Self::Space) -> bool;
    /// Whether an index runs over all parts of a space.
    fn covers(space: &Self::Space, binder: &Self::Binder) -> bool;
    /// The part that the map of an index belongs to.
    fn element(binder: &Self::Binder) -> Self::Part;
    /// Whether a map changes with an index.
    fn depends(map: &Map<Self>, binder: &Self::Binder, context: &Self::Context<'_>) -> bool;
    /// Whether a coefficient or a map changes with an index.
    fn varies(value: &Value<Self>, binder: &Self::Binder, context: &Self::Context<'_>) -> bool;
    /// A value that depends on an index, for the index of a part.
    fn at(
        value: &Value<Self>,
        binder: &Self::Binder,
        part: &Self::Part,
        context: &Self::Context<'_>,
    ) -> Option<Value<Self>>;

    /// A dimension as a number, estimated where it is not known.
    fn numbers(dimension: Self::Dimension) -> u64;
    /// The part of the measure of a map that its coefficients add; all of the measure for a form of this language
    /// alone.
    fn coefficients(map: &Map<Self>) -> Measure;
    /// How often the work of its children is done.
    fn repetitions(map: &Map<Self>) -> u64;
}

/// Maps that only one language has.
pub trait Extra<L: Language>: Clone {
    /// The maps that it is made of.
    fn children(&self) -> &[Map<L>];
    /// The same with other children.
    fn with_children(&self, children: Vec<Map<L>>) -> Self;
    /// Whether two are made alike, up to their children.
    fn same(&self, other: &Self) -> bool;
    /// How the adjoint of a map of this form is made, given those of its children.
    fn adjoint(&self, map: &Map<L>, adjoints: Vec<Map<L>>) -> Form<L>;
    /// The name of the law that says so; none where the adjoint is only written as one.
    fn transposition(&self) -> Option<&'static str>;
    /// Whether the adjoint is made of those of the children.
    fn transposes_children(&self) -> bool;
}
