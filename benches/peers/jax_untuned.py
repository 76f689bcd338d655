"""The programs of the folder `untuned` in JAX, as its users write them; those with borders and masks are in
`jax_neighbours.py`."""

from jax_rows import grid, gradient, row, vector

import workloads
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy.linalg import cho_factor, cho_solve, solve_triangular
from jax.scipy.special import logsumexp

sin, cos = np.sin, np.cos


def lstm(point, xs, ys):
    wx, wh, b = point
    n = wh.shape[1]
    inputs = xs @ wx.T + b

    def step(state, row):
        y, c = state
        z, target = row
        z = z + wh @ y
        keep, forget, give = jax.nn.sigmoid(z[:n]), jax.nn.sigmoid(z[n : 2 * n]), jax.nn.sigmoid(z[2 * n : 3 * n])
        c = forget * c + keep * jnp.tanh(z[3 * n :])
        y = give * jnp.tanh(c)
        return (y, c), jnp.sum((y - target) ** 2)

    return lax.scan(step, (jnp.zeros(n), jnp.zeros(n)), (inputs, ys))[1].sum() / len(xs)


def layer_norm(x, scale, shift):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / jnp.sqrt(variance + 1e-5) * scale + shift


def transformer(w, x, y):
    q, k, v, o, up, down, scale1, shift1, scale2, shift2 = w
    a = layer_norm(x, scale1, shift1)
    queries, keys, values = (jnp.einsum("ti,hij->htj", a, m) for m in (q, k, v))
    weights = jax.nn.softmax(queries @ keys.transpose(0, 2, 1) / jnp.sqrt(16.0), axis=-1)
    joined = (weights @ values).transpose(1, 0, 2).reshape(len(x), -1)
    z = x + joined @ o
    z = z + jax.nn.gelu(layer_norm(z, scale2, shift2) @ up, approximate=True) @ down
    return jnp.sum((z - y) ** 2) / len(x)


def convolution(point, images, labels):
    filters, biases, w, c = point
    maps = lax.conv_general_dilated(images[:, None], filters[:, None], (1, 1), "VALID") + biases[:, None, None]
    pooled = jax.nn.relu(maps).reshape(len(images), 8, 13, 2, 13, 2).mean((3, 5))
    scores = pooled.reshape(len(images), -1) @ w.T + c
    return jnp.mean(logsumexp(scores, axis=1) - scores[jnp.arange(len(images)), labels])


TRANSITION = jnp.array([[1, 0, 0.1, 0], [0, 1, 0, 0.1], [0, 0, 1, 0], [0, 0, 0, 1.0]])
OBSERVE = jnp.eye(2, 4)


def kalman(point, ys):
    q, r = point
    noise, error = jnp.diag(jnp.exp(q)), jnp.diag(jnp.exp(r))

    def step(state, y):
        m, p = state
        m, p = TRANSITION @ m, TRANSITION @ p @ TRANSITION.T + noise
        innovation = y - OBSERVE @ m
        s = OBSERVE @ p @ OBSERVE.T + error
        factor = cho_factor(s, lower=True)
        gain = cho_solve(factor, OBSERVE @ p).T
        logdet = 2 * jnp.log(jnp.diag(factor[0])).sum()
        l = -0.5 * (innovation @ cho_solve(factor, innovation) + logdet + 2 * jnp.log(2 * jnp.pi))
        return (m + gain @ innovation, (jnp.eye(4) - gain @ OBSERVE) @ p), l

    return lax.scan(step, (jnp.zeros(4), jnp.eye(4)), ys)[1].sum()


def heston(point, first, second):
    kappa, theta, sigma, rho, v0 = point
    dt = 1 / first.shape[0]

    def step(state, shocks):
        s, v = state
        a, b = shocks
        variance = jnp.maximum(v, 1e-8)
        root = jnp.sqrt(variance * dt)
        s = s - 0.5 * variance * dt + root * (rho * a + jnp.sqrt(1 - rho * rho) * b)
        return (s, v + kappa * (theta - variance) * dt + sigma * root * a), None

    n = first.shape[1]
    s = lax.scan(step, (jnp.zeros(n), jnp.full(n, v0)), (first, second))[0][0]
    return jnp.maximum(100 * jnp.exp(s) - 100, 0).mean()


def energy(x, m):
    square = ((x[:, None] - x[None]) ** 2).sum(-1) + 0.01
    pairs = m[:, None] * m[None] / jnp.sqrt(square)
    return -0.5 * jnp.sum(jnp.where(jnp.eye(len(m), dtype=bool), 0.0, pairs))


def energy_along(x, m, direction):
    return jax.jvp(jax.grad(lambda x: energy(x, m)), (x,), (direction,))[1]


def heat(k, u0, target):
    between = 0.5 * (k[1:] + k[:-1])

    def step(u, _):
        flow = between * (u[1:] - u[:-1])
        return u.at[1:-1].add(0.2 * (flow[1:] - flow[:-1])), None

    return jnp.sum((lax.scan(step, u0, None, length=500)[0] - target) ** 2)


def soft_dtw(x, y):
    def soft_min(a, b, c):
        return -0.1 * logsumexp(jnp.stack([-a / 0.1, -b / 0.1, -c / 0.1]), axis=0)

    # By diagonals, which is how it is written for vectors.
    n, m = len(x), len(y)
    i = jnp.arange(n)

    def step(state, d):
        before, last = state
        j = d - i
        cost = (x - y[jnp.clip(j, 0, m - 1)]) ** 2
        up = jnp.concatenate([jnp.array([1e8]), last[:-1]])
        corner = jnp.concatenate([jnp.where(d == 0, jnp.array([0.0]), jnp.array([1e8])), before[:-1]])
        now = jnp.where((j >= 0) & (j < m), cost + soft_min(up, last, corner), 1e8)
        return (last, now), None

    empty = jnp.full(n, 1e8)
    return lax.scan(step, (empty, empty), jnp.arange(n + m - 1))[0][1][-1]


def hmm(point, ys):
    start, move, emit = point
    a, b = jax.nn.log_softmax(move, axis=1), jax.nn.log_softmax(emit, axis=1)

    def step(alpha, y):
        return logsumexp(alpha[:, None] + a, axis=0) + b[:, y], None

    return logsumexp(lax.scan(step, jax.nn.log_softmax(start) + b[:, ys[0]], ys[1:])[0])


def logistic(w, x, y):
    z = x @ w
    return jnp.mean(jax.nn.softplus(z) - y * z) + 0.005 * jnp.sum(w**2)


def gaussian_process(point, x, y):
    length, variance, noise = point
    k = jnp.exp(variance) * jnp.exp(-0.5 * (x[:, None] - x[None]) ** 2 * jnp.exp(-2 * length))
    l = jnp.linalg.cholesky(k + jnp.exp(noise) * jnp.eye(len(x)))
    z = solve_triangular(l, y, lower=True)
    return 0.5 * z @ z + jnp.log(jnp.diag(l)).sum() + 0.5 * len(x) * jnp.log(2 * jnp.pi)


def rates(state):
    u, v = state

    def spread(a):
        return jnp.roll(a, -1, 0) + jnp.roll(a, 1, 0) + jnp.roll(a, -1, 1) + jnp.roll(a, 1, 1) - 4 * a

    return 1 + u**2 * v - 4.4 * u + 10 * spread(u), 3.4 * u - u**2 * v + 10 * spread(v)


def brusselator_entries():
    """The pattern and a colouring are found once; what is timed gives the entries, sorted by row and column."""
    n = 32
    index = np.arange(n * n).reshape(n, n)
    near = [index, np.roll(index, -1, 0), np.roll(index, 1, 0), np.roll(index, -1, 1), np.roll(index, 1, 1)]
    rows, columns = [], []
    for half in (0, n * n):
        for shifted in near:
            rows.append(index.ravel() + half)
            columns.append(shifted.ravel() + half)
        rows.append(index.ravel() + half)
        columns.append(index.ravel() + n * n - half)
    rows, columns = np.concatenate(rows), np.concatenate(columns)
    order = np.lexsort((columns, rows))
    rows, columns = rows[order], columns[order]
    users = [[] for _ in range(2 * n * n)]
    for r, c in zip(rows, columns):
        users[c].append(r)
    colours, seen = np.zeros(2 * n * n, int), []
    for c in range(2 * n * n):
        colour = next((k for k, taken in enumerate(seen) if not taken.intersection(users[c])), len(seen))
        if colour == len(seen):
            seen.append(set())
        seen[colour].update(users[c])
        colours[c] = colour
    seeds = np.zeros((len(seen), 2 * n * n))
    seeds[colours, np.arange(2 * n * n)] = 1
    seeds = jnp.asarray(seeds.reshape(-1, 2, n, n))
    pick = jnp.asarray(colours[columns] * 2 * n * n + rows)

    def entries(state):
        along = jax.vmap(lambda seed: jax.jvp(rates, (state,), ((seed[0], seed[1]),))[1])(seeds)
        vals = jnp.stack(along, axis=1).reshape(-1)[pick]
        # In the order of Riesz: rows, columns, values.
        return jnp.asarray(rows), jnp.asarray(columns), vals

    return entries


EFFECTS = jnp.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
ERRORS = jnp.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])


def density(point):
    mu, log_tau, eta = point
    tau = jnp.exp(log_tau)
    misfit = (EFFECTS - mu - tau * eta) / ERRORS
    prior = log_tau - (mu / 5) ** 2 / 2 - jnp.log1p((tau / 5) ** 2)
    return prior - jnp.sum(eta**2) / 2 - jnp.sum(misfit**2) / 2


def newton(point):
    def root(a, b):
        def step(state):
            x, _ = state
            change = (x**3 + a * x - b) / (3 * x**2 + a)
            return x - change, change

        # Reverse mode does not go through a loop without a bound: the last step is taken from where the loop ended.
        x = lax.stop_gradient(lax.while_loop(lambda state: abs(state[1]) > 1e-10, step, (1 + 0 * a, 1 + 0 * a))[0])
        return step((x, x))[0]

    a, b = point
    return jnp.sum(jax.vmap(root)(a, b) ** 2)


def network(w, x):
    w1, b1, w2, b2, w3, b3 = w
    return w3 @ jnp.tanh(w2 @ jnp.tanh(w1 * x + b1) + b2) + b3


def pinn(w, xs):
    def second(x):
        slope = lambda y: jax.jvp(lambda z: network(w, z), (y,), (1.0,))[1]
        return jax.jvp(slope, (x,), (1.0,))[1]

    residuals = jax.vmap(second)(xs) + jnp.sin(xs)
    return jnp.mean(residuals**2) + network(w, 0.0) ** 2 + network(w, jnp.pi) ** 2


def sinkhorn(cost, a, b):
    k = jnp.exp(-cost / 0.1)

    def step(state, _):
        u = a / (k @ state[1])
        return (u, b / (u @ k)), None

    ones = jnp.ones(len(a))
    u, v = lax.scan(step, (ones, ones), None, length=50)[0]
    return jnp.sum(u[:, None] * k * cost * v)


transformer_weights = (
    grid(lambda h, i, j: 0.2 * sin(h + 3 * i + 5 * j), 4, 64, 16),
    grid(lambda h, i, j: 0.2 * cos(2 * h + 7 * i + 3 * j), 4, 64, 16),
    grid(lambda h, i, j: 0.2 * sin(3 * h + 2 * i + 11 * j), 4, 64, 16),
    grid(lambda i, j: 0.1 * cos(5 * i + 3 * j), 64, 64),
    grid(lambda i, j: 0.1 * sin(7 * i + 13 * j), 64, 256),
    grid(lambda i, j: 0.1 * cos(3 * i + 17 * j), 256, 64),
    vector(lambda i: 1 + 0.1 * sin(i), 64),
    vector(lambda i: 0.1 * cos(i), 64),
    vector(lambda i: 1 + 0.1 * cos(i), 64),
    vector(lambda i: 0.1 * sin(2 * i), 64),
)
pinn_weights = (
    vector(lambda i: sin(3 * i), 32),
    vector(lambda i: 0.5 * cos(i), 32),
    grid(lambda i, j: 0.2 * cos(5 * i + 3 * j), 32, 32),
    vector(lambda i: 0.1 * sin(i), 32),
    vector(lambda i: 0.3 * sin(7 * i), 32),
    jnp.asarray(0.1),
)
process = grid(lambda i: 0.05 * i + 0.02 * sin(7 * i), 200)
bodies = (grid(lambda i, k: 2 * sin(17 * i + 5 * k), 256, 3), grid(lambda i: 1 + 0.5 * cos(i), 256))
table = (
    vector(lambda i: 0.1 * sin(i), 20),
    grid(lambda i, j: sin(13 * i + 7 * j), 2000, 20),
    vector(lambda i: np.where(i * i % 3 == 0, 1.0, 0.0), 2000),
)

workloads.run(
    {
        "LSTM": row(
            lstm,
            gradient(lstm),
            (
                grid(lambda i, j: 0.1 * sin(3 * i + 7 * j), 256, 64),
                grid(lambda i, j: 0.1 * cos(5 * i + 11 * j), 256, 64),
                vector(lambda i: 0.1 * sin(i), 256),
            ),
            grid(lambda k, j: sin(31 * k + j), 100, 64),
            grid(lambda k, j: 0.5 * cos(17 * k + j), 100, 64),
        ),
        "transformer block": row(
            transformer,
            gradient(transformer),
            transformer_weights,
            grid(lambda i, j: sin(29 * i + 3 * j), 64, 64),
            grid(lambda i, j: cos(7 * i + 5 * j), 64, 64),
        ),
        "convolutional network": row(
            convolution,
            gradient(convolution),
            (
                grid(lambda k, a, b: 0.3 * sin(9 * k + 3 * a + b), 8, 3, 3),
                vector(lambda k: 0.1 * cos(k), 8),
                grid(lambda i, j: 0.1 * sin(3 * i + 7 * j), 10, 1352),
                vector(lambda i: 0.01 * i, 10),
            ),
            grid(lambda n, i, j: 0.5 + 0.5 * sin(31 * n + 5 * i + 3 * j), 8, 28, 28),
            jnp.asarray([3 * i % 10 for i in range(8)]),
        ),
        "Kalman filter": row(
            kalman,
            gradient(kalman),
            (jnp.array([-3.0, -3.5, -2.0, -2.5]), jnp.array([-1.0, -1.5])),
            jnp.stack(
                [
                    vector(lambda k: sin(0.1 * k) + 0.1 * sin(37 * k), 200),
                    vector(lambda k: cos(0.07 * k) + 0.1 * cos(53 * k), 200),
                ],
                axis=1,
            ),
        ),
        "Heston": row(
            heston,
            gradient(heston),
            tuple(jnp.asarray(number) for number in (2.0, 0.04, 0.3, -0.7, 0.04)),
            grid(lambda j, i: 1.4 * sin(12 * i + 7 * j + 1), 50, 2000),
            grid(lambda j, i: 1.4 * cos(19 * i + 5 * j + 2), 50, 2000),
        ),
        "n-body": row(energy, gradient(energy), *bodies),
        "n-body, along a direction": row(
            lambda x, m, _: energy(x, m), energy_along, *bodies, grid(lambda i, k: cos(3 * i + k), 256, 3)
        ),
        "heat equation": row(
            heat,
            gradient(heat),
            vector(lambda i: 1 + 0.5 * sin(0.1 * i), 200),
            vector(lambda i: np.exp(-(((i - 100) / 20) ** 2)), 200),
            vector(lambda i: 0.5 * np.exp(-(((i - 90) / 30) ** 2)), 200),
        ),
        "soft-DTW": row(
            soft_dtw,
            gradient(soft_dtw),
            vector(lambda i: sin(0.1 * i) + 0.2 * sin(31 * i), 100),
            vector(lambda i: sin(0.1 * i - 0.5) + 0.2 * cos(17 * i), 100),
        ),
        "hidden Markov model": row(
            hmm,
            gradient(hmm),
            (
                vector(lambda i: 0.1 * sin(i), 16),
                grid(lambda i, j: sin(3 * i + 5 * j), 16, 16),
                grid(lambda i, j: cos(7 * i + 2 * j), 16, 12),
            ),
            jnp.asarray([(i * i + 3 * i) % 12 for i in range(500)]),
        ),
        "logistic regression": row(logistic, gradient(logistic), *table),
        "logistic regression, Hessian": row(logistic, jax.hessian(logistic), *table),
        "Gaussian process": row(
            gaussian_process,
            gradient(gaussian_process),
            tuple(jnp.asarray(number) for number in (0.0, 0.0, -2.0)),
            process,
            jnp.sin(process) + 0.1 * jnp.cos(31 * process),
        ),
        "Brusselator, entries": row(
            rates,
            brusselator_entries(),
            (grid(lambda i, j: 1 + 0.5 * sin(3 * i + j), 32, 32), grid(lambda i, j: 2 + 0.5 * cos(i + 5 * j), 32, 32)),
        ),
        "eight schools": row(
            density, gradient(density), (jnp.asarray(1.0), jnp.asarray(0.5), vector(lambda i: 0.3 * sin(i), 8))
        ),
        "Newton's method": row(
            newton, gradient(newton), (vector(lambda i: 1.5 + sin(i), 1000), vector(lambda i: 3 + 2 * cos(3 * i), 1000))
        ),
        "physics-informed network": row(
            pinn, gradient(pinn), pinn_weights, vector(lambda i: np.pi * (i + 0.5) / 64, 64)
        ),
        "Sinkhorn": row(
            sinkhorn,
            gradient(sinkhorn),
            grid(lambda i, j: ((i - j) / 64) ** 2 + 0.1 * (1 + sin(3 * i + 7 * j)), 64, 64),
            vector(lambda i: (1 + 0.5 * sin(i)) / 64, 64),
            vector(lambda i: (1 + 0.5 * cos(i)) / 64, 64),
        ),
    }
)
