//! `m ∘ S(k) = S(k) ∘ m`: a multiple passes every map, so a chain has one multiple, which may stand anywhere in it. The
//! coefficient of a map of rank one is such a multiple too, and a multiple of a diagonal is a diagonal.

use crate::same::same;
use crate::term::{Expr, Head, Operator, Term};
use crate::value::Values;

/// Whether two chains differ only in where their multiples stand.
pub(crate) fn slides(before: &Term, after: &Term, values: &Values) -> bool {
    let ((k, maps), (l, written)) = (apart(before), apart(after));
    let equal =
        |built: Vec<Term>| same(&Term::chain(built, &before.from), &Term::chain(written.clone(), &after.from), values);
    let number = |k: &Expr, l: &Expr| values.equal(k, l, 0, &mut Vec::new(), &mut Vec::new());
    if number(&k, &l) && equal(maps.clone()) {
        return true;
    }
    let Some(at) = maps.iter().position(|map| matches!(map.head, Head::Diagonal(_))) else { return false };
    let mut built = maps;
    if let Head::Diagonal(d) = &built[at].head {
        built[at].head = Head::Diagonal(Expr::Apply(Operator::Multiple, vec![k, d.clone()]));
    }
    number(&Expr::Number(1.0), &l) && equal(built)
}

/// The product of all multiples of a chain, and the maps between them.
fn apart(map: &Term) -> (Expr, Vec<Term>) {
    let one = || Expr::Number(1.0);
    let mut k = one();
    let mut times = |l: &Expr| k = Expr::infix("*", std::mem::replace(&mut k, one()), l.clone());
    let mut maps = Vec::new();
    for factor in map.factors() {
        match &factor.head {
            Head::Scale(l) => times(l),
            Head::RankOne(c, u, v) => {
                times(c);
                maps.push(Term { head: Head::RankOne(one(), u.clone(), v.clone()), ..factor.clone() });
            }
            Head::Identity => {}
            _ => maps.push(factor.clone()),
        }
    }
    (k, maps)
}
