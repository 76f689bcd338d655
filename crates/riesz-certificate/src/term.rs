//! Linear maps, the spaces between them and the coefficients in them, as a certificate writes them.

/// A space; sizes are compared as texts, and `_` is a size that is not known.
#[derive(Clone, Debug)]
pub(crate) enum Space {
    Real,
    Array(String, Box<Space>),
    Product(Vec<(Option<String>, Space)>),
    /// Anything else.
    Other,
    /// A space that the checker could not find out.
    Unknown,
}

impl Space {
    /// Whether both are the same, up to the names of parts.
    pub fn same(&self, other: &Space) -> bool {
        match (self, other) {
            (Space::Real, Space::Real) | (Space::Other, Space::Other) => true,
            (Space::Unknown, _) | (_, Space::Unknown) => true,
            (Space::Array(m, v), Space::Array(n, w)) => m == n && v.same(w),
            (Space::Product(v), Space::Product(w)) => {
                v.len() == w.len() && v.iter().zip(w).all(|((_, v), (_, w))| v.same(w))
            }
            _ => false,
        }
    }

    /// Whether everything about it is known.
    pub fn is_known(&self) -> bool {
        match self {
            Space::Real => true,
            Space::Array(size, element) => size != "_" && element.is_known(),
            Space::Product(parts) => parts.iter().all(|(_, part)| part.is_known()),
            Space::Other | Space::Unknown => false,
        }
    }

    /// How many indices a number of it takes.
    pub fn rank(&self) -> usize {
        match self {
            Space::Array(_, element) => 1 + element.rank(),
            _ => 0,
        }
    }

    /// How many parts there are, where that is known.
    pub fn count(&self) -> Option<usize> {
        match self {
            Space::Array(size, _) => size.parse().ok(),
            Space::Product(parts) => Some(parts.len()),
            _ => None,
        }
    }

    pub fn part(&self, part: &Part) -> Option<Space> {
        match (self, part) {
            (Space::Array(_, element), Part::Element(_)) => Some((**element).clone()),
            (Space::Product(parts), Part::Component(at)) => parts.get(*at).map(|(_, part)| part.clone()),
            _ => None,
        }
    }
}

/// A part of a space.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Part {
    Component(usize),
    Element(Expr),
}

impl Part {
    /// Its position, where that is a number.
    pub fn position(&self) -> Option<usize> {
        match self {
            Part::Component(at) => Some(*at),
            Part::Element(Expr::Number(at)) if *at >= 0.0 && at.fract() == 0.0 => Some(*at as usize),
            Part::Element(_) => None,
        }
    }
}

/// A coefficient.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expr {
    Number(f64),
    Var(String),
    Apply(Operator, Vec<Expr>),
    /// `[e | i < n]`
    Each {
        index: String,
        count: Box<Expr>,
        element: Box<Expr>,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operator {
    /// `a + b`, `a < b`
    Infix(&'static str),
    Negative,
    Not,
    /// `f(a, b)`
    Call(String),
    /// `a[i]`
    Index,
    /// `a.x`
    Part(String),
    If,
    Tuple,
    Array,
    /// `sum(e | i < n)`
    Reduce(String),
    /// A number times a vector.
    Multiple,
}

impl Expr {
    pub fn infix(sign: &'static str, a: Expr, b: Expr) -> Expr {
        Expr::Apply(Operator::Infix(sign), vec![a, b])
    }

    pub fn call(name: &str, arguments: Vec<Expr>) -> Expr {
        Expr::Apply(Operator::Call(name.to_string()), arguments)
    }

    pub fn each(index: &str, count: &Expr, element: Expr) -> Expr {
        Expr::Each { index: index.to_string(), count: Box::new(count.clone()), element: Box::new(element) }
    }

    /// Calls `f` on every name that stands for a value from outside.
    pub fn visit(&self, f: &mut dyn FnMut(&str)) {
        match self {
            Expr::Number(_) => {}
            Expr::Var(name) => f(name),
            Expr::Apply(_, arguments) => arguments.iter().for_each(|argument| argument.visit(f)),
            Expr::Each { index, count, element } => {
                count.visit(f);
                element.visit(&mut |name| {
                    if name != index {
                        f(name);
                    }
                });
            }
        }
    }
}

/// Several maps in one, for each part or each index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Fork,
    Join,
    Each,
    Add,
}

/// How a map is made of its children.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Head {
    Zero,
    Identity,
    Scale(Expr),
    Diagonal(Expr),
    /// `c · (u ⊗ v)`
    RankOne(Expr, Expr, Expr),
    /// `dot(a, _)`
    Left(Expr),
    /// `dot(_, b)`
    Right(Expr),
    Sum,
    Replicate(Expr),
    /// A function of what is absent, or its adjoint.
    Function(String, Vec<Option<Expr>>, bool),
    Project(Part),
    Inject(Part),
    Compose,
    /// A list of maps.
    List(Family),
    /// The same map for each element.
    Map,
    /// A map for each index.
    Over(Family, String, Expr),
    /// `D x`
    Name(String),
    /// `D f(a)`
    Call(String, Vec<Expr>),
    If(Expr),
    Builds(String, Expr),
    /// The word, the state, the index and the count; the children are the start and the body.
    Loop(String, String, String, Expr),
    /// The children are those of the names, in order, and the map that they are for.
    Let(Vec<Bind>),
    Adjoint,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Bind {
    /// `D x`
    Map(String),
    /// `i = e`
    Value(String, Expr),
}

impl Bind {
    /// The name of a map.
    pub fn map(&self) -> Option<&str> {
        match self {
            Bind::Map(name) => Some(name),
            Bind::Value(..) => None,
        }
    }

    /// The name of a value, and the value.
    pub fn value(&self) -> Option<(&str, &Expr)> {
        match self {
            Bind::Map(_) => None,
            Bind::Value(name, value) => Some((name, value)),
        }
    }
}

/// A map between two spaces.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    pub from: Space,
    pub to: Space,
    pub head: Head,
    pub children: Vec<Term>,
}

/// Maps that are written alike are the same.
impl PartialEq for Term {
    fn eq(&self, other: &Term) -> bool {
        self.head == other.head && self.to.same(&other.to) && self.children == other.children
    }
}

impl Term {
    pub fn leaf(from: &Space, to: &Space, head: Head) -> Term {
        Term { from: from.clone(), to: to.clone(), head, children: Vec::new() }
    }

    /// The factors of a composition, or the one map there is.
    pub fn factors(&self) -> &[Term] {
        match self.head {
            Head::Compose => &self.children,
            _ => std::slice::from_ref(self),
        }
    }

    /// A composition with compositions in it opened; the identity where there are no maps.
    pub fn chain(maps: Vec<Term>, space: &Space) -> Term {
        let mut factors: Vec<Term> = Vec::with_capacity(maps.len());
        for map in maps {
            match map.head {
                Head::Compose => factors.extend(map.children),
                _ => factors.push(map),
            }
        }
        match (factors.len(), factors.first(), factors.last()) {
            (1, ..) => factors.remove(0),
            (_, Some(first), Some(last)) => {
                Term { from: last.from.clone(), to: first.to.clone(), head: Head::Compose, children: factors }
            }
            _ => Term::leaf(space, space, Head::Identity),
        }
    }

    /// A sum with sums in it opened, or the one map there is; there is one.
    pub fn total(maps: Vec<Term>) -> Option<Term> {
        let mut terms: Vec<Term> = Vec::with_capacity(maps.len());
        for map in maps {
            match map.head {
                Head::List(Family::Add) => terms.extend(map.children),
                _ => terms.push(map),
            }
        }
        if terms.len() == 1 {
            return terms.pop();
        }
        let (from, to) = (terms.first()?.from.clone(), terms.first()?.to.clone());
        Some(Term { from, to, head: Head::List(Family::Add), children: terms })
    }

    /// The map with others in place of its children.
    pub fn with_children(&self, children: Vec<Term>) -> Term {
        match self.head {
            Head::Compose => Term::chain(children, &self.from),
            Head::List(Family::Add) => Term::total(children).unwrap_or_else(|| self.clone()),
            _ => Term { from: self.from.clone(), to: self.to.clone(), head: self.head.clone(), children },
        }
    }

    /// Calls `f` on every map, parents first.
    pub fn visit<'t>(&'t self, f: &mut dyn FnMut(&'t Term)) {
        deep(|| {
            f(self);
            self.children.iter().for_each(|child| child.visit(f));
        });
    }

    /// Its own coefficients.
    pub fn exprs(&self) -> Vec<&Expr> {
        match &self.head {
            Head::Scale(e) | Head::Diagonal(e) | Head::Left(e) | Head::Right(e) | Head::Replicate(e) | Head::If(e) => {
                vec![e]
            }
            Head::RankOne(c, u, v) => vec![c, u, v],
            Head::Function(_, arguments, _) => arguments.iter().flatten().collect(),
            Head::Project(Part::Element(e)) | Head::Inject(Part::Element(e)) => vec![e],
            Head::Over(_, _, count) | Head::Builds(_, count) | Head::Loop(_, _, _, count) => vec![count],
            Head::Call(_, arguments) => arguments.iter().collect(),
            Head::Let(binds) => binds.iter().filter_map(Bind::value).map(|(_, value)| value).collect(),
            _ => Vec::new(),
        }
    }

    /// The index or the state that it binds.
    pub fn bound(&self) -> Vec<&str> {
        match &self.head {
            Head::Over(_, index, _) | Head::Builds(index, _) => vec![index],
            Head::Loop(_, state, index, _) => vec![state, index],
            Head::Let(binds) => binds.iter().filter_map(Bind::value).map(|(name, _)| name).collect(),
            _ => Vec::new(),
        }
    }
}

/// Runs what may recurse deeply.
pub(crate) fn deep<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, work)
}
