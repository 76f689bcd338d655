"""The programs of the folder `untuned` of further kinds in JAX, as its users write them: models of statistics, geometry,
images, physics and sequences."""

from jax_rows import grid, gradient, row, vector

import workloads
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy.linalg import cho_factor, cho_solve
from jax.scipy.special import erf, erfc, logsumexp

sin, cos, exp = np.sin, np.cos, np.exp


def mixture_density(p, xs, ys):
    w1, b1, w2, b2 = p
    hidden = jnp.tanh(xs[:, None] * w1 + b1)
    logits, means, scales = jnp.einsum("ckh,nh->cnk", w2, hidden) + b2[:, None]
    logs = logits - 0.5 * ((ys[:, None] - means) * jnp.exp(-scales)) ** 2 - scales
    return -jnp.mean(logsumexp(logs, axis=1) - logsumexp(logits, axis=1))


def matern(p, x, y):
    lengths, scale, noise = p
    z = x * jnp.exp(-lengths)
    r = jnp.sqrt(5 * ((z[:, None] - z[None]) ** 2).sum(-1) + 1e-12)
    k = jnp.exp(scale) * (1 + r + r**2 / 3) * jnp.exp(-r) + jnp.exp(noise) * jnp.eye(len(x))
    factor = cho_factor(k, lower=True)
    return 0.5 * y @ cho_solve(factor, y) + jnp.log(jnp.diag(factor[0])).sum()


def exponential(a):
    small, term, series = a / 16, jnp.eye(4), jnp.eye(4)
    for k in range(8):
        term = term @ small / (k + 1)
        series = series + term
    for _ in range(4):
        series = series @ series
    return series


def exponentials(a, target):
    found = jax.vmap(exponential)(a).sum(-1)
    return jnp.sum((found - target) ** 2) / len(a)


def turn(q, p):
    return jnp.stack(
        [
            q[0] * p[0] - q[1] * p[1] - q[2] * p[2] - q[3] * p[3],
            q[0] * p[1] + q[1] * p[0] + q[2] * p[3] - q[3] * p[2],
            q[0] * p[2] - q[1] * p[3] + q[2] * p[0] + q[3] * p[1],
            q[0] * p[3] + q[1] * p[2] - q[2] * p[1] + q[3] * p[0],
        ]
    )


def tip(angles):
    def step(state, a):
        q, place = state
        length = jnp.sqrt(jnp.sum(a**2) + 1e-12)
        s = jnp.sin(0.5 * length) / length
        q = turn(q, jnp.concatenate([jnp.cos(0.5 * length)[None], s * a]))
        v = jnp.array([0.0, 0.0, 0.3])
        t = 2 * jnp.cross(q[1:], v)
        return (q, place + v + q[0] * t + jnp.cross(q[1:], t)), None

    return lax.scan(step, (jnp.array([1.0, 0, 0, 0]), jnp.zeros(3)), angles)[0][1]


def rigid(angles, targets):
    return jnp.sum((jax.vmap(tip)(angles) - targets) ** 2) / len(angles)


def antithetic(p, noise):
    speed, level, volatility, power, start, strike = p
    steps = noise.shape[1]
    dt = 1 / steps

    def path(shocks):
        def step(state, z):
            x, mean = state
            y = jnp.abs(x) + 1e-6
            x = x + speed * (level - x) * dt + volatility * y**power * jnp.sqrt(dt) * z
            return (x, mean + x * dt), None

        zero = jnp.zeros(noise.shape[0])
        last, mean = lax.scan(step, (zero + start, zero), shocks)[0]
        return jnp.maximum(0.5 * (last + mean) - strike, 0)

    return jnp.mean(0.5 * (path(noise.T) + path(-noise.T)))


def crf(p, words, labels):
    w, move = p
    scores = words @ w.T

    def step(alpha, row):
        return logsumexp(alpha[:, None] + move, axis=0) + row, None

    last = lax.scan(step, scores[0], scores[1:])[0]
    gold = scores[jnp.arange(len(words)), labels].sum() + move[labels[:-1], labels[1:]].sum()
    return logsumexp(last) - gold


def mesh(p, src, to, goal):
    x, w = p

    def step(y, _):
        pulls = w[:, None] * (y[src] - y[to])
        return y + 0.1 * (jnp.zeros_like(y).at[to].add(pulls) - jnp.zeros_like(y).at[src].add(pulls)), None

    y = lax.scan(step, x, None, length=10)[0]
    return jnp.sum((y - goal) ** 2) + 0.01 * jnp.sqrt(((y[src] - y[to]) ** 2).sum(1) + 1e-6).sum()


def total_variation(u, f):
    down = jnp.pad(u[1:] - u[:-1], ((0, 1), (0, 0)))
    right = jnp.pad(u[:, 1:] - u[:, :-1], ((0, 0), (0, 1)))
    off = jnp.abs(u - f)
    return jnp.sum(0.2 * jnp.sqrt(down**2 + right**2 + 1e-6) + jnp.where(off < 0.5, 0.5 * off**2, 0.5 * off - 0.125))


def similarity(x, y, g):
    def blur(u):
        rows = sum(g[a] * u[:, a : u.shape[1] - 6 + a] for a in range(7))
        return sum(g[a] * rows[a : u.shape[0] - 6 + a] for a in range(7))

    a, b, xx, yy, xy = blur(x), blur(y), blur(x * x), blur(y * y), blur(x * y)
    top = (2 * a * b + 0.01) * (2 * (xy - a * b) + 0.03)
    return jnp.mean(top / ((a**2 + b**2 + 0.01) * (xx - a**2 + yy - b**2 + 0.03)))


def cox(w, x, event):
    risk = x @ w
    return jnp.sum(event * (risk - jnp.log(jnp.cumsum(jnp.exp(risk))))) / len(x)


def choice(w, x, open, chosen):
    u = jnp.where(open, x @ w, -1e30)
    return jnp.mean(u[jnp.arange(len(x)), chosen] - logsumexp(u, axis=1))


def implicit(k, u0, goal):
    between = 0.5 * (k[1:] + k[:-1])
    left, right = jnp.pad(between, (1, 0)), jnp.pad(between, (0, 1))

    def step(u, _):
        return lax.linalg.tridiagonal_solve(-left, 1 + left + right, -right, u[:, None])[:, 0], None

    return jnp.sum((lax.scan(step, u0, None, length=20)[0] - goal) ** 2)


def perceptron(p, xs, ys):
    up, b, down, c, scale, shift = p
    off = xs - xs.mean(1, keepdims=True)
    normed = off / jnp.sqrt((off**2).mean(1, keepdims=True) + 1e-5) * scale + shift
    z = xs + jax.nn.gelu(normed @ up.T + b, approximate=False) @ down.T + c
    return jnp.sum((z - ys) ** 2) / len(xs)


def attention(p, xs, ys):
    q, c, v, o = p
    queries, keys, values = (jnp.einsum("btd,hdk->bhtk", xs, m) for m in (q, c, v))
    weights = jax.nn.softmax(queries @ keys.transpose(0, 1, 3, 2) / jnp.sqrt(8.0), axis=-1)
    return jnp.sum((jnp.einsum("bhtk,hkd->btd", weights @ values, o) - ys) ** 2) / len(xs)


def contrastive(p, scale):
    a, b = p
    u, v = a / jnp.linalg.norm(a, axis=1, keepdims=True), b / jnp.linalg.norm(b, axis=1, keepdims=True)
    s = jnp.exp(scale) * u @ v.T
    return jnp.sum(logsumexp(s, axis=1) + logsumexp(s, axis=0) - 2 * jnp.diag(s)) / (2 * len(a))


def cutoff(x, q):
    off = x[:, None] - x[None]
    s = ((off - 10 * jnp.round(off / 10)) ** 2).sum(-1)
    near = (s < 9) & jnp.tril(jnp.ones(s.shape, bool), -1)
    s = jnp.where(near, s, 1.0)
    r = jnp.sqrt(s)
    return jnp.sum(jnp.where(near, q[:, None] * q[None] * erfc(0.8 * r) / r + 0.01 * (1 - s / 9) ** 2, 0.0))


BLOCK = jnp.array([[12.0, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]])


def beam(height, load):
    size = 2 * len(height) + 2
    at = 2 * np.arange(len(height))[:, None] + np.arange(4)
    k = jnp.zeros((size, size)).at[at[:, :, None], at[:, None, :]].add(height[:, None, None] ** 3 * BLOCK)
    k = k + jnp.diag(jnp.where(np.arange(size) < 2, 1e4, 0.01))
    f = jnp.where(np.arange(size) % 2 == 0, load * (1 + sin(np.arange(size))), 0.0)
    return f @ jnp.linalg.solve(k, f)


COSINES = jnp.asarray(
    np.where(np.arange(8) == 0, np.sqrt(0.125), 0.5)[:, None]
    * cos(np.pi * np.arange(8)[:, None] * (2 * np.arange(8) + 1) / 16)
)


def distortion(p, scale):
    table, image = p
    blocks = image.reshape(12, 8, 12, 8).transpose(0, 2, 1, 3)
    spectrum = COSINES @ blocks @ COSINES.T
    x = spectrum / table
    kept = (x - jnp.sin(2 * jnp.pi * x) / (2 * jnp.pi)) * table
    return jnp.sum((COSINES.T @ kept @ COSINES - blocks) ** 2 + scale * jnp.abs(kept))


def neighbours(p, labels, queries, classes):
    m, points = p
    places, z = points @ m.T, queries @ m.T
    weights = jax.nn.softmax(-((z[:, None] - places[None]) ** 2).sum(-1), axis=1)
    same = labels[None] == classes[:, None]
    return -jnp.mean(jnp.log(jnp.where(same, weights, 0.0).sum(1) + 1e-6))


def counts(p, xs, ys):
    w, slope = p
    u = jnp.abs(9 * xs[:, None] - (np.arange(12) - 1))
    basis = jnp.where(u < 1, (4 - 6 * u**2 + 3 * u**3) / 6, jnp.where(u < 2, (2 - u) ** 3 / 6, 0.0))
    eta = basis @ w + slope * xs
    return jnp.mean(jnp.exp(eta) - ys * eta) + 0.1 * jnp.sum((w[2:] - 2 * w[1:-1] + w[:-2]) ** 2)


DYNAMICS = jnp.array([[1.0, 0.1, 0.005], [0, 1, 0.1], [0, 0, 0.95]])


def smoother(p, scale):
    q, r, ys = p
    noise = jnp.diag(jnp.exp(q))

    def forward(state, y):
        m, p = state
        m1, p1 = DYNAMICS @ m, DYNAMICS @ p @ DYNAMICS.T + noise
        gain = p1[:, 0] / (p1[0, 0] + jnp.exp(r))
        m, p = m1 + gain * (y - m1[0]), p1 - jnp.outer(gain, p1[0])
        return (m, p), (m, p, m1, p1)

    _, (m, p, m1, p1) = lax.scan(forward, (jnp.zeros(3), jnp.eye(3)), ys)

    def backward(x, row):
        m, p, m1, p1, y = row
        x = m + jnp.linalg.solve(p1, DYNAMICS @ p).T @ (x - m1)
        return x, (x[0] - y) ** 2

    rows = (m[:-1], p[:-1], m1[1:], p1[1:], ys[:-1])
    return scale * (lax.scan(backward, m[-1], rows, reverse=True)[1].sum() + (m[-1, 0] - ys[-1]) ** 2)


def correlation(filters, signal, goal):
    found = lax.conv_general_dilated(signal[None, None], filters[:, None], (1,), "VALID")[0]
    return jnp.sum((jax.nn.softplus(found).mean(1) - goal) ** 2)


def lstm_batch(p, xs, ys):
    wx, wh, b = p
    inputs = jnp.einsum("ntd,ghd->tngh", xs, wx) + b
    zeros = jnp.zeros((len(xs), b.shape[1]))

    def step(state, row):
        y, c = state
        z = row + jnp.einsum("nh,gkh->ngk", y, wh)
        c = jax.nn.sigmoid(z[:, 0]) * c + jax.nn.sigmoid(z[:, 1]) * jnp.tanh(z[:, 2])
        return (jax.nn.sigmoid(z[:, 3]) * jnp.tanh(c), c), None

    y = lax.scan(step, (zeros, zeros), inputs)[0][0]
    return jnp.mean((y.mean(1) - ys) ** 2)


def transducer(p, scale):
    """Cells of a diagonal do not depend on each other."""
    blank, emit = p
    t, u = blank.shape
    i = np.arange(t + u - 1)[:, None] - np.arange(u)
    inside, at, j = (i >= 0) & (i < t), np.clip(i, 0, t - 1), np.arange(u)
    stay = jnp.where((i > 0) & inside, blank[np.clip(i - 1, 0, t - 1), j], -1e30)
    move = jnp.where((j > 0) & inside, emit[at, np.clip(j - 1, 0, u - 1)], -1e30)

    def step(alpha, row):
        left = jnp.concatenate([jnp.full(1, -1e30), alpha[:-1]])
        return jnp.logaddexp(alpha + row[0], left + row[1]), None

    last = lax.scan(step, jnp.where(j == 0, 0.0, -1e30), (stay[1:], move[1:]))[0]
    return -scale * (last[-1] + blank[-1, -1])


def captured(x, start):
    def round(q, _):
        a = x.T @ (x @ q.T)
        rows = []
        for i in range(q.shape[0]):
            v = a[:, i]
            for r in rows:
                v = v - (r @ v) * r
            rows.append(v / jnp.linalg.norm(v))
        return jnp.stack(rows), None

    q = lax.scan(round, start, None, length=6)[0]
    return jnp.sum((x @ q.T) ** 4) / len(x)


def probit(p, x, label):
    w, cuts = p
    eta = x @ w
    normal = lambda z: 0.5 * erfc(-z / jnp.sqrt(2.0))
    upper = jnp.where(label < 4, normal(cuts[jnp.minimum(label, 3)] - eta), 1.0)
    lower = jnp.where(label > 0, normal(cuts[jnp.maximum(label - 1, 0)] - eta), 0.0)
    return -jnp.mean(jnp.log(upper - lower + 1e-12))


def concentrations(rates, doses):
    def move(_, state):
        g, b, t = state
        absorbed, moved = rates[0] * g, rates[3] * b - rates[4] * t
        out = rates[1] * b + rates[2] * b / (1 + b)
        return g - 0.05 * absorbed, b + 0.05 * (absorbed - out - moved), t + 0.05 * moved

    def day(state, dose):
        g, b, t = state
        state = lax.fori_loop(0, 8, move, (g + dose, b, t))
        return state, state[1]

    return lax.scan(day, (jnp.asarray(0.0),) * 3, doses)[1]


def gamma(w, x, y):
    eta = x @ w
    return jnp.mean(y * jnp.exp(-eta) + eta)


def hessian(value):
    return jax.hessian(value)


def first(value, rest):
    """A function of the first part of its point."""
    return lambda w, *data: value((w, rest), *data)


def integers(f, n):
    return jnp.asarray([f(i) for i in range(n)])


edges = np.arange(2400)
POINTS = {
    "choice": (
        vector(lambda i: 0.3 * cos(3 * i), 6),
        grid(lambda i, j, a: sin(31 * i + 17 * j + 5 * a), 600, 8, 6),
        jnp.asarray([[j < 3 + i % 6 for j in range(8)] for i in range(600)]),
        integers(lambda i: i % 3, 600),
    ),
    "counts": (
        (vector(lambda i: 0.5 * sin(i), 12), jnp.asarray(0.2)),
        vector(lambda i: 0.5 + 0.4999 * sin(17 * i), 800),
        integers(lambda i: float(i * i % 5), 800),
    ),
    "probit": (
        (vector(lambda i: 0.3 * sin(2 * i), 8), jnp.asarray([-1.2, -0.3, 0.4, 1.3])),
        grid(lambda i, j: sin(31 * i + 7 * j), 1000, 8),
        integers(lambda i: (i * i + i) % 5, 1000),
    ),
    "cox": (
        vector(lambda i: 0.2 * sin(2 * i), 12),
        grid(lambda i, j: 0.5 * sin(31 * i + 7 * j), 1000, 12),
        integers(lambda i: 0.0 if i % 3 == 0 else 1.0, 1000),
    ),
}



def hessian_row(value, name):
    (w, rest), *data = POINTS[name]
    only = first(value, rest)
    return row(only, hessian(only), w, *data)


workloads.run(
    {
        "mixture density network": row(
            mixture_density,
            gradient(mixture_density),
            (
                vector(lambda i: 2 * sin(3 * i), 32),
                vector(lambda i: cos(5 * i), 32),
                grid(lambda c, i, j: 0.3 * sin(7 * c + 3 * i + 5 * j), 3, 5, 32),
                grid(lambda c, i: 0.1 * cos(c + 2 * i), 3, 5),
            ),
            vector(lambda i: 2 * sin(17 * i), 256),
            vector(lambda i: cos(5 * i) + 0.5 * sin(31 * i), 256),
        ),
        "Matérn process": row(
            matern,
            gradient(matern),
            (vector(lambda i: 0.1 * i, 6), jnp.asarray(0.1), jnp.asarray(-2.0)),
            grid(lambda i, j: 2 * sin(31 * i + 7 * j), 128, 6),
            vector(lambda i: cos(3 * i), 128),
        ),
        "matrix exponentials": row(
            exponentials,
            gradient(exponentials),
            grid(lambda b, i, j: 0.8 * sin(7 * b + 3 * i + 5 * j), 64, 4, 4),
            grid(lambda b, i: cos(3 * b + i), 64, 4),
        ),
        "chain of rigid bodies": row(
            rigid,
            gradient(rigid),
            grid(lambda b, i, j: 0.4 * sin(11 * b + 3 * i + 7 * j), 32, 24, 3),
            grid(lambda b, j: 2 * cos(5 * b + j), 32, 3),
        ),
        "antithetic paths": row(
            antithetic,
            gradient(antithetic),
            tuple(jnp.asarray(x) for x in (1.5, 1.1, 0.4, 0.7, 1.0, 1.0)),
            grid(lambda i, k: 1.4 * sin(37 * i + 101 * k), 1000, 100),
        ),
        "conditional random field": row(
            crf,
            gradient(crf),
            (
                grid(lambda i, j: 0.3 * sin(3 * i + 7 * j), 20, 32),
                grid(lambda i, j: 0.5 * cos(5 * i + 11 * j), 20, 20),
            ),
            grid(lambda i, j: sin(13 * i + 3 * j), 60, 32),
            integers(lambda i: (i * i + 3 * i) % 20, 60),
        ),
        "smoothing of a mesh": row(
            mesh,
            gradient(mesh),
            (grid(lambda i, j: sin(29 * i + 3 * j), 800, 3), vector(lambda i: 0.6 + 0.4 * sin(i), 2400)),
            jnp.asarray((edges * 7919 + 13) % 800),
            jnp.asarray((edges * 104729 + edges // 3) % 800),
            grid(lambda i, j: cos(0.1 * i + j), 800, 3),
        ),
        "total variation": row(
            total_variation,
            gradient(total_variation),
            grid(lambda i, j: sin(0.3 * i) * cos(0.2 * j), 96, 96),
            grid(lambda i, j: sin(0.3 * i) * cos(0.2 * j) + 0.8 * sin(37 * i + 11 * j), 96, 96),
        ),
        "structural similarity": row(
            similarity,
            gradient(similarity),
            grid(lambda i, j: 0.5 + 0.5 * sin(0.3 * i) * cos(0.2 * j), 64, 64),
            grid(lambda i, j: 0.5 + 0.5 * sin(0.3 * i + 0.1) * cos(0.2 * j) + 0.05 * sin(31 * i + 7 * j), 64, 64),
            vector(lambda i: exp(-0.5 * (i - 3) ** 2 / 2.25) / 3.7, 7),
        ),
        "partial likelihood": row(cox, gradient(cox), *POINTS["cox"]),
        "partial likelihood, Hessian": row(cox, hessian(cox), *POINTS["cox"]),
        "choices": row(choice, gradient(choice), *POINTS["choice"]),
        "choices, Hessian": row(choice, hessian(choice), *POINTS["choice"]),
        "implicit diffusion": row(
            implicit,
            gradient(implicit),
            vector(lambda i: 1.5 + sin(0.1 * i), 200),
            integers(lambda i: 1.0 if 80 < i < 120 else 0.0, 200),
            vector(lambda i: exp(-(((i - 95) / 40) ** 2)), 200),
        ),
        "residual perceptron": row(
            perceptron,
            gradient(perceptron),
            (
                grid(lambda i, j: 0.2 * sin(3 * i + 5 * j), 96, 48),
                vector(lambda i: 0.1 * cos(i), 96),
                grid(lambda i, j: 0.2 * cos(7 * i + 3 * j), 48, 96),
                vector(lambda i: 0.1 * sin(2 * i), 48),
                vector(lambda i: 1 + 0.1 * sin(i), 48),
                vector(lambda i: 0.1 * cos(3 * i), 48),
            ),
            grid(lambda i, j: sin(29 * i + 3 * j), 128, 48),
            grid(lambda i, j: cos(7 * i + 5 * j), 128, 48),
        ),
        "batched attention": row(
            attention,
            gradient(attention),
            (
                grid(lambda a, i, j: 0.3 * sin(3 * a + 5 * i + 7 * j), 4, 32, 8),
                grid(lambda a, i, j: 0.3 * cos(5 * a + 3 * i + 2 * j), 4, 32, 8),
                grid(lambda a, i, j: 0.3 * sin(7 * a + 2 * i + 11 * j), 4, 32, 8),
                grid(lambda a, i, j: 0.3 * cos(2 * a + 13 * i + 3 * j), 4, 8, 32),
            ),
            grid(lambda b, i, j: sin(17 * b + 29 * i + 3 * j), 8, 32, 32),
            grid(lambda b, i, j: cos(11 * b + 7 * i + 5 * j), 8, 32, 32),
        ),
        "contrastive loss": row(
            contrastive,
            gradient(contrastive),
            (
                grid(lambda i, j: sin(31 * i + 7 * j), 128, 32),
                grid(lambda i, j: sin(31 * i + 7 * j) + 0.5 * cos(13 * i + 3 * j), 128, 32),
            ),
            1.5,
        ),
        "charges with a cutoff": row(
            cutoff,
            gradient(cutoff),
            grid(lambda i, j: 5 * sin(31 * i + 7 * j) + 0.01 * i, 200, 3),
            integers(lambda i: 1.0 if i % 2 == 0 else -1.0, 200),
        ),
        "beam": row(beam, gradient(beam), vector(lambda i: 1 + 0.2 * sin(i), 24), 1.0),
        "cosine transforms": row(
            distortion,
            gradient(distortion),
            (
                grid(lambda i, j: 0.3 + 0.1 * i + 0.07 * j, 8, 8),
                grid(lambda i, j: 2 * sin(0.2 * i) * cos(0.15 * j) + 0.3 * sin(31 * i + 7 * j), 96, 96),
            ),
            0.01,
        ),
        "soft neighbours": row(
            neighbours,
            gradient(neighbours),
            (grid(lambda i, j: 0.3 * sin(3 * i + 5 * j), 6, 8), grid(lambda i, j: sin(17 * i + 3 * j), 100, 8)),
            integers(lambda i: i % 4, 100),
            grid(lambda i, j: cos(23 * i + 5 * j), 200, 8),
            integers(lambda i: 3 * i % 4, 200),
        ),
        "counts by splines": row(counts, gradient(counts), *POINTS["counts"]),
        "counts by splines, Hessian": hessian_row(counts, "counts"),
        "Kalman smoother": row(
            smoother,
            gradient(smoother),
            (
                jnp.asarray([-3.0, -2.5, -2.0]),
                jnp.asarray(-1.5),
                vector(lambda k: sin(0.1 * k) + 0.2 * sin(37 * k), 150),
            ),
            1.0,
        ),
        "filters of a signal": row(
            correlation,
            gradient(correlation),
            grid(lambda i, j: 0.4 * sin(3 * i + 0.3 * j), 8, 31),
            vector(lambda i: sin(0.2 * i) + 0.5 * sin(31 * i), 2000),
            vector(lambda i: 0.5 + 0.1 * i, 8),
        ),
        "LSTM, batch of 32": row(
            lstm_batch,
            gradient(lstm_batch),
            (
                grid(lambda g, i, j: 0.3 * sin(2 * g + 3 * i + 7 * j), 4, 32, 16),
                grid(lambda g, i, j: 0.2 * cos(3 * g + 5 * i + 11 * j), 4, 32, 32),
                grid(lambda g, i: 0.1 * sin(g + i), 4, 32),
            ),
            grid(lambda b, k, j: sin(31 * b + 7 * k + j), 32, 20, 16),
            vector(lambda b: 0.5 * cos(17 * b), 32),
        ),
        "transducer": row(
            transducer,
            gradient(transducer),
            (
                grid(lambda i, j: -0.5 + 0.4 * sin(7 * i + 3 * j), 60, 24),
                grid(lambda i, j: -1.0 + 0.5 * cos(5 * i + 11 * j), 60, 24),
            ),
            1.0,
        ),
        "orthogonal iteration": row(
            captured,
            gradient(captured),
            grid(lambda i, j: (1 + 2 * exp(-0.3 * j)) * sin(0.37 * i * (j + 1) + j), 200, 24),
            grid(lambda i, j: cos(1.3 * i * (j + 1) + 0.5 * j), 4, 24),
        ),
        "ordered probit": row(probit, gradient(probit), *POINTS["probit"]),
        "ordered probit, Hessian": hessian_row(probit, "probit"),
        "doses, Jacobian": row(
            concentrations,
            jax.jacfwd(concentrations),
            jnp.asarray([0.9, 0.2, 0.5, 0.3, 0.1]),
            vector(lambda i: 1.0 + 0.5 * sin(3 * i), 200),
        ),
        "gamma regression, Hessian": row(
            gamma,
            hessian(gamma),
            vector(lambda i: 0.2 * cos(i), 14),
            grid(lambda i, j: sin(11 * i + 3 * j), 1500, 14),
            vector(lambda i: 0.5 + 0.4 * cos(i * i), 1500),
        ),
    }
)
