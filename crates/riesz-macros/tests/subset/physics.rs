//! Programs of mechanics, geometry and statistical physics.

// The forms are written as users write them.
#![allow(clippy::ptr_arg, clippy::collapsible_if, clippy::unnecessary_map_or)]

use crate::compare;
use crate::riesz::differentiable;

// Bodies that attract each other.

#[differentiable(crate = crate::riesz)]
mod bodies {
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Vec3 {
        pub x: f64,
        pub y: f64,
        pub z: f64,
    }

    impl Vec3 {
        pub const ZERO: Vec3 = Vec3 { x: 0.0, y: 0.0, z: 0.0 };
        pub fn new(x: f64, y: f64, z: f64) -> Self {
            Self { x, y, z }
        }
        pub fn add(self, o: Vec3) -> Vec3 {
            Vec3::new(self.x + o.x, self.y + o.y, self.z + o.z)
        }
        pub fn sub(self, o: Vec3) -> Vec3 {
            Vec3::new(self.x - o.x, self.y - o.y, self.z - o.z)
        }
        pub fn scale(self, k: f64) -> Vec3 {
            Vec3 { x: self.x * k, y: self.y * k, z: self.z * k }
        }
        pub fn norm2(&self) -> f64 {
            self.x * self.x + self.y * self.y + self.z * self.z
        }
    }

    #[derive(Clone, Debug)]
    pub struct Body {
        pub mass: f64,
        pub position: Vec3,
        pub velocity: Vec3,
    }

    const G: f64 = 1.5;
    const SOFTENING: f64 = 1e-2;

    fn accelerations(bodies: &[Body]) -> Vec<Vec3> {
        let mut acc = vec![Vec3::ZERO; bodies.len()];
        for i in 0..bodies.len() {
            for j in 0..bodies.len() {
                if i == j {
                    continue;
                }
                let d = bodies[j].position.sub(bodies[i].position);
                let r2 = d.norm2() + SOFTENING;
                acc[i] = acc[i].add(d.scale(G * bodies[j].mass / (r2 * r2.sqrt())));
            }
        }
        acc
    }

    fn step(bodies: &mut Vec<Body>, dt: f64) {
        let acc = accelerations(bodies);
        for (b, a) in bodies.iter_mut().zip(&acc) {
            b.velocity = b.velocity.add(a.scale(dt));
            b.position = b.position.add(b.velocity.scale(dt));
        }
    }

    #[differentiable]
    pub fn final_distance(masses: &[f64; 3], dt: f64) -> f64 {
        let mut bodies = vec![
            Body { mass: masses[0], position: Vec3::ZERO, velocity: Vec3::ZERO },
            Body { mass: masses[1], position: Vec3::new(1.0, 0.0, 0.0), velocity: Vec3::new(0.0, 1.0, 0.0) },
            Body { mass: masses[2], position: Vec3::new(0.0, 2.0, 0.5), velocity: Vec3::new(-0.7, 0.0, 0.1) },
        ];
        for _ in 0..20 {
            step(&mut bodies, dt);
        }
        bodies[2].position.sub(bodies[0].position).norm2().sqrt()
    }
}

#[test]
fn n_body() {
    let f = |x: &[f64]| bodies::final_distance(&[x[0], x[1], x[2]], x[3]);
    let at = [1.0, 0.3, 0.2, 0.05];
    let (by_mass, by_dt) = bodies::final_distance::grad(&[1.0, 0.3, 0.2], 0.05);
    compare(&f, &at, &[by_mass[0], by_mass[1], by_mass[2], by_dt]);
}

// The position of the hand of a robot.

#[differentiable(crate = crate::riesz)]
mod arm {
    type Matrix = [[f64; 4]; 4];

    fn identity() -> Matrix {
        let mut m = [[0.0; 4]; 4];
        for i in 0..4 {
            m[i][i] = 1.0;
        }
        m
    }

    fn multiply(a: &Matrix, b: &Matrix) -> Matrix {
        let mut c = [[0.0; 4]; 4];
        for (i, row) in c.iter_mut().enumerate() {
            for (j, e) in row.iter_mut().enumerate() {
                for k in 0..4 {
                    *e += a[i][k] * b[k][j];
                }
            }
        }
        c
    }

    fn joint(theta: f64, d: f64, a: f64, alpha: f64) -> Matrix {
        let (st, ct) = theta.sin_cos();
        let (sa, ca) = alpha.sin_cos();
        [[ct, -st * ca, st * sa, a * ct], [st, ct * ca, -ct * sa, a * st], [0.0, sa, ca, d], [0.0, 0.0, 0.0, 1.0]]
    }

    #[differentiable(wrt(angles))]
    pub fn position<const N: usize>(angles: &[f64; N], lengths: &[f64; N]) -> [f64; 3] {
        let mut t = identity();
        for i in 0..N {
            let alpha = if i % 2 == 0 { std::f64::consts::FRAC_PI_2 } else { 0.0 };
            t = multiply(&t, &joint(angles[i], 0.1 * i as f64, lengths[i], alpha));
        }
        [t[0][3], t[1][3], t[2][3]]
    }

    #[differentiable(wrt(angles))]
    pub fn cost<const N: usize>(angles: &[f64; N], lengths: &[f64; N], target: &[f64; 3]) -> f64 {
        let p = position(angles, lengths);
        p.iter().zip(target).map(|(a, b)| (a - b).powi(2)).sum::<f64>()
    }
}

#[test]
fn kinematics() {
    let (angles, lengths, target) = ([0.3, -0.8, 1.1, 0.2], [1.0, 0.7, 0.5, 0.3], [0.5, 0.5, 0.5]);
    let g = arm::cost::grad(&angles, &lengths, &target);
    compare(&|a| arm::cost(&[a[0], a[1], a[2], a[3]], &lengths, &target), &angles, &g);
    let j = arm::position::jacobian(&angles, &lengths);
    for row in 0..3 {
        let r: Vec<f64> = (0..4).map(|c| j[row][c]).collect();
        compare(&|a| arm::position(&[a[0], a[1], a[2], a[3]], &lengths)[row], &angles, &r);
    }
}

// An ordinary differential equation with a closure for its right side.

#[differentiable(crate = crate::riesz)]
fn lotka_volterra(p: &[f64; 4], start: (f64, f64), steps: usize) -> f64 {
    let [a, b, c, d] = *p;
    let rhs = |(x, y): (f64, f64)| (a * x - b * x * y, -c * y + d * x * y);
    let axpy = |s: (f64, f64), k: (f64, f64), h: f64| (s.0 + h * k.0, s.1 + h * k.1);
    let h = 0.1;
    let mut s = start;
    let mut peak = f64::MIN;
    for _ in 0..steps {
        let k1 = rhs(s);
        let k2 = rhs(axpy(s, k1, h / 2.0));
        let k3 = rhs(axpy(s, k2, h / 2.0));
        let k4 = rhs(axpy(s, k3, h));
        s.0 += h / 6.0 * (k1.0 + 2.0 * k2.0 + 2.0 * k3.0 + k4.0);
        s.1 += h / 6.0 * (k1.1 + 2.0 * k2.1 + 2.0 * k3.1 + k4.1);
        peak = peak.max(s.0);
    }
    peak + s.1
}

#[test]
fn an_ode() {
    let x = [1.1, 0.4, 0.4, 0.1, 2.0, 1.0];
    let (p, s) = lotka_volterra::grad(&[1.1, 0.4, 0.4, 0.1], (2.0, 1.0), 30);
    compare(&|x| lotka_volterra(&[x[0], x[1], x[2], x[3]], (x[4], x[5]), 30), &x, &[p[0], p[1], p[2], p[3], s.0, s.1]);
}

// Springs that are moved in place.

#[differentiable(crate = crate::riesz, wrt(positions, velocities, stiffness))]
fn springs(positions: &mut [f64], velocities: &mut [f64], stiffness: f64, dt: f64, steps: usize) {
    let n = positions.len();
    for _ in 0..steps {
        for i in 0..n {
            let left = if i == 0 { 0.0 } else { positions[i - 1] };
            let right = if i + 1 == n { 0.0 } else { positions[i + 1] };
            velocities[i] += dt * stiffness * (left - 2.0 * positions[i] + right);
        }
        for (x, v) in positions.iter_mut().zip(velocities.iter()) {
            *x += dt * v;
        }
    }
}

#[test]
fn in_place() {
    let run = |x: &[f64]| {
        let (mut p, mut v) = (x[..3].to_vec(), x[3..6].to_vec());
        springs(&mut p, &mut v, x[6], 0.1, 5);
        [p, v].concat()
    };
    let x = [0.1, 0.4, -0.2, 0.0, 0.3, 0.5, 2.0];
    let t = [1.0, -0.5, 0.3, 0.2, 0.7, -0.1, 0.4];
    let (mut p, mut v, mut dp, mut dv) = (x[..3].to_vec(), x[3..6].to_vec(), t[..3].to_vec(), t[3..6].to_vec());
    springs::jvp(&mut p, &mut dp, &mut v, &mut dv, x[6], t[6], 0.1, 5);
    let h = 1e-6;
    let moved = |by: f64| run(&x.iter().zip(&t).map(|(x, t)| x + by * t).collect::<Vec<_>>());
    for (i, d) in dp.iter().chain(&dv).enumerate() {
        let difference = (moved(h)[i] - moved(-h)[i]) / (2.0 * h);
        assert!((d - difference).abs() < 1e-7, "{i}: {d} {difference}");
    }
    assert_eq!([p, v].concat(), run(&x));
}

// A sum over all states of spins.

#[differentiable(crate = crate::riesz)]
fn free_energy(couplings: &[f64], field: f64) -> f64 {
    let n = couplings.len() + 1;
    let mut total = 0.0;
    for state in 0u32..(1 << n) {
        let spin = |i: usize| if (state >> i) & 1 == 1 { 1.0 } else { -1.0 };
        let mut e = 0.0;
        for i in 0..n {
            e -= field * spin(i);
            if i + 1 < n {
                e -= couplings[i] * spin(i) * spin(i + 1);
            }
        }
        total += (-e).exp();
    }
    -total.ln()
}

#[test]
fn ising() {
    let x = [0.5, -0.3, 0.8, 0.1];
    let g = free_energy::grad(&x[..3], x[3]);
    compare(&|x| free_energy(&x[..3], x[3]), &x, &[g.0[0], g.0[1], g.0[2], g.1]);
}

// Rays that hit spheres, or nothing.

#[differentiable(crate = crate::riesz)]
mod ray {
    pub struct Sphere {
        pub center: [f64; 3],
        pub radius: f64,
    }

    fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }

    fn hit(s: &Sphere, origin: &[f64; 3], direction: &[f64; 3]) -> Option<f64> {
        let oc = [origin[0] - s.center[0], origin[1] - s.center[1], origin[2] - s.center[2]];
        let (b, c) = (dot(&oc, direction), dot(&oc, &oc) - s.radius * s.radius);
        let disc = b * b - c;
        if disc < 0.0 {
            return None;
        }
        let t = -b - disc.sqrt();
        if t > 1e-9 { Some(t) } else { None }
    }

    #[differentiable(wrt(spheres))]
    pub fn shade(spheres: &[Sphere], origin: [f64; 3], direction: [f64; 3]) -> f64 {
        let mut nearest: Option<(usize, f64)> = None;
        for (i, s) in spheres.iter().enumerate() {
            if let Some(t) = hit(s, &origin, &direction) {
                if nearest.map_or(true, |(_, best)| t < best) {
                    nearest = Some((i, t));
                }
            }
        }
        let Some((i, t)) = nearest else {
            return 0.1 * direction[2];
        };
        let mut normal = [0.0; 3];
        for k in 0..3 {
            normal[k] = (origin[k] + t * direction[k] - spheres[i].center[k]) / spheres[i].radius;
        }
        dot(&normal, &[0.0, 0.6, 0.8]).max(0.0) * (-0.1 * t).exp()
    }
}

#[test]
fn rays() {
    let make = |x: &[f64]| -> Vec<ray::Sphere> {
        x.chunks(4).map(|c| ray::Sphere { center: [c[0], c[1], c[2]], radius: c[3] }).collect()
    };
    let x = [0.0, 0.1, -3.0, 1.0, 0.2, 0.3, -2.0, 0.5, 4.0, 4.0, -5.0, 1.0];
    let (o, d) = ([0.0, 0.5, 0.0], [0.0, 0.0, -1.0]);
    let g = ray::shade::grad(&make(&x), o, d);
    let flat: Vec<f64> = g.iter().flat_map(|s| s.center.into_iter().chain([s.radius])).collect();
    compare(&|x| ray::shade(&make(x), o, d), &x, &flat);
}

// Quaternions with an operator.

#[differentiable(crate = crate::riesz)]
mod quaternion {
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Quaternion(pub f64, pub [f64; 3]);

    impl std::ops::Mul for Quaternion {
        type Output = Quaternion;
        fn mul(self, o: Quaternion) -> Quaternion {
            let (a, u) = (self.0, self.1);
            let (b, v) = (o.0, o.1);
            Quaternion(
                a * b - u[0] * v[0] - u[1] * v[1] - u[2] * v[2],
                [
                    a * v[0] + b * u[0] + u[1] * v[2] - u[2] * v[1],
                    a * v[1] + b * u[1] + u[2] * v[0] - u[0] * v[2],
                    a * v[2] + b * u[2] + u[0] * v[1] - u[1] * v[0],
                ],
            )
        }
    }

    #[differentiable]
    pub fn angle(q: Quaternion, r: Quaternion) -> f64 {
        let p = q * r;
        let n: f64 = p.1.iter().map(|x| x * x).sum::<f64>().sqrt();
        2.0 * n.atan2(p.0)
    }
}

#[test]
fn quaternions() {
    use quaternion::{Quaternion, angle};
    let make = |x: &[f64]| Quaternion(x[0], [x[1], x[2], x[3]]);
    let x = [0.9, 0.1, 0.3, -0.2, 0.8, -0.4, 0.2, 0.3];
    let (q, r) = angle::grad(make(&x), make(&x[4..]));
    let flat = [q.0, q.1[0], q.1[1], q.1[2], r.0, r.1[0], r.1[1], r.1[2]];
    compare(&|x| angle(make(x), make(&x[4..])), &x, &flat);
}
