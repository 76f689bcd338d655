"""A Python tool of GradBench, whose results are waited for.

    python gradbench_tool.py CHECKOUT jax|pytorch

JAX gives an array before it is computed; a function of it is timed here until the array is there.
"""

import os
import runpy
import sys

checkout, tool = sys.argv[1:]
sys.path.insert(0, os.path.join(checkout, "python/gradbench"))

from gradbench import wrap

if tool == "jax":
    import jax

    multiple_runs = wrap.multiple_runs

    def waiting(**settings):
        decorate = multiple_runs(**settings)
        return lambda function: decorate(lambda value: jax.block_until_ready(function(value)))

    wrap.multiple_runs = waiting

folder = os.path.join(checkout, "python/gradbench/gradbench/tools", tool)
sys.path.insert(0, folder)
sys.argv = [os.path.join(folder, "run.py")]
runpy.run_path(sys.argv[0], run_name="__main__")
