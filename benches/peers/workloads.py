"""The inputs of the workloads, by the formulas of `src/workload.rs`, and the clock."""

import os
import sys
import time

# One thread for everyone: before any library starts its own.
os.environ.update(
    {name: "1" for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
)
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

import numpy as np


def mixture(d, k, n=1000):
    t = d * (d - 1) // 2
    i, j = np.arange(k)[:, None], np.arange(d)[None, :]
    e = np.arange(t)[None, :]
    point = (
        np.sin(np.arange(k, dtype=float)),
        np.cos((i * 7 + j).astype(float)),
        0.3 * np.sin((i * 3 + j * 5).astype(float)),
        0.5 * np.cos((i * 11 + e * 13).astype(float)),
    )
    direction = (
        np.cos(np.arange(k, dtype=float)),
        np.sin((i * 5 + j).astype(float)),
        np.cos((i * 2 + j).astype(float)),
        np.sin((i + e * 3).astype(float)),
    )
    x = 2 * np.sin((np.arange(n)[:, None] * 17 + 3 * j).astype(float))
    return point, direction, x


def network(batch):
    def grid(rows, columns, f):
        return f(np.arange(rows)[:, None], np.arange(columns)[None, :])

    parameters = (
        grid(256, 784, lambda i, j: 0.05 * np.sin((i * 3 + j * 7).astype(float))),
        0.1 * np.sin(np.arange(256.0)),
        grid(256, 256, lambda i, j: 0.1 * np.cos((i * 5 + j * 11).astype(float))),
        0.1 * np.cos(np.arange(256.0)),
        grid(10, 256, lambda i, j: 0.1 * np.sin((i * 13 + j).astype(float))),
        0.01 * np.arange(10.0),
    )
    xs = grid(batch, 784, lambda b, i: 0.5 + 0.5 * np.sin((i * i + 31 * b).astype(float)))
    ts = grid(batch, 10, lambda b, i: np.cos((i + b).astype(float)))
    return parameters, xs, ts


def bundle():
    i = np.arange(49.0)
    cameras = np.stack(
        [0.1 * np.sin(i), 0.1 * np.cos(2 * i), 0.05 * np.sin(3 * i), 0.2 * np.sin(i), 0.3 * np.cos(i)]
        + [0.1 * np.sin(i) - 5, 500 + i, 10 + np.sin(i), 5 - np.cos(i), 0.01 * np.sin(i), 0.001 * np.cos(i)],
        axis=1,
    )
    i = np.arange(7776.0)
    points = np.stack([np.sin(1.3 * i), np.cos(0.7 * i), 0.5 * np.sin(0.31 * i)], axis=1)
    i = np.arange(31843)
    weights = 0.5 + 0.4 * np.sin(i.astype(float))
    features = np.stack([400 * np.sin(i.astype(float)), 300 * np.cos(i.astype(float))], axis=1)
    return cameras, points, weights, 7 * i % 49, 13 * i % 7776, features


def rosenbrock(n):
    return np.sin(np.arange(float(n)))


def clock(run):
    """The median over half a second of runs, and at least five, by the processor time of the process. What is short runs
    several times between two looks at the clock."""

    def turns(count):
        start = time.process_time()
        for _ in range(count):
            run()
        return time.process_time() - start

    turns(2)
    count = 1
    while turns(count) < 20e-6:
        count *= 2
    times = []
    while len(times) < 5 or sum(times) < 0.5:
        times.append(turns(count))
    return sorted(times)[len(times) // 2] / count


def report(name, value, derivative, numbers):
    """Prints a line; `numbers` are the arrays of the derivative, in order."""
    value, derivative = clock(value), clock(derivative)
    flat = np.concatenate([np.asarray(part, dtype=float).reshape(-1) for part in numbers])
    checksum = float(np.sum(flat * np.cos(np.arange(len(flat)))))
    print(f"{name}\t{value}\t{derivative}\t{checksum!r}", flush=True)


def run(rows):
    """Runs the rows that the command line names, or all."""
    for name, row in rows.items():
        if len(sys.argv) == 1 or name in sys.argv[1:]:
            try:
                row(name)
            except Exception as problem:  # one row that fails leaves the others
                print(f"{name}: {problem}", file=sys.stderr)
