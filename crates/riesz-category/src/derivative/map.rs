//! Linear maps as values. A map varies with its captured values, and a combination of maps with its parts:
//!
//! ```text
//!   space (m with c)  = space c          space (g ∘ f), space (f + g) = the product of both
//!   space (entries)   = R^n              space (k · f)                = (R, space f)
//!
//!   (m, x) ↦ m x      applies the map, and varies with the map and with the vector
//! ```

use super::control::{call, lost, path};
use super::entry::{EntryIndex, Flat, Rows, assemble, places};
use super::operation::derivative;
use super::{Context, D, Outcome, Point};
use crate::category::{Cartesian, Category, Cocartesian, Linear, part};
use crate::closure::with_room;
use crate::combinator::Operation;
use crate::interpret::{Table as Definitions, interpret};
use crate::linear::Terms;
use crate::space::{numbers, space};
use riesz_core::Type;
use riesz_core::evaluate::{Fault, Map, Table, Value};
use riesz_core::order::{Orders, Places};
use riesz_core::term::{Atom, OnMaps, Op, Var};
use riesz_linear::{LinearMap, Relation, Space, SpaceError, Vector};
use riesz_syntax::Span;
use std::rc::Rc;

/// The operations on maps, at a place in the source.
pub(crate) struct Maps<'c, M> {
    pub context: &'c Rc<Context>,
    /// The functions that maps are made of.
    pub definitions: &'c Definitions<M>,
    pub span: Span,
}

impl<M: Clone + 'static> Maps<'_, super::Differentiable<M>> {
    /// `(m, x) ↦ m x`, or `mᵀ x`, from the space of both.
    pub fn apply<K: Linear<Morphism = M> + 'static>(
        &self,
        map: &Map<f64>,
        adjoint: bool,
        x: Value<f64>,
        from: &Space,
    ) -> Outcome<M> {
        with_room(|| match map {
            Map::Functions { forward, reverse, captured } => {
                let function = if adjoint { *reverse } else { *forward };
                let body = self.definitions.find(function).ok_or_else(|| lost(self.span))?;
                call::<K>(self.context, &body, captured, x, from, self.span)
            }
            Map::Adjoint(map) => self.apply::<K>(map, !adjoint, x, from),
            Map::Compose(after, before) => {
                let [(first, at), (second, then)] =
                    if adjoint { [(after, 0), (before, 1)] } else { [(before, 1), (after, 0)] };
                let (y, dy) = self.part::<K>(first, at, adjoint, x, from)?;
                let both = K::fork(from, vec![path::<K>(&[0, then], from), dy]);
                let (z, dz) = self.apply::<K>(second, adjoint, y, &K::codomain(&both))?;
                Ok((z, K::after(dz, both)))
            }
            Map::Add(left, right) => {
                let (y, dy) = self.part::<K>(left, 0, adjoint, x.clone(), from)?;
                let (z, dz) = self.part::<K>(right, 1, adjoint, x, from)?;
                if y.holds_maps() {
                    // Vectors with maps in them are added by their coordinates.
                    let ((y, dy), (z, dz)) = (self.coordinates::<K>((y, dy))?, self.coordinates::<K>((z, dz))?);
                    let sums = numbers(&y).into_iter().zip(numbers(&z)).map(|(y, z)| y + z);
                    let sum = y.tangent(&mut sums.collect::<Vec<_>>().into_iter());
                    return Ok((sum, K::add(from, &space(&y), vec![dy, dz])));
                }
                let [first, second] = [0, 1].map(|at| Atom::Var(Var(at)));
                let plus = Operation::new(Op::Plus(first, second), 2, Type::unit(), self.span);
                let operands = [y, z];
                let sum = self.context.evaluate(&plus, &Value::Tuple(operands.to_vec().into()))?;
                let both = K::fork(from, vec![dy, dz]);
                let added = derivative::<K>(&plus, &operands, &K::codomain(&both), &sum);
                Ok((sum, K::after(added, both)))
            }
            Map::Scale(factor, map) => {
                let y = self.part::<K>(map, 1, adjoint, x, from)?;
                let (y, dy) = self.coordinates::<K>(y)?;
                let to = space(&y);
                let by_factor = match Vector::new(to.clone(), numbers(&y)) {
                    Ok(vector) => K::after(K::primitive(&LinearMap::column(vector)), path::<K>(&[0, 0], from)),
                    Err(_) => K::zero(from, &to),
                };
                let sum = K::add(from, &to, vec![by_factor, K::times(*factor, dy)]);
                let multiple = |x: f64| if x == 0.0 || *factor == 0.0 { 0.0 } else { factor * x };
                let scaled = match y.holds_maps() {
                    true => y.tangent(&mut numbers(&y).into_iter().map(multiple)),
                    false => y.scaled(factor),
                };
                Ok((scaled, sum))
            }
            Map::Table(table) => self.entries::<K>(table, adjoint, &x, from),
            Map::Term(term) => self.entries::<K>(&term.table(&mut |x| *x), adjoint, &x, from),
        })
    }

    /// Applies a map that another is made of.
    fn part<K: Linear<Morphism = M> + 'static>(
        &self,
        map: &Map<f64>,
        at: usize,
        adjoint: bool,
        x: Value<f64>,
        from: &Space,
    ) -> Outcome<M> {
        let both = K::fork(from, vec![path::<K>(&[0, at], from), path::<K>(&[1], from)]);
        let (y, dy) = self.apply::<K>(map, adjoint, x, &K::codomain(&both))?;
        Ok((y, K::after(dy, both)))
    }

    /// `Σⱼ aᵢⱼ xⱼ`: bilinear in the entries and the vector.
    fn entries<K: Linear<Morphism = M> + 'static>(
        &self,
        table: &Table<f64>,
        adjoint: bool,
        x: &Value<f64>,
        from: &Space,
    ) -> Outcome<M> {
        let (x, by_x) = self.coordinates::<K>((x.clone(), path::<K>(&[1], from)))?;
        let x = &x;
        let result = if adjoint { &table.domain } else { &table.codomain };
        let places = table.rows.iter().enumerate().flat_map(|(row, entries)| {
            entries
                .iter()
                .map(move |(column, entry)| if adjoint { (row, *column, *entry) } else { (*column, row, *entry) })
        });
        let (mut sources, mut targets, mut factors) = (Vec::new(), Vec::new(), Vec::new());
        for (source, target, entry) in places {
            sources.push(source);
            targets.push(target);
            factors.push(entry);
        }
        let vector = numbers(x);
        let mut sums = vec![0.0; result.count_coordinates()];
        for ((source, target), factor) in sources.iter().zip(&targets).zip(&factors) {
            if let (Some(x), Some(sum)) = (vector.get(*source), sums.get_mut(*target)) {
                *sum += if *factor == 0.0 || *x == 0.0 { 0.0 } else { factor * x };
            }
        }
        let size = sums.len();
        let value = result.tangent(&mut sums.into_iter());
        let to = space(&value);
        if K::VALUES_ONLY || size == 0 || factors.is_empty() || vector.is_empty() {
            return Ok((value, K::zero(from, &to)));
        }
        let seen: Vec<f64> = sources.iter().map(|source| vector.get(*source).copied().unwrap_or(0.0)).collect();
        let maps = || -> Result<[LinearMap; 2], SpaceError> {
            let gather = LinearMap::reduce(Relation::gather(sources, vector.len())?, Space::Real);
            let scatter = LinearMap::reduce(Relation::scatter(targets, size)?, Space::Real);
            let down = LinearMap::reshape(space(x), Space::reals(vector.len()))?;
            let up = LinearMap::reshape(Space::reals(size), to.clone())?;
            let by = |factors: Vec<f64>| LinearMap::diagonal(Vector::of_reals(factors));
            Ok([
                LinearMap::compose(vec![up.clone(), scatter.clone(), by(seen)])?,
                LinearMap::compose(vec![up, scatter, by(factors), gather, down])?,
            ])
        };
        let [by_entries, by_vector] = maps().map_err(|_| lost(self.span))?;
        let terms =
            vec![K::after(K::primitive(&by_entries), path::<K>(&[0], from)), K::after(K::primitive(&by_vector), by_x)];
        Ok((value, K::add(from, &to, terms)))
    }

    /// The zeros of the spaces of a map, and the rows of its matrix, from the space of the map.
    fn rows<K: Linear<Morphism = M> + 'static>(&self, map: &Map<f64>, from: &Space) -> Result<Rows<M>, Fault> {
        let (domain, codomain) = self.spaces::<K>(map, from)?;
        let mut rows = Vec::new();
        for at in 0..codomain.count_coordinates() {
            let unit = codomain.tangent(&mut (0..=at).map(|other| f64::from(u8::from(other == at))));
            let row = self.at::<K>(map, true, unit, from)?;
            rows.push(self.coordinates::<K>(row)?);
        }
        Ok(Rows { domain, codomain, rows })
    }

    /// `m ↦ m x`, for a fixed vector.
    fn at<K: Linear<Morphism = M> + 'static>(
        &self,
        map: &Map<f64>,
        adjoint: bool,
        x: Value<f64>,
        from: &Space,
    ) -> Outcome<M> {
        let still = space(&x);
        let both = K::fork(from, vec![K::identity(from), K::zero(from, &still)]);
        let (y, dy) = self.apply::<K>(map, adjoint, x, &K::codomain(&both))?;
        Ok((y, K::after(dy, both)))
    }

    /// The zero of a map's domain.
    fn domain<K: Linear<Morphism = M> + 'static>(&self, map: &Map<f64>, from: &Space) -> Result<Value<f64>, Fault> {
        with_room(|| match map {
            Map::Functions { captured, .. } => Ok(captured.last().map_or_else(Value::unit, Value::zero_tangent)),
            Map::Table(table) => Ok(table.domain.clone()),
            Map::Term(term) => Ok(term.domain.clone()),
            Map::Adjoint(map) => {
                let domain = self.domain::<K>(map, from)?;
                Ok(self.at::<K>(map, false, domain, from)?.0)
            }
            Map::Compose(_, map) => self.domain::<K>(map, &part(1, from)),
            Map::Add(map, _) => self.domain::<K>(map, &part(0, from)),
            Map::Scale(_, map) => self.domain::<K>(map, &part(1, from)),
        })
    }

    /// An operation on maps, on the tuple of its operands.
    pub fn operate<K: Linear<Morphism = M> + 'static>(
        &self,
        operation: OnMaps,
        orders: &Orders,
        point: &Point,
    ) -> Outcome<M> {
        let from = &point.space;
        let operands = point.value.parts();
        let is_zero = |at: usize| matches!(operands.get(at), Some(Value::Zero));
        let read = |at: usize| path::<K>(&[at], from);
        // A zero is one of the map beside it.
        let map = |at: usize| match (operands.get(at), operands.last()) {
            (Some(Value::Map(map)), _) => Ok((map.clone(), read(at))),
            (Some(Value::Zero), Some(Value::Map(like))) => {
                let last = read(operands.len() - 1);
                Ok((Map::Scale(0.0, like.clone()).share(), K::fork(from, vec![K::zero(from, &Space::Real), last])))
            }
            _ => Err(lost(self.span)),
        };
        let nothing = || (Value::Zero, K::zero(from, &space(&Value::Zero)));
        Ok(match operation {
            OnMaps::Adjoint | OnMaps::OfMatrix | OnMaps::OfEntries if is_zero(0) => nothing(),
            OnMaps::Compose | OnMaps::Scale if is_zero(0) || is_zero(1) => nothing(),
            OnMaps::Add | OnMaps::Subtract if is_zero(1) => (operands[0].clone(), read(0)),
            OnMaps::Add if is_zero(0) => (operands[1].clone(), read(1)),
            OnMaps::Adjoint => {
                let (map, derivative) = map(0)?;
                let adjoint = match &*map {
                    Map::Adjoint(inner) => inner.clone(),
                    _ => Map::Adjoint(map).share(),
                };
                (Value::Map(adjoint), derivative)
            }
            OnMaps::Compose | OnMaps::Add => {
                let ((left, by_left), (right, by_right)) = (map(0)?, map(1)?);
                let made = if operation == OnMaps::Add { Map::Add(left, right) } else { Map::Compose(left, right) };
                (Value::Map(made.share()), K::fork(from, vec![by_left, by_right]))
            }
            OnMaps::Subtract => {
                let ((left, by_left), (right, by_right)) = (map(0)?, map(1)?);
                let negative = K::fork(from, vec![K::zero(from, &Space::Real), by_right]);
                let made = Map::Add(left, Map::Scale(-1.0, right).share()).share();
                (Value::Map(made), K::fork(from, vec![by_left, negative]))
            }
            OnMaps::Scale => {
                let (scaled, by_map) = map(1)?;
                (Value::Map(Map::Scale(operands[0].real(), scaled).share()), K::fork(from, vec![read(0), by_map]))
            }
            OnMaps::Matrix => {
                let (map, by_map) = map(0)?;
                let of = K::codomain(&by_map);
                let Rows { domain, codomain, rows } = self.rows::<K>(&map, &of)?;
                let mut plain = Vec::with_capacity(rows.len());
                for (row, map) in rows {
                    let matrices = row.with_matrices();
                    let map = self.reshaped::<K>(&space(&row), &space(&matrices), map)?;
                    plain.push((matrices, map));
                }
                let is_flat = matches!(domain, Value::Real(_));
                let (matrix, by_rows) = assemble::<K>(&codomain.with_matrices(), is_flat, &mut plain.into_iter(), &of);
                (matrix, K::after(by_rows, by_map))
            }
            OnMaps::OfMatrix => {
                let (like, by_like) = map(1)?;
                let of = K::codomain(&by_like);
                let (domain, codomain) = self.spaces::<K>(&like, &of)?;
                let columns = domain.count_coordinates();
                let mut entries = numbers(&operands[0]).into_iter();
                let row = |_| entries.by_ref().take(columns).enumerate().collect();
                let rows = (0..codomain.count_coordinates()).map(row).collect();
                let made = Value::Map(Map::Table(Table { domain, codomain, rows }).share());
                let flat = self.reshaped::<K>(&part(0, from), &space(&made), read(0))?;
                (made, flat)
            }
            OnMaps::Coo | OnMaps::System => {
                let (map, by_map) = map(0)?;
                let mut places = self.places(&map)?;
                let counted = self.counted::<K>(orders, &map, &K::codomain(&by_map))?;
                if !counted.are_kept() {
                    places.sort_by_key(|place| counted.counted(*place));
                }
                let (values, by_values) = self.numbers_at::<K>(&map, &places, by_map)?;
                let places: Vec<EntryIndex> = places.into_iter().map(|place| counted.counted(place)).collect();
                let ints =
                    |of: fn(&EntryIndex) -> usize| Value::ints(places.iter().map(|place| of(place) as i64).collect());
                // A record's fields are sorted by name: cols, rows, vals.
                let [cols, rows] = [ints(|place| place.1), ints(|place| place.0)];
                let still = |ints| K::zero(from, &space(ints));
                let maps = vec![still(&cols), still(&rows), by_values];
                (Value::Tuple([cols, rows, values].into()), K::fork(from, maps))
            }
            OnMaps::Factors => {
                let parts = [Value::Int(0), Value::values(Vec::new()), Value::values(Vec::new())];
                let maps = parts.iter().map(|part| K::zero(from, &space(part))).collect();
                (Value::Tuple(parts.into()), K::fork(from, maps))
            }
            OnMaps::Entries => {
                let (map, by_map) = map(0)?;
                let counted = self.counted::<K>(orders, &map, &K::codomain(&by_map))?;
                self.numbers_at::<K>(&map, &counted.kept(places(&operands[1], &operands[2])), by_map)?
            }
            OnMaps::OfEntries => {
                let (like, by_like) = map(3)?;
                let counted = self.counted::<K>(orders, &like, &K::codomain(&by_like))?;
                let places = counted.kept(places(&operands[1], &operands[2]));
                self.map_of::<K>(&operands[0], &places, (&like, &K::codomain(&by_like)), read(0))?
            }
        })
    }

    /// The places at which the rows and columns of a map are counted.
    fn counted<K: Linear<Morphism = M> + 'static>(
        &self,
        orders: &Orders,
        map: &Map<f64>,
        from: &Space,
    ) -> Result<Places, Fault> {
        if *orders == Orders::KEPT {
            return Ok(orders.places(&Value::<f64>::unit(), &Value::unit()));
        }
        let (domain, codomain) = self.spaces::<K>(map, from)?;
        Ok(orders.places(&codomain, &domain))
    }

    /// The zeros of the domain and the codomain, in which maps are tables of all their entries.
    fn spaces<K: Linear<Morphism = M> + 'static>(
        &self,
        map: &Map<f64>,
        from: &Space,
    ) -> Result<(Value<f64>, Value<f64>), Fault> {
        let domain = self.domain::<K>(map, from)?;
        let codomain = self.at::<K>(map, false, domain.clone(), from)?.0;
        Ok((self.zero_of::<K>(domain)?, self.zero_of::<K>(codomain)?))
    }

    /// The numbers of the matrix at some places.
    fn numbers_at<K: Linear<Morphism = M> + 'static>(
        &self,
        map: &Map<f64>,
        places: &[EntryIndex],
        by_map: M,
    ) -> Outcome<M> {
        let of = K::codomain(&by_map);
        let flat = self.flat::<K>(map, &of)?;
        let number = |(row, column): &EntryIndex| flat.rows.get(*row)?.get(*column).copied();
        let found: Option<Vec<f64>> = places.iter().map(number).collect();
        let found = found.ok_or_else(|| lost(self.span))?;
        let order = places.iter().map(|(row, column)| row * flat.columns + column).collect();
        let map = self.gathered::<K>(order, flat.rows.len() * flat.columns, K::after(flat.map, by_map))?;
        Ok((Value::reals(found), map))
    }

    /// The map between the spaces of another that has some numbers at some places.
    fn map_of<K: Linear<Morphism = M> + 'static>(
        &self,
        entries: &Value<f64>,
        places: &[EntryIndex],
        (like, of): (&Map<f64>, &Space),
        by_entries: M,
    ) -> Outcome<M> {
        let (domain, codomain) = self.spaces::<K>(like, of)?;
        let entries = numbers(entries);
        let mut rows: Vec<Vec<(usize, f64)>> = vec![Vec::new(); codomain.count_coordinates()];
        for ((row, column), entry) in places.iter().zip(&entries) {
            rows.get_mut(*row).ok_or_else(|| lost(self.span))?.push((*column, *entry));
        }
        // The entries of a table stand row by row.
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_by_key(|at| places.get(*at).map(|place| place.0));
        let by_entries = self.gathered::<K>(order, entries.len(), by_entries)?;
        Ok((Value::Map(Map::Table(Table { domain, codomain, rows }).share()), by_entries))
    }

    /// Some numbers of an array.
    fn gathered<K: Linear<Morphism = M>>(&self, places: Vec<usize>, count: usize, map: M) -> Result<M, Fault> {
        if K::VALUES_ONLY || places.is_empty() {
            return Ok(K::zero(&K::domain(&map), &Space::reals(places.len())));
        }
        let gather = Relation::gather(places, count).map_err(|_| lost(self.span))?;
        Ok(K::primitive_after(&LinearMap::reduce(gather, Space::Real), map))
    }

    /// Where the matrix has entries that are not structurally zero: those of the term of what the map does.
    fn places(&self, map: &Rc<Map<f64>>) -> Result<Vec<EntryIndex>, Fault> {
        let combinators = self.context.combinators.as_ref().ok_or_else(|| lost(self.span))?;
        let read = interpret::<D<Terms>>(combinators, self.context);
        let maps = Maps { context: self.context, definitions: &read.table(), span: self.span };
        let of = space(&Value::Map(map.clone()));
        let x = maps.domain::<Terms>(map, &of)?;
        let x = maps.zero_of::<Terms>(x)?;
        let unknown = space(&x);
        let both = Terms::fork(&unknown, vec![Terms::zero(&unknown, &of), Terms::identity(&unknown)]);
        let image = maps.apply::<Terms>(map, false, x, both.codomain())?;
        let (_, image) = maps.coordinates::<Terms>(image)?;
        let entries = Terms::after(image, both).coo();
        Ok(entries.rows.into_iter().zip(entries.cols).collect())
    }

    /// The value with a table of all its entries in the place of every linear map, from the space of the value.
    pub fn with_tables<K: Linear<Morphism = M> + 'static>(&self, value: Value<f64>, from: &Space) -> Outcome<M> {
        let parts = |parts: &[Value<f64>]| -> Result<(Vec<Value<f64>>, M), Fault> {
            let (mut values, mut maps) = (Vec::new(), Vec::new());
            for (at, value) in parts.iter().enumerate() {
                let (value, map) = self.with_tables::<K>(value.clone(), &part(at, from))?;
                values.push(value);
                maps.push(K::after(map, K::project(at, from)));
            }
            Ok((values, K::fork(from, maps)))
        };
        Ok(match &value {
            value if !value.holds_maps() => (value.clone(), K::identity(from)),
            Value::Tuple(all) => {
                let (values, map) = parts(all)?;
                (Value::Tuple(values.into()), map)
            }
            Value::Values(all) => {
                let (values, map) = parts(&all[..])?;
                (Value::values(values), map)
            }
            Value::Map(map) => {
                let Flat { domain, codomain, rows, map, .. } = self.flat::<K>(map, from)?;
                let rows = rows.into_iter().map(|row| row.into_iter().enumerate().collect()).collect();
                (Value::Map(Map::Table(Table { domain, codomain, rows }).share()), map)
            }
            value => (value.clone(), K::identity(from)),
        })
    }

    /// The numbers of the matrix, row by row.
    fn flat<K: Linear<Morphism = M> + 'static>(&self, map: &Map<f64>, from: &Space) -> Result<Flat<M>, Fault> {
        let Rows { domain, codomain, rows } = self.rows::<K>(map, from)?;
        let columns = domain.count_coordinates();
        let (mut numbers_of, mut maps) = (Vec::new(), Vec::new());
        for (row, map) in rows {
            maps.push(self.reshaped::<K>(&space(&row), &Space::reals(columns), map)?);
            numbers_of.push(numbers(&row));
        }
        let (count, to) = (numbers_of.len(), Space::reals(numbers_of.len() * columns));
        let map = match count * columns {
            0 => K::zero(from, &to),
            _ => {
                let rows = Space::array(count, Space::reals(columns));
                self.reshaped::<K>(&rows, &to, K::fork_each(from, maps))?
            }
        };
        Ok(Flat { domain, codomain, columns, rows: numbers_of, map })
    }

    fn reshaped<K: Linear<Morphism = M>>(&self, from: &Space, to: &Space, map: M) -> Result<M, Fault> {
        if K::VALUES_ONLY || from == to {
            return Ok(map);
        }
        let reshape = LinearMap::reshape(from.clone(), to.clone()).map_err(|_| lost(self.span))?;
        Ok(K::primitive_after(&reshape, map))
    }

    /// A vector with a table of all its entries in the place of every map, and what it varies with.
    fn coordinates<K: Linear<Morphism = M> + 'static>(&self, (value, map): (Value<f64>, M)) -> Outcome<M> {
        if !value.holds_maps() {
            return Ok((value, map));
        }
        let from = space(&value);
        let (value, tables) = self.with_tables::<K>(value, &from)?;
        Ok((value, K::after(tables, map)))
    }

    /// The zero of the space of a vector, in which maps are tables of all their entries.
    fn zero_of<K: Linear<Morphism = M> + 'static>(&self, vector: Value<f64>) -> Result<Value<f64>, Fault> {
        if !vector.holds_maps() {
            return Ok(vector);
        }
        let from = space(&vector);
        let (tables, _) = self.with_tables::<K>(vector, &from)?;
        Ok(tables.tangent(&mut std::iter::empty()))
    }
}
