"""What the scripts for the programs of the folder `untuned` share: JAX in double precision, compiled, one thread."""

import os

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import workloads
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)


def grid(f, *sizes):
    """The array of `f` at every index."""
    return jnp.asarray(f(*np.meshgrid(*(np.arange(float(n)) for n in sizes), indexing="ij")))


def vector(f, n):
    return grid(f, n)


def gradient(value):
    return jax.grad(value)


def row(value, derivative, point, *data):
    """A workload: `value` and `derivative` are functions of the point and of the data."""

    def run(name):
        f, g = jax.jit(value), jax.jit(derivative)
        workloads.report(
            name,
            lambda: jax.block_until_ready(f(point, *data)),
            lambda: jax.block_until_ready(g(point, *data)),
            jax.tree_util.tree_leaves(g(point, *data)),
        )

    return run
