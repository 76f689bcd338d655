//! Bundle adjustment (ADBench): the errors of points projected by cameras, and their derivatives as blocks.
//!
//! What depends on a camera alone, its rotation and the derivatives of that, is computed once for each camera. Eight
//! observations at a time: `y = R (x − C)`, `u = y / y₂`, `e = w (f · (1 + k₁ r² + k₂ r⁴) u + p − seen)`.
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
    let cameras = scene.rotations(false);
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
    let cameras = scene.rotations(true);
    let (blocks, slopes) = to.split_at_mut(BLOCK * p);
    let mut entries = [V::ZERO; 32];
    for (group, blocks) in blocks.chunks_mut(BLOCK * LANES).enumerate() {
        let eight = scene.eight(group * LANES, &cameras);
        eight.block(&cameras, &mut entries);
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

/// The rotation of a camera, and its derivatives by the three numbers that it is given by.
struct Rotation {
    matrix: [f64; 9],
    slopes: [[f64; 9]; 3],
}

/// Eight observations.
struct Eight {
    at: [usize; LANES],
    /// Focal length, principal point and distortion.
    rest: [V; 5],
    rotation: [V; 9],
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

    /// Rodrigues' formula, `R = cos θ · 1 + sin θ [a] + (1 − cos θ) a aᵀ` with `a = r / θ`, and its derivatives.
    fn rotations(&self, with_slopes: bool) -> Vec<Rotation> {
        let rotation = |camera: &[f64]| {
            let r = [camera[0], camera[1], camera[2]];
            let square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
            let mut slopes = [[0.0; 9]; 3];
            if square == 0.0 {
                let mut matrix = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
                add_cross(&mut matrix, r, 1.0);
                for (m, slope) in slopes.iter_mut().enumerate() {
                    add_cross(slope, std::array::from_fn(|i| if i == m { 1.0 } else { 0.0 }), 1.0);
                }
                return Rotation { matrix, slopes };
            }
            let angle = square.sqrt();
            let (s, c) = angle.sin_cos();
            let a = r.map(|x| x / angle);
            let matrix = formula(a, c, s, 1.0 - c);
            if with_slopes {
                for (m, slope) in slopes.iter_mut().enumerate() {
                    // ∂θ/∂rₘ = aₘ and ∂a/∂rₘ = (eₘ − aₘ a) / θ
                    let da: [f64; 3] = std::array::from_fn(|i| (f64::from(i == m) - a[m] * a[i]) / angle);
                    *slope = formula(a, -s * a[m], c * a[m], s * a[m]);
                    add_cross(slope, da, s);
                    for i in 0..3 {
                        for j in 0..3 {
                            slope[3 * i + j] += (1.0 - c) * (da[i] * a[j] + a[i] * da[j]);
                        }
                    }
                }
            }
            Rotation { matrix, slopes }
        };
        self.cameras.chunks_exact(11).map(rotation).collect()
    }

    #[inline(always)]
    fn eight(&self, start: usize, rotations: &[Rotation]) -> Eight {
        let last = self.weights.len() - 1;
        let row: [usize; LANES] = std::array::from_fn(|lane| (start + lane).min(last));
        let at = row.map(|row| self.camera_of[row] as usize);
        let point = row.map(|row| self.point_of[row] as usize);
        let camera = |entry: usize| V::of(|lane| self.cameras[11 * at[lane] + entry]);
        Eight {
            at,
            rest: std::array::from_fn(|i| camera(6 + i)),
            rotation: std::array::from_fn(|i| V::of(|lane| rotations[at[lane]].matrix[i])),
            x: std::array::from_fn(|i| V::of(|lane| self.points[3 * point[lane] + i]) - camera(3 + i)),
            weight: V::of(|lane| self.weights[row[lane]]),
            seen: std::array::from_fn(|i| V::of(|lane| self.features[2 * row[lane] + i])),
        }
    }
}

impl Eight {
    #[inline(always)]
    fn seen_from_camera(&self) -> [V; 3] {
        apply(&self.rotation, self.x)
    }

    #[inline(always)]
    fn errors(&self) -> [V; 2] {
        let y = self.seen_from_camera();
        let over = V::all(1.0) / y[2];
        let u = [y[0] * over, y[1] * over];
        let square = u[0].fma(u[0], u[1] * u[1]);
        let [f, px, py, k1, k2] = self.rest;
        let scale = f * k2.fma(square, k1).fma(square, V::all(1.0));
        [
            self.weight * (scale.fma(u[0], px) - self.seen[0]),
            self.weight * (scale.fma(u[1], py) - self.seen[1]),
        ]
    }

    #[inline(always)]
    fn block(&self, rotations: &[Rotation], to: &mut [V; 32]) {
        let y = self.seen_from_camera();
        let over = V::all(1.0) / y[2];
        let u = [y[0] * over, y[1] * over];
        let square = u[0].fma(u[0], u[1] * u[1]);
        let [f, px, py, k1, k2] = self.rest;
        let radial = k2.fma(square, k1).fma(square, V::all(1.0));
        let w = self.weight;
        // The derivative of the projected point by u is f (l · 1 + 2 l' u uᵀ), with l' that of the radial factor.
        let slope = V::all(2.0) * (V::all(2.0) * k2).fma(square, k1);
        let wf = w * f;
        let by_u = [
            [wf * (slope * u[0]).fma(u[0], radial), wf * slope * u[0] * u[1]],
            [wf * slope * u[0] * u[1], wf * (slope * u[1]).fma(u[1], radial)],
        ];
        for (row, by_u) in by_u.iter().enumerate() {
            // ∂u/∂y = [1, 0, −u₀; 0, 1, −u₁] / y₂
            let by_y =
                [by_u[0] * over, by_u[1] * over, -(by_u[0].fma(u[0], by_u[1] * u[1])) * over];
            let to = &mut to[15 * row..15 * row + 15];
            for m in 0..3 {
                let turned = apply(&std::array::from_fn(|i| V::of(|lane| rotations[self.at[lane]].slopes[m][i])), self.x);
                to[m] = by_y[0].fma(turned[0], by_y[1].fma(turned[1], by_y[2] * turned[2]));
            }
            for i in 0..3 {
                let by_x = by_y[0]
                    .fma(self.rotation[i], by_y[1].fma(self.rotation[3 + i], by_y[2] * self.rotation[6 + i]));
                to[3 + i] = -by_x;
                to[11 + i] = by_x;
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

fn formula(a: [f64; 3], identity: f64, cross: f64, outer: f64) -> [f64; 9] {
    let mut matrix = [0.0; 9];
    for i in 0..3 {
        for j in 0..3 {
            matrix[3 * i + j] = outer * a[i] * a[j] + if i == j { identity } else { 0.0 };
        }
    }
    add_cross(&mut matrix, a, cross);
    matrix
}

/// Adds `s [a]`, where `[a] x = a × x`.
fn add_cross(matrix: &mut [f64; 9], a: [f64; 3], s: f64) {
    matrix[1] -= s * a[2];
    matrix[2] += s * a[1];
    matrix[3] += s * a[2];
    matrix[5] -= s * a[0];
    matrix[6] -= s * a[1];
    matrix[7] += s * a[0];
}
