"""What JAX's solvers with implicit derivatives give in each mode, beside closed forms: right, wrong or an error."""

import math
import os

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import jax.numpy as jnp
from jax.experimental import jet

jax.config.update("jax_enable_x64", True)


def newton(f, x):
    return jax.lax.fori_loop(0, 30, lambda _, x: x - f(x) / jax.grad(f)(x), x)


def tangent_solve(g, y):
    return y / g(1.0)


def root(f, x):
    return jax.lax.custom_root(f, x, newton, tangent_solve)


def fixpoint(f, x):
    iterate = lambda g, x: jax.lax.fori_loop(0, 100, lambda _, x: x - g(x), x)
    return jax.lax.custom_root(lambda x: x - f(x), x, iterate, tangent_solve)


def argmin(f, x):
    return root(jax.grad(f), x)


def linear(a):
    matrix = jnp.array([[a, 1.0], [1.0, a]])
    dense = lambda f, b: jnp.linalg.solve(jax.jacobian(f)(b), b)
    return jax.lax.custom_linear_solve(lambda x: matrix @ x, jnp.array([1.0, 0.0]), dense, symmetric=True)[0]


SOLVERS = {
    "root": (lambda a: root(lambda x: x**2 - a, 1.0), jnp.sqrt),
    "fixpoint": (lambda a: fixpoint(lambda x: (x + a / x) / 2, 1.0), jnp.sqrt),
    "argmin": (lambda a: argmin(lambda x: x**3 / 3 - a * x, 1.0), jnp.sqrt),
    "solve": (lambda a: linear(a), lambda a: a / (a**2 - 1)),
    "ODE step": (
        lambda a: root(lambda y: y - 1 + 0.5 * a * y**2, 1.0),
        lambda a: (jnp.sqrt(1 + 2 * a) - 1) / a,
    ),
}


def taylor(f):
    def coefficients(a):
        value, terms = jet.jet(f, (a,), ((1.0, 0.0, 0.0, 0.0, 0.0),))
        return jnp.array([value, *terms])

    return coefficients


def hvp(f):
    return lambda a: jax.jvp(jax.grad(f), (a,), (1.0,))[1]


MODES = {
    "jvp": lambda f: lambda a: jax.jvp(f, (a,), (1.5,))[1],
    "vjp": lambda f: lambda a: jax.vjp(f, a)[1](1.5)[0],
    "hvp": hvp,
    "third order": lambda f: jax.grad(hvp(f)),
    "Jacobian": lambda f: lambda a: jax.jacobian(jax.vmap(f))(jnp.array([a, a + 1, a + 2])),
    "taylor": taylor,
}

for solver, (f, closed) in SOLVERS.items():
    found = []
    for mode in MODES.values():
        expected = mode(closed)(2.5)
        try:
            apart = float(jnp.max(jnp.abs(mode(f)(2.5) - expected) / (1 + jnp.abs(expected))))
            found.append("right" if apart < 1e-8 else f"wrong by {apart:.1e}")
        except Exception as problem:
            found.append(f"error ({type(problem).__name__})")
    print("| " + " | ".join([solver, *found]) + " |")
