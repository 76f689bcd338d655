//! The growth of counts: the exponent `k` with `count(n) ~ nᵏ`, by least squares over the logarithms.

use super::count::{FIGURE_5, Row};

/// The sizes that operations are counted at.
const NODES: [usize; 4] = [100, 1_000, 10_000, 100_000];
/// How many variables there are while the nodes grow, and how many nodes while the variables do.
pub const VARIABLES: usize = 8;
pub const NODES_FOR_VARIABLES: usize = 40_000;

/// A line of the figure, counted.
pub struct Curves {
    pub row: &'static Row,
    /// Nodes, and operations.
    pub by_nodes: Vec<(usize, u64)>,
    /// Variables, and operations; nothing for symbolic derivatives, which are taken in one variable at a time.
    pub by_variables: Vec<(usize, u64)>,
}

/// All six.
pub fn curves() -> Vec<Curves> {
    let count = |row: &'static Row| Curves {
        row,
        by_nodes: NODES.map(|nodes| (nodes, (row.count)(nodes, VARIABLES))).to_vec(),
        by_variables: row.variables.iter().map(|v| (*v, (row.count)(NODES_FOR_VARIABLES, *v))).collect(),
    };
    FIGURE_5.iter().map(count).collect()
}

impl Curves {
    /// `k` where operations grow as `Nᵏ`
    pub fn nodes_exponent(&self) -> f64 {
        exponent(self.by_nodes.iter().copied())
    }

    /// `k` where the operations beyond those for one variable grow as `(V − 1)ᵏ`
    pub fn variables_exponent(&self) -> Option<f64> {
        let (_, one) = *self.by_variables.first()?;
        Some(exponent(self.by_variables[1..].iter().map(|(v, count)| (v - 1, count - one))))
    }

    /// The line of the table in the book.
    pub fn table_row(&self) -> String {
        let Row { mode, gradient, complexity, .. } = self.row;
        let variables = self.variables_exponent().map_or("".into(), |k| format!("V^{k:.2}"));
        format!("| {mode}: `{gradient}` | {complexity} | N^{:.2} | {variables} |", self.nodes_exponent())
    }
}

/// `k` where `count(n) ~ nᵏ`
pub fn exponent(points: impl Iterator<Item = (usize, u64)>) -> f64 {
    let points: Vec<(f64, f64)> = points.map(|(n, count)| ((n as f64).ln(), (count as f64).ln())).collect();
    let n = points.len() as f64;
    let (sx, sy) = points.iter().fold((0.0, 0.0), |(sx, sy), (x, y)| (sx + x, sy + y));
    let (mx, my) = (sx / n, sy / n);
    let over = points.iter().map(|(x, y)| (x - mx) * (y - my)).sum::<f64>();
    over / points.iter().map(|(x, _)| (x - mx).powi(2)).sum::<f64>()
}
