"""The workloads in CasADi, as C that it writes and a compiler makes a library of.

    python casadi_peer.py FOLDER [WORKLOAD ...]

Prints a line for each workload that it has: name, and library, separated by a tab. A library has functions with the
names and arguments of the code by hand (`hand/optimised.rs`), which call what CasADi wrote. Where there are many
observations, points or terms, CasADi has a function of one, and a loop in C goes over them.

A matrix of CasADi is stored column by column, so that what is a row here is a column there.
"""

import os
import shutil
import subprocess
import sys

import casadi as ca

BEGINNING = """#include <stdint.h>
#define CASADI_SYMBOL_EXPORT static inline
#include "written.c"
#define REALS(at) ((const double *)words[at])
#define INTEGERS(at) ((const int64_t *)words[at])
"""


def call(function, inputs, outputs):
    """C that calls a function with addresses."""
    arguments = [*inputs, *["0"] * (function.sz_arg() - len(inputs))]
    results = [*outputs, *["0"] * (function.sz_res() - len(outputs))]
    return f"""{{
    const double *arguments[] = {{{", ".join(arguments)}}};
    double *results[] = {{{", ".join(results)}}};
    static casadi_int integers[{function.sz_iw() + 1}];
    static double reals[{function.sz_w() + 1}];
    {function.name()}(arguments, results, integers, reals, 0);
  }}"""


def entry(name, *statements):
    """A function as the suite calls it."""
    body = "\n  ".join(statements)
    return f"void {name}(const uint64_t *words, double *to) {{\n  {body}\n}}\n"


def mixture(d, k, along=False):
    """`Σ inner(prepared, x)` over points, and what does not depend on them; the gradient is pulled back by hand nowhere:
    `finish` takes the sums of the points' gradients back through `prepare`."""
    t = d * (d - 1) // 2
    shapes = [(k, 1), (d, k), (d, k), (t, k)]
    alphas, means, qs, ls = parameters = [ca.SX.sym(name, *shape) for name, shape in zip("amql", shapes)]
    x = ca.SX.sym("x", d)
    gamma, m, n = ca.SX.sym("gamma"), ca.SX.sym("m"), ca.SX.sym("n")

    def flat(parts):
        return ca.vertcat(*[ca.vec(part) for part in parts])

    # What every point needs, in one vector.
    prepared = flat([alphas + ca.sum1(qs).T, means, ca.exp(qs), ls])
    size = prepared.numel()
    point = ca.SX.sym("p", size)
    offsets, centres, scales, factors = [
        ca.reshape(part, *shape)
        for part, shape in zip(ca.vertsplit(point, [0, k, k + d * k, k + 2 * d * k, size]), shapes)
    ]
    exponents = []
    for c in range(k):
        centred = x - centres[:, c]
        z = [scales[i, c] * centred[i] for i in range(d)]
        at = 0
        for j in range(d):
            for i in range(j + 1, d):
                z[i] += factors[at, c] * centred[j]
                at += 1
        exponents.append(offsets[c] - 0.5 * ca.sumsqr(ca.vertcat(*z)))
    inner = ca.logsumexp(ca.vertcat(*exponents))
    frobenius = ca.sumsqr(ca.exp(qs)) + ca.sumsqr(ls)
    outer = -n * ca.logsumexp(alphas) + 0.5 * gamma**2 * frobenius - m * ca.sum1(ca.sum2(qs))

    bar = ca.SX.sym("bar", size)
    gradient = ca.jtimes(prepared, flat(parameters), bar, True) + ca.gradient(outer, flat(parameters))
    constants = [gamma, m, n]
    functions = [
        ca.Function("prepare", parameters, [prepared]),
        ca.Function("inner", [point, x], [inner]),
        ca.Function("outer", [*parameters, *constants], [outer]),
        ca.Function("gradient", [point, x], [ca.gradient(inner, point)]),
        ca.Function("finish", [*parameters, *constants, bar], [gradient]),
    ]
    prepare, inner_value, outer_value, inner_gradient, finish = functions
    given = ["REALS(0)", "REALS(2)", "REALS(4)", "REALS(6)"]
    start = [
        f"static double prepared[{size}], one[{size}], total[{size}], turned[{size}], change[{size}], sum[{size}];",
        "const double *gamma = (const double *)&words[10];",
        f"const double m = (double)(int64_t)words[11], n = (double)(words[9] / {d});",
        call(prepare, given, ["prepared"]),
    ]
    constant = ["gamma", "&m", "&n"]

    def each_point(*statements):
        return f"for (uint64_t i = 0; i < words[9] / {d}; ++i) {{ const double *x = REALS(8) + {d} * i; {' '.join(statements)} }}"

    add = f"for (int j = 0; j < {size}; ++j) total[j] += one[j];"
    clear = f"for (int j = 0; j < {size}; ++j) total[j] = 0.0;"
    text = entry(
        "gmm_value",
        *start,
        call(outer_value, [*given, *constant], ["to"]),
        each_point("double term;", call(inner_value, ["prepared", "x"], ["&term"]), "*to += term;"),
    )
    if not along:
        text += entry(
            "gmm",
            *start,
            clear,
            each_point(call(inner_gradient, ["prepared", "x"], ["one"]), add),
            call(finish, [*given, *constant, "total"], ["to"]),
        )
        return functions, text
    direction = [ca.SX.sym("v" + name, *shape) for name, shape in zip("amql", shapes)]
    point_change, bar_change = ca.SX.sym("vp", size), ca.SX.sym("vbar", size)
    turned = ca.jtimes(ca.gradient(inner, point), point, point_change)
    prepare_along = ca.Function(
        "prepare_along", [*parameters, *direction], [ca.jtimes(prepared, flat(parameters), flat(direction))]
    )
    both = ca.Function("both", [point, x, point_change], [ca.gradient(inner, point), turned])
    changed = ca.jtimes(gradient, ca.vertcat(flat(parameters), bar), ca.vertcat(flat(direction), bar_change))
    finish_along = ca.Function(
        "finish_along", [*parameters, *constants, bar, *direction, bar_change], [changed]
    )
    given_direction = ["REALS(12)", "REALS(14)", "REALS(16)", "REALS(18)"]
    text += entry(
        "gmm_hvp",
        *start,
        call(prepare_along, [*given, *given_direction], ["change"]),
        f"for (int j = 0; j < {size}; ++j) total[j] = sum[j] = 0.0;",
        each_point(
            call(both, ["prepared", "x", "change"], ["one", "turned"]),
            f"for (int j = 0; j < {size}; ++j) {{ total[j] += one[j]; sum[j] += turned[j]; }}",
        ),
        call(finish_along, [*given, *constant, "total", *given_direction, "sum"], ["to"]),
    )
    return [*functions, prepare_along, both, finish_along], text


def bundle():
    camera, x, feature = ca.SX.sym("camera", 11), ca.SX.sym("x", 3), ca.SX.sym("feature", 2)
    weight = ca.SX.sym("weight")
    turn, moved = camera[:3], x - camera[3:6]
    angle = ca.norm_2(turn)
    axis = turn / angle
    cosine, sine = ca.cos(angle), ca.sin(angle)
    y = cosine * moved + sine * ca.cross(axis, moved) + (1 - cosine) * ca.dot(axis, moved) * axis
    u = y[:2] / y[2]
    r2 = ca.sumsqr(u)
    projected = camera[6] * ((1 + camera[9] * r2 + camera[10] * r2**2) * u) + camera[7:9]
    error = weight * (projected - feature)
    rows = ca.jacobian(error, ca.vertcat(camera, x, weight)).T
    functions = [
        ca.Function("error", [camera, x, weight, feature], [error]),
        ca.Function("block", [camera, x, weight, feature], [ca.densify(rows)]),
        ca.Function("slack", [weight], [1 - weight**2]),
        ca.Function("slope", [weight], [ca.gradient(1 - weight**2, weight)]),
    ]
    inputs = ["REALS(0) + 11 * INTEGERS(6)[i]", "REALS(2) + 3 * INTEGERS(8)[i]", "REALS(4) + i", "REALS(10) + 2 * i"]

    def over(name, function, size, of_weight):
        return entry(
            name,
            "const uint64_t count = words[5];",
            f"for (uint64_t i = 0; i < count; ++i) {call(function, inputs, [f'to + {size} * i'])}",
            f"for (uint64_t i = 0; i < count; ++i) {call(of_weight, ['REALS(4) + i'], [f'to + {size} * count + i'])}",
        )

    error, block, slack, slope = functions
    return functions, over("ba_value", error, 2, slack) + over("ba", block, 30, slope)


def term(here, following):
    return 100 * (following - here**2) ** 2 + (1 - here) ** 2


def rosenbrock():
    pair = ca.SX.sym("pair", 2)
    value = term(pair[0], pair[1])
    functions = [ca.Function("value", [pair], [value]), ca.Function("slopes", [pair], [ca.gradient(value, pair)])]
    text = entry(
        "rosenbrock_value",
        "double sum = 0.0;",
        f"for (uint64_t i = 0; i + 1 < words[1]; ++i) {{ double term; {call(functions[0], ['REALS(0) + i'], ['&term'])} sum += term; }}",
        "*to = sum;",
    )
    text += entry(
        "rosenbrock",
        "to[0] = 0.0;",
        f"for (uint64_t i = 0; i + 1 < words[1]; ++i) {{ double pair[2]; {call(functions[1], ['REALS(0) + i'], ['pair'])} to[i] += pair[0]; to[i + 1] = pair[1]; }}",
    )
    return functions, text


def rosenbrock_hessian(name, dense):
    x = ca.SX.sym("x", 100)
    value = ca.sum1(term(x[:-1], x[1:]))
    hessian = ca.hessian(value, x)[0]
    functions = [
        ca.Function("value", [x], [value]),
        ca.Function("entries", [x], [ca.densify(hessian) if dense else hessian]),
    ]
    return functions, entry("rosenbrock_value", call(functions[0], ["REALS(0)"], ["to"])) + entry(
        name, call(functions[1], ["REALS(0)"], ["to"])
    )


def recurrence(name, forward):
    x = ca.SX.sym("x")
    y = x
    for _ in range(1000):
        y = 1.1 * ca.sin(y) + 0.1
    derivative = ca.jtimes(y, x, ca.SX(1), not forward)
    functions = [ca.Function("value", [x], [y]), ca.Function("derivative", [x], [derivative])]
    given = "(const double *)&words[0]"
    return functions, entry("recurrence_value", call(functions[0], [given], ["to"])) + entry(
        name, call(functions[1], [given], ["to"])
    )


def build(folder, functions, text):
    """A library, made in a folder of its own."""
    os.makedirs(folder)
    generator = ca.CodeGenerator("written.c")
    for function in functions:
        generator.add(function)
    generator.generate(folder + "/")
    with open(os.path.join(folder, "entries.c"), "w") as file:
        file.write(BEGINNING + text)
    library = os.path.join(folder, "library.so")
    source = os.path.join(folder, "entries.c")
    # What CasADi writes beside the functions, such as squares, is to be part of them.
    flags = ["-O3", "-march=native", "-shared", "-fPIC", "-fno-semantic-interposition", "-w"]
    subprocess.run(["gcc", *flags, source, "-o", library, "-lm"], check=True)
    return library


ROWS = {
    "gmm d=10 k=25": lambda: mixture(10, 25),
    "gmm d=2 k=5": lambda: mixture(2, 5),
    "gmm hvp d=2 k=5": lambda: mixture(2, 5, along=True),
    "ba blocks": bundle,
    "rosenbrock n=1000000": rosenbrock,
    "rosenbrock hessian n=100": lambda: rosenbrock_hessian("rosenbrock_hessian", dense=True),
    "rosenbrock sparse hessian n=100": lambda: rosenbrock_hessian("rosenbrock_entries", dense=False),
    "recurrence forward": lambda: recurrence("recurrence_forward", forward=True),
    "recurrence reverse": lambda: recurrence("recurrence", forward=False),
}


def main():
    folder, *chosen = sys.argv[1:]
    if not shutil.which("gcc"):
        sys.exit("gcc is not installed, and CasADi left out")
    for index, (name, row) in enumerate(ROWS.items()):
        if not chosen or name in chosen:
            try:
                library = build(os.path.join(folder, str(index)), *row())
                print(f"{name}\t{library}", flush=True)
            except Exception as problem:  # one row that fails leaves the others
                print(f"CasADi, {name}: {problem}", file=sys.stderr)


main()
