"""The programs of the folder `untuned` with borders, masks, neighbours, gathered rows and systems in JAX, as its users
write them."""

from jax_rows import grid, gradient, row, vector

import workloads
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy.special import logsumexp

sin, cos = np.sin, np.cos


def causal(w, x, y):
    q, m, v = w
    queries, keys, values = x @ q, x @ m, x @ v
    t = len(x)
    scores = jnp.where(jnp.tril(jnp.ones((t, t), bool)), queries @ keys.T / jnp.sqrt(q.shape[1]), -1e30)
    out = jax.nn.softmax(scores, axis=-1) @ values
    return jnp.sum((out - y) ** 2) / t


def graph(p, h, src, to):
    w, u, b = p

    def around(h):
        messages = jnp.tanh(jnp.concatenate([h[src], h[to]], 1) @ w.T + b)
        arrived = jnp.zeros_like(h).at[to].add(messages)
        return jnp.tanh(jnp.concatenate([h, arrived], 1) @ u.T)

    return jnp.mean(jnp.sum(around(around(h)), 1) ** 2)


def wave(c, start, target):
    def step(state, _):
        before, u = state
        inner = 2 * u - before
        inner = inner[1:-1, 1:-1] + c[1:-1, 1:-1] * (
            u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
        )
        return (u, jnp.pad(inner, 1)), None

    return jnp.sum((lax.scan(step, (start, start), None, length=100)[0][1] - target) ** 2)


def padded(w, image, target):
    out = lax.conv_general_dilated(image[None, None], w[:, None], (1, 1), "SAME")[0]
    return jnp.sum((jax.nn.relu(out) - target) ** 2) / len(image)


def poisson(f, target):
    def step(u, _):
        return (f + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 0) + jnp.roll(u, -1, 1) + jnp.roll(u, 1, 1)) / 4.1, None

    return jnp.sum((lax.scan(step, jnp.zeros_like(f), None, length=60)[0] - target) ** 2)


def covariance(p, x):
    mean, factors, noise = p
    cov = factors @ factors.T + jnp.diag(jnp.exp(noise))
    l = jnp.linalg.cholesky(cov)
    z = jax.scipy.linalg.solve_triangular(l, (x - mean).T, lower=True)
    return -(0.5 * jnp.sum(z**2) / len(x) + jnp.sum(jnp.log(jnp.diag(l))))


def ctc(scores, label):
    logs = jax.nn.log_softmax(scores, axis=1)
    l = len(label)
    symbol = jnp.zeros(2 * l + 1, int).at[1::2].set(label)
    skips = jnp.concatenate([jnp.zeros(2, bool), (symbol[2:] != 0) & (symbol[2:] != symbol[:-2])])
    start = jnp.where(jnp.arange(2 * l + 1) < 2, logs[0, symbol], -1e10)

    def step(alpha, row):
        first = jnp.concatenate([jnp.full(1, -1e10), alpha[:-1]])
        second = jnp.where(skips, jnp.concatenate([jnp.full(2, -1e10), alpha[:-2]]), -1e10)
        return logsumexp(jnp.stack([alpha, first, second]), axis=0) + row[symbol], None

    last = lax.scan(step, start, logs[1:])[0]
    return -logsumexp(last[-2:])


def american(p):
    s, k, r, sigma, t = p
    dt = t / 200
    up = jnp.exp(sigma * jnp.sqrt(dt))
    prob = (jnp.exp(r * dt) - 1 / up) / (up - 1 / up)
    discount = jnp.exp(-r * dt)
    j = jnp.arange(201)
    last = jnp.maximum(k - s * up ** (2.0 * j - 200), 0.0)

    def step(v, level):
        shifted = jnp.concatenate([v[1:], v[-1:]])
        v = jnp.maximum(k - s * up ** (2.0 * j - level), discount * (prob * shifted + (1 - prob) * v))
        return jnp.where(j <= level, v, 0.0), None

    return lax.scan(step, last, jnp.arange(199, -1, -1))[0][0]


def spline(y, places, data):
    n = len(y)
    right = 6 * (y[2:] - 2 * y[1:-1] + y[:-2])

    def forward(s, r):
        c, d = s
        pivot = 4 - c
        s = (1 / pivot, (r - d) / pivot)
        return s, s

    _, (c, d) = lax.scan(forward, (0.0, 0.0), right)

    def back(m, s):
        m = s[1] - s[0] * m
        return m, m

    _, inner = lax.scan(back, 0.0, (c, d), reverse=True)
    bend = jnp.concatenate([jnp.zeros(1), inner, jnp.zeros(1)])
    i = jnp.minimum(jnp.floor(places).astype(int), n - 2)
    b = places - i
    a = 1 - b
    value = a * y[i] + b * y[i + 1] + ((a**3 - a) * bend[i] + (b**3 - b) * bend[i + 1]) / 6
    return jnp.mean((value - data) ** 2)


def neural_ode(p, starts, ends):
    w1, b1, w2 = p

    def field(x):
        return jnp.tanh(x @ w1.T + b1) @ w2.T

    def step(x, _):
        k1 = field(x)
        k2 = field(x + 0.025 * k1)
        k3 = field(x + 0.025 * k2)
        k4 = field(x + 0.05 * k3)
        return x + 0.05 / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None

    x = lax.scan(step, starts, None, length=40)[0]
    return jnp.sum((x - ends) ** 2) / len(starts)


def sparse(vals, rows, cols, start):
    n = len(start)

    def mul(x):
        return jnp.zeros(n).at[rows].add(vals * x[cols])

    def step(x, _):
        y = mul(x)
        return y / jnp.linalg.norm(y), None

    x = lax.scan(step, start, None, length=30)[0]
    return x @ mul(x)


def warp(m, image, target):
    h, w = image.shape
    i, j = jnp.meshgrid(jnp.arange(h), jnp.arange(w), indexing="ij")
    y = m[0, 0] * i + m[0, 1] * j + m[0, 2]
    x = m[1, 0] * i + m[1, 1] * j + m[1, 2]
    p = jnp.clip(jnp.floor(y).astype(int), 0, h - 2)
    q = jnp.clip(jnp.floor(x).astype(int), 0, w - 2)
    b, a = y - p, x - q
    s = (1 - b) * ((1 - a) * image[p, q] + a * image[p, q + 1]) + b * (
        (1 - a) * image[p + 1, q] + a * image[p + 1, q + 1]
    )
    return jnp.sum((s - target) ** 2)


edges, entries = np.arange(3000), np.arange(20000)

workloads.run(
    {
        "causal attention": row(
            causal,
            gradient(causal),
            (
                grid(lambda i, j: 0.3 * sin(3 * i + 5 * j), 32, 32),
                grid(lambda i, j: 0.3 * cos(7 * i + 3 * j), 32, 32),
                grid(lambda i, j: 0.3 * sin(2 * i + 11 * j), 32, 32),
            ),
            grid(lambda i, j: sin(29 * i + 3 * j), 64, 32),
            grid(lambda i, j: cos(7 * i + 5 * j), 64, 32),
        ),
        "graph network": row(
            graph,
            gradient(graph),
            (
                grid(lambda i, j: 0.2 * sin(3 * i + 5 * j), 16, 32),
                grid(lambda i, j: 0.2 * cos(7 * i + 3 * j), 16, 32),
                vector(lambda i: 0.1 * sin(i), 16),
            ),
            grid(lambda i, j: sin(29 * i + 3 * j), 500, 16),
            jnp.asarray((edges * 7919 + 13) % 500),
            jnp.asarray((edges * 104729 + edges // 6) % 500),
        ),
        "waves on a square": row(
            wave,
            gradient(wave),
            grid(lambda i, j: 0.2 + 0.1 * sin(0.1 * i) * cos(0.2 * j), 64, 64),
            grid(lambda i, j: np.exp(-((i - 30) ** 2 + (j - 25) ** 2) / 20), 64, 64),
            grid(lambda i, j: 0.1 * sin(0.3 * i + 0.1 * j), 64, 64),
        ),
        "convolution with a border": row(
            padded,
            gradient(padded),
            grid(lambda k, a, b: 0.2 * sin(9 * k + 3 * a + b), 8, 5, 5),
            grid(lambda i, j: sin(5 * i + 3 * j), 32, 32),
            grid(lambda i, j: 0.5 * cos(i + 2 * j), 32, 32),
        ),
        "periodic field": row(
            poisson,
            gradient(poisson),
            grid(lambda i, j: sin(0.3 * i) * cos(0.2 * j), 48, 48),
            grid(lambda i, j: 0.5 * sin(0.1 * i + 0.3 * j), 48, 48),
        ),
        "covariance": row(
            covariance,
            gradient(covariance),
            (
                vector(lambda i: 0.1 * sin(i), 16),
                grid(lambda i, j: 0.5 * cos(3 * i + 5 * j), 16, 4),
                vector(lambda i: -0.5 + 0.1 * sin(2 * i), 16),
            ),
            grid(lambda i, j: 1.2 * sin(31 * i + 7 * j), 200, 16),
        ),
        "connectionist classification": row(
            ctc,
            gradient(ctc),
            grid(lambda i, j: 2 * sin(7 * i + 3 * j), 100, 30),
            jnp.asarray([1 + (i * i + 3 * i) % 29 for i in range(20)]),
        ),
        "American put": row(
            american, gradient(american), tuple(jnp.asarray(x) for x in (100.0, 105.0, 0.03, 0.25, 1.0))
        ),
        "cubic spline": row(
            spline,
            gradient(spline),
            vector(lambda i: sin(0.2 * i), 64),
            vector(lambda i: 31.5 + 31.4 * sin(13 * i), 1000),
            vector(lambda i: cos(0.3 * i), 1000),
        ),
        "neural differential equation": row(
            neural_ode,
            gradient(neural_ode),
            (
                grid(lambda i, j: sin(3 * i + 7 * j), 32, 2),
                vector(lambda i: 0.3 * cos(i), 32),
                grid(lambda i, j: 0.3 * cos(5 * i + 3 * j), 2, 32),
            ),
            grid(lambda i, k: 2 * sin(17 * i + 5 * k), 64, 2),
            grid(lambda i, k: 2 * cos(11 * i + 3 * k), 64, 2),
        ),
        "power iteration": row(
            sparse,
            gradient(sparse),
            vector(lambda e: 1 + 0.5 * sin(7 * e), 20000),
            jnp.asarray((entries * 7919 + 13) % 1000),
            jnp.asarray((entries * 104729 + entries // 11) % 1000),
            vector(lambda i: 1 + 0.01 * sin(i), 1000),
        ),
        "warped image": row(
            warp,
            gradient(warp),
            jnp.asarray([[0.95371, 0.02193, 1.31731], [-0.03137, 0.97117, 2.11319]]),
            grid(lambda i, j: sin(0.2 * i) * cos(0.15 * j), 96, 96),
            grid(lambda i, j: sin(0.2 * i + 0.1) * cos(0.15 * j), 96, 96),
        ),
    }
)
