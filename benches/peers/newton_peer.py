"""Newton steps of `newton/objectives.rz` in other tools: `newton_peer.py TOOL WORKLOAD ...`, in double precision on one
thread. Prints a line for each workload that fits: name, seconds, seconds, and a sum that tells whether the step agrees.
"""

import os
import sys

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import numpy as np
import workloads

# A dense Hessian of more unknowns takes minutes or does not fit.
DENSE = 2000


def point(name, n):
    """The data of an objective, and the point, as arrays."""
    i = np.arange(n, dtype=float)
    if name in ("valley", "coupled"):
        return (), (1 + 0.1 * np.sin(i),)
    if name == "smooth":
        y = np.sin(0.01 * i) + 0.1 * np.cos(3.0 * i)
        return (y,), (np.stack([0.5 * np.sin(0.02 * i), np.full(n, 0.2)], 1),)
    if name == "bundle":
        m = np.arange(2 * n)
        k = np.arange(5.0)
        z = np.stack([np.sin(0.7 * m), np.cos(1.3 * m)], 1)
        c = np.stack([np.ones(5), 0.1 * k, 0.2 + 0.1 * k], 1)
        q = np.stack([0.3 + 0.2 * np.sin(1.1 * i), 0.2 * np.cos(0.9 * i)], 1)
        return ((m + m // 7) % 5, m // 2, z), (c, q)
    if name == "softmax":
        j, k = np.arange(5.0), np.arange(4.0)
        x = np.sin(i[:, None] * (j + 1) + j)
        y = (7 * np.arange(n) + np.arange(n) // 3) % 4
        return (x, y), (0.1 * np.sin(k[:, None] + j),)
    square = lambda f, more: 3.0 * np.eye(n) + 0.5 * f(i[:, None] * (i + 1) + more) / n
    return (square(np.sin, 1), square(np.cos, 2), np.cos(0.3 * i[:, None] + i)), (np.sin(0.2 * i[:, None] - i),)


def objective(name, data, np):
    """The objective with the functions of a tool."""
    if name == "valley":
        return lambda x: np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)
    if name == "coupled":
        return lambda x: np.sum(x**4 / 4 + x**2) + np.sum(x) ** 2 / len(x)
    if name == "smooth":
        (y,) = data

        def smooth(x):
            p, v = x[:, 0], x[:, 1]
            steps = (p[1:] - p[:-1] - 0.1 * v[:-1]) ** 2 + 10 * (v[1:] - 0.9 * v[:-1]) ** 2
            return np.sum((p - y) ** 2 + 0.01 * p**4) + np.sum(steps)

        return smooth
    if name == "bundle":
        camera, at, z = data

        def bundle(c, q):
            k, p = c[camera], q[at]
            r0 = k[:, 0] * p[:, 0] - np.sin(k[:, 2]) * p[:, 1] - z[:, 0]
            r1 = k[:, 1] + np.cos(k[:, 2]) * p[:, 1] + 0.1 * p[:, 0] ** 2 - z[:, 1]
            return np.sum(r0**2 + r1**2) + np.sum(c**2) + np.sum(q**2)

        return bundle
    if name == "softmax":
        from jax.scipy.special import logsumexp

        x, y = data

        def softmax(w):
            s = x @ w.T
            return np.sum(logsumexp(s, axis=1) - s[np.arange(len(y)), y]) / len(y) + 0.01 * np.sum(w**2)

        return softmax
    a, b, c = data
    return lambda x: np.sum((a @ x @ b - c) ** 2) / 2


def report(workload, run, value):
    workloads.report(workload, lambda: None, run, [np.asarray(value)])


def jax_step(workload, is_dense):
    import jax
    import jax.numpy as jnp
    from jax.flatten_util import ravel_pytree

    jax.config.update("jax_enable_x64", True)
    name, n = workload.split()
    data, u = point(name, int(n))
    flat, shaped = ravel_pytree(u)
    if is_dense and flat.size > DENSE:
        return
    data = jax.device_put(data)

    def step(flat, data):
        f = lambda flat: objective(name, data, jnp)(*shaped(flat))
        g = jax.grad(f)(flat)
        if is_dense:
            return jnp.linalg.solve(jax.hessian(f)(flat), g)
        along = lambda v: jax.jvp(jax.grad(f), (flat,), (v,))[1]
        return jax.scipy.sparse.linalg.cg(along, g, tol=1e-10, maxiter=10_000)[0]

    step = jax.jit(step)
    report(workload, lambda: jax.block_until_ready(step(flat, data)), step(flat, data))


def casadi_step(workload):
    """The gradient and the sparse Hessian as CasADi's functions, and its sparse `L D Lᵀ`, whose order is found before."""
    import casadi as ca

    name, n = workload.split()
    n = int(n)
    data, u = point(name, n)
    flat = np.concatenate([part.ravel() for part in u])
    if flat.size > (DENSE if name == "coupled" else 20_000) or name in ("softmax", "bilinear"):
        return
    x = ca.SX.sym("x", flat.size)
    square = lambda v: ca.sum1(v**2)
    if name == "valley":
        f = ca.sum1(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)
    elif name == "coupled":
        f = ca.sum1(x**4 / 4 + x**2) + ca.sum1(x) ** 2 / n
    elif name == "smooth":
        p, v = x[0::2], x[1::2]
        f = ca.sum1((p - data[0]) ** 2 + 0.01 * p**4)
        f += square(p[1:] - p[:-1] - 0.1 * v[:-1]) + 10 * square(v[1:] - 0.9 * v[:-1])
    else:
        camera, at, z = data
        part = lambda k, start, stride, index: x[[start + stride * int(i) + k for i in index]]
        c = [part(k, 0, 3, camera) for k in range(3)]
        p = [part(k, 15, 2, at) for k in range(2)]
        f = square(c[0] * p[0] - ca.sin(c[2]) * p[1] - z[:, 0])
        f += square(c[1] + ca.cos(c[2]) * p[1] + 0.1 * p[0] ** 2 - z[:, 1]) + square(x)
    h, g = ca.hessian(f, x)
    both = ca.Function("both", [x], [h, g])
    solver = ca.Linsol("solver", "ldl", h.sparsity())
    buffer, evaluate = both.buffer()
    matrix, right = np.zeros(h.nnz()), np.zeros(flat.size)
    buffer.set_arg(0, memoryview(np.ascontiguousarray(flat)))
    buffer.set_res(0, memoryview(matrix))
    buffer.set_res(1, memoryview(right))
    pattern = h.sparsity()

    def step():
        evaluate()
        a = ca.DM(pattern, matrix)
        solver.nfact(a)
        return solver.solve(a, ca.DM(right))

    report(workload, step, np.array(step()).ravel())


for workload in sys.argv[2:]:
    match sys.argv[1]:
        case "dense":
            jax_step(workload, True)
        case "cg":
            jax_step(workload, False)
        case "casadi":
            casadi_step(workload)
