//! Bundle adjustment (ADBench): the errors of points projected by cameras, and their derivatives as blocks.
//!
//! Values that depend only on a camera, its rotation `R = exp [r]` and the Jacobian `J` of the rotation, are computed
//! once for each camera. Eight observations at a time: `y = R (x − C)`, `u = y / y₂`,
//! `e = w (f · (1 + k₁ r² + k₂ r⁴) u + p − seen)`. With respect to the rotation, `∂y/∂r = −R [x − C] J`: with
//! `v = ∂e/∂x`, which is needed anyway, `∂e/∂r = −(v × (x − C)) J`.
//!
//! A block has two rows of fifteen: rotation, centre, focal length, principal point, distortion; point; weight.

use crate::array;
use crate::lanes::{LANES, V};

const BLOCK: usize = 30;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ba_value(arguments: *const u64, to: *mut f64) {
    let scene = unsafe { Scene::new(arguments) };
    let p = scene.weights.len();
    let to = unsafe { std::slice::from_raw_parts_mut(to, 3 * p) };
    let cameras = scene.cameras();
    let (errors, weight_errors) = to.split_at_mut(2 * p);
    for start in (0..p).step_by(LANES) {
        let eight = scene.eight(start, &cameras);
        let [a, b] = eight.errors();
        for lane in 0..LANES.min(p - start) {
            errors[2 * (start + lane)] = a.0[lane];
            errors[2 * (start + lane) + 1] = b.0[lane];
        }
    }
    for (to, w) in weight_errors.iter_mut().zip(scene.weights) {
        *to = 1.0 - w * w;
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ba(arguments: *const u64, to: *mut f64) {
    let scene = unsafe { Scene::new(arguments) };
    let p = scene.weights.len();
    let to = unsafe { std::slice::from_raw_parts_mut(to, (BLOCK + 1) * p) };
    let cameras = scene.cameras();
    let (blocks, slopes) = to.split_at_mut(BLOCK * p);
    let mut entries = [V::ZERO; 32];
    for (group, blocks) in blocks.chunks_mut(BLOCK * LANES).enumerate() {
        let eight = scene.eight(group * LANES, &cameras);
        eight.block(&mut entries);
        // From entry by entry to observation by observation.
        for (lane, block) in blocks.chunks_exact_mut(BLOCK).enumerate() {
            for (to, entry) in block.iter_mut().zip(&entries) {
                *to = entry.0[lane];
            }
        }
    }
    for (to, w) in slopes.iter_mut().zip(scene.weights) {
        *to = -2.0 * w;
    }
}

struct Scene<'a> {
    cameras: &'a [f64],
    points: &'a [f64],
    weights: &'a [f64],
    camera_of: &'a [i64],
    point_of: &'a [i64],
    features: &'a [f64],
}

/// A camera: rotation (9), its Jacobian (9), centre (3), focal length, principal point (2) and distortion (2).
type Camera = [f64; 26];

/// Eight observations.
struct Eight<'a> {
    cameras: [&'a Camera; LANES],
    /// The point as seen from the centre of the camera.
    x: [V; 3],
    weight: V,
    seen: [V; 2],
}

impl<'a> Scene<'a> {
    unsafe fn new(arguments: *const u64) -> Scene<'a> {
        let part = |at: usize| unsafe { array(arguments.add(2 * at)) };
        let indices = |at: usize| {
            let part = part(at);
            unsafe { std::slice::from_raw_parts(part.as_ptr() as *const i64, part.len()) }
        };
        Scene {
            cameras: part(0),
            points: part(1),
            weights: part(2),
            camera_of: indices(3),
            point_of: indices(4),
            features: part(5),
        }
    }

    /// Rodrigues' formula, `R = 1 + a [r] + b [r]²` with `a = sin θ / θ` and `b = (1 − cos θ) / θ²`, and its Jacobian
    /// `J = 1 − b [r] + c [r]²` with `c = (θ − sin θ) / θ³`.
    fn cameras(&self) -> Vec<Camera> {
        let camera = |numbers: &[f64]| {
            let r = [numbers[0], numbers[1], numbers[2]];
            let square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
            let angle = square.sqrt();
            let (a, b, c) = match square == 0.0 {
                true => (1.0, 0.5, 1.0 / 6.0),
                false => {
                    let (s, c) = angle.sin_cos();
                    (s / angle, (1.0 - c) / square, (angle - s) / (square * angle))
                }
            };
            let mut camera = [0.0; 26];
            camera[..9].copy_from_slice(&polynomial(r, square, a, b));
            camera[9..18].copy_from_slice(&polynomial(r, square, -b, c));
            camera[18..].copy_from_slice(&numbers[3..]);
            camera
        };
        self.cameras.chunks_exact(11).map(camera).collect()
    }

    #[inline(always)]
    fn eight<'b>(&self, start: usize, cameras: &'b [Camera]) -> Eight<'b> {
        let last = self.weights.len() - 1;
        let row: [usize; LANES] = std::array::from_fn(|lane| (start + lane).min(last));
        let cameras = row.map(|row| &cameras[self.camera_of[row] as usize]);
        let points = row.map(|row| &self.points[3 * self.point_of[row] as usize..][..3]);
        let seen = row.map(|row| &self.features[2 * row..][..2]);
        Eight {
            cameras,
            x: std::array::from_fn(|i| V::of(|lane| points[lane][i]) - V::of(|lane| cameras[lane][18 + i])),
            weight: V::of(|lane| self.weights[row[lane]]),
            seen: std::array::from_fn(|i| V::of(|lane| seen[lane][i])),
        }
    }
}

impl Eight<'_> {
    #[inline(always)]
    fn camera<const N: usize>(&self, first: usize) -> [V; N] {
        std::array::from_fn(|i| V::of(|lane| self.cameras[lane][first + i]))
    }

    #[inline(always)]
    fn errors(&self) -> [V; 2] {
        let y = apply(&self.camera(0), self.x);
        let over = V::all(1.0) / y[2];
        let u = [y[0] * over, y[1] * over];
        let square = u[0].fma(u[0], u[1] * u[1]);
        let [f, px, py, k1, k2] = self.camera(21);
        let scale = f * k2.fma(square, k1).fma(square, V::all(1.0));
        [self.weight * (scale.fma(u[0], px) - self.seen[0]), self.weight * (scale.fma(u[1], py) - self.seen[1])]
    }

    #[inline(always)]
    fn block(&self, to: &mut [V; 32]) {
        let rotation: [V; 9] = self.camera(0);
        let jacobian: [V; 9] = self.camera(9);
        let [f, px, py, k1, k2] = self.camera(21);
        let y = apply(&rotation, self.x);
        let over = V::all(1.0) / y[2];
        let u = [y[0] * over, y[1] * over];
        let square = u[0].fma(u[0], u[1] * u[1]);
        let radial = k2.fma(square, k1).fma(square, V::all(1.0));
        let w = self.weight;
        // The derivative of the projected point by u is f (l · 1 + 2 l' u uᵀ), with l' that of the radial factor.
        let slope = V::all(2.0) * (V::all(2.0) * k2).fma(square, k1);
        let wf = w * f;
        let mixed = wf * slope * u[0] * u[1];
        let by_u = [
            [wf * (slope * u[0]).fma(u[0], radial), mixed],
            [mixed, wf * (slope * u[1]).fma(u[1], radial)],
        ];
        let [a, b, c] = self.x;
        for (row, by_u) in by_u.iter().enumerate() {
            // ∂u/∂y = [1, 0, −u₀; 0, 1, −u₁] / y₂
            let by_y = [by_u[0] * over, by_u[1] * over, -(by_u[0].fma(u[0], by_u[1] * u[1])) * over];
            let v: [V; 3] = std::array::from_fn(|i| {
                by_y[0].fma(rotation[i], by_y[1].fma(rotation[3 + i], by_y[2] * rotation[6 + i]))
            });
            let turn = [v[2] * b - v[1] * c, v[0] * c - v[2] * a, v[1] * a - v[0] * b];
            let to = &mut to[15 * row..15 * row + 15];
            for i in 0..3 {
                to[i] = turn[0].fma(jacobian[i], turn[1].fma(jacobian[3 + i], turn[2] * jacobian[6 + i]));
                to[3 + i] = -v[i];
                to[11 + i] = v[i];
            }
            let projected = (f * radial).fma(u[row], if row == 0 { px } else { py });
            to[6] = w * radial * u[row];
            to[7] = if row == 0 { w } else { V::ZERO };
            to[8] = if row == 0 { V::ZERO } else { w };
            to[9] = wf * square * u[row];
            to[10] = to[9] * square;
            to[14] = projected - self.seen[row];
        }
    }
}

#[inline(always)]
fn apply(m: &[V; 9], x: [V; 3]) -> [V; 3] {
    std::array::from_fn(|i| m[3 * i].fma(x[0], m[3 * i + 1].fma(x[1], m[3 * i + 2] * x[2])))
}

/// `1 + s [r] + t [r]²`, where `[r] x = r × x` and `[r]² = r rᵀ − |r|²`.
fn polynomial(r: [f64; 3], square: f64, s: f64, t: f64) -> [f64; 9] {
    let mut matrix: [f64; 9] = std::array::from_fn(|at| {
        let (i, j) = (at / 3, at % 3);
        t * r[i] * r[j] + if i == j { 1.0 - t * square } else { 0.0 }
    });
    for (at, sign, from) in [(1, -s, 2), (2, s, 1), (3, s, 2), (5, -s, 0), (6, -s, 1), (7, s, 0)] {
        matrix[at] += sign * r[from];
    }
    matrix
}
