"""The workloads in JAX: double precision, compiled, one thread."""

import os

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import workloads
import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import logsumexp

jax.config.update("jax_enable_x64", True)


def mixture_objective(point, x):
    alphas, means, qs, ls = point
    k, d = means.shape
    columns, rows = np.triu_indices(d, 1)
    q = jnp.zeros((k, d, d)).at[:, rows, columns].set(ls)
    q = q + jax.vmap(jnp.diag)(jnp.exp(qs))
    z = jnp.matmul(x - means[:, None, :], q.transpose(0, 2, 1))
    exponents = (alphas + qs.sum(1))[:, None] - 0.5 * (z**2).sum(-1)
    frobenius = jnp.exp(2 * qs).sum() + (ls**2).sum()
    return logsumexp(exponents, axis=0).sum() - len(x) * logsumexp(alphas) + 0.5 * frobenius


def timed(name, value, derivative, arguments):
    value, derivative = jax.jit(value), jax.jit(derivative)
    workloads.report(
        name,
        lambda: jax.block_until_ready(value(*arguments)),
        lambda: jax.block_until_ready(derivative(*arguments)),
        jax.tree_util.tree_leaves(derivative(*arguments)),
    )


def mixture(d, k):
    def row(name):
        point, _, x = workloads.mixture(d, k)
        timed(name, mixture_objective, jax.grad(mixture_objective), (jax.device_put(point), jax.device_put(x)))

    return row


def mixture_hvp(name):
    point, direction, x = jax.device_put(workloads.mixture(2, 5))

    def along(point, x):
        return jax.jvp(lambda p: jax.grad(mixture_objective)(p, x), (point,), (direction,))[1]

    timed(name, mixture_objective, along, (point, x))


def rotate(r, x):
    square = r @ r
    angle = jnp.sqrt(square)
    axis = r / angle
    turned = jnp.cos(angle) * x + jnp.sin(angle) * jnp.cross(axis, x)
    return turned + (1 - jnp.cos(angle)) * (axis @ x) * axis


def reprojection_error(camera, x, weight, feature):
    y = rotate(camera[:3], x - camera[3:6])
    u = y[:2] / y[2]
    square = u @ u
    projected = camera[6] * (1 + camera[9] * square + camera[10] * square**2) * u + camera[7:9]
    return weight * (projected - feature)


def bundle(name):
    cameras, points, weights, camera_of, point_of, features = jax.device_put(workloads.bundle())

    def errors(cameras, points, weights):
        observed = jax.vmap(reprojection_error)(cameras[camera_of], points[point_of], weights, features)
        return observed, 1 - weights**2

    def blocks(cameras, points, weights):
        one = jax.jacrev(reprojection_error, argnums=(0, 1, 2))
        c, x, w = jax.vmap(one)(cameras[camera_of], points[point_of], weights, features)
        return jnp.concatenate([c, x, w[:, :, None]], axis=2), -2 * weights

    timed(name, errors, blocks, (cameras, points, weights))


def network(batch):
    def loss(parameters, xs, ts):
        w1, b1, w2, b2, w3, b3 = parameters
        h1 = jnp.tanh(xs @ w1.T + b1)
        h2 = jnp.tanh(h1 @ w2.T + b2)
        return jnp.sum((h2 @ w3.T + b3 - ts) ** 2) / 2

    def row(name):
        timed(name, loss, jax.grad(loss), jax.device_put(workloads.network(batch)))

    return row


def rosenbrock_objective(x):
    return jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def rosenbrock(n, derivative):
    def row(name):
        timed(name, rosenbrock_objective, derivative(rosenbrock_objective), (jax.device_put(workloads.rosenbrock(n)),))

    return row


def recurrence(derivative):
    def f(x):
        return jax.lax.fori_loop(0, 1000, lambda _, y: 1.1 * jnp.sin(y) + 0.1, x)

    def scanned(x):
        return jax.lax.scan(lambda y, _: (1.1 * jnp.sin(y) + 0.1, None), x, length=1000)[0]

    return lambda name: timed(name, f, derivative(scanned), (jax.device_put(0.5),))


workloads.run(
    {
        "gmm d=10 k=25": mixture(10, 25),
        "gmm d=64 k=25": mixture(64, 25),
        "gmm d=2 k=5": mixture(2, 5),
        "gmm hvp d=2 k=5": mixture_hvp,
        "ba blocks": bundle,
        "network batch=1": network(1),
        "network batch=64": network(64),
        "rosenbrock n=1000000": rosenbrock(1_000_000, jax.grad),
        "rosenbrock hessian n=100": rosenbrock(100, jax.hessian),
        "recurrence forward": recurrence(lambda f: lambda x: jax.jvp(f, (x,), (1.0,))[1]),
        "recurrence reverse": recurrence(jax.grad),
    }
)
