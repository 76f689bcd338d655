"""Writes table.txt: values of every function of numbers, from mpmath with 60 digits."""

from mpmath import mp, mpf, mpc, inf, nan, isnan, re, log, gamma, floor, ceil, sign

mp.dps = 60


def lgamma(x):
    return log(abs(gamma(x))) if abs(x) < 1e5 else re(mp.loggamma(x))


def real(f):
    """NaN where the value is not real."""

    def g(*x):
        y = f(*x)
        return nan if isinstance(y, mpc) and y.imag != 0 else re(y)

    return g


def log_ndtr(x):
    upper = mp.erfc(abs(x) / mp.sqrt(2)) / 2
    return log(upper) if x < 0 else mp.log1p(-upper)


def hazard(x):
    return mp.exp(-x * x / 2 - log_ndtr(x)) / mp.sqrt(2 * mp.pi)


NORMAL = [0, 1e-300, -1e-10, 0.5, -0.5, 1.25, -1.25, 2, -2, 2.5, -2.5, -2.4999, 3, -3, 5.5, -5.5, 8, -10, 20, -20, 37.5, -40, -100, -1e4, -1e8]
EVERYWHERE = [0, 1e-300, -1e-10, 0.1, -0.5, 1, 1.5, -2.25, 3, 7.5, -20, 30.125]
POSITIVE = [5e-324, 1e-300, 1e-10, 0.1, 0.5, 1, 1.0000001, 2, 10, 12345.678, 1e300]
UNIT = [0, 1e-300, -1e-10, 0.1, -0.5, 0.75, 0.999999, -0.99999999999, 1, -1]
GAMMA = [1e-300, 1e-10, 0.1, 0.5, 1.25, 2.5, 3, 7.5, 10.75, 30.5, 171.5, 1e4, 1e15, -0.5, -1.25, -2.75, -7.1, -20.3, -100.01]

ONE = {
    "unary -": (lambda x: -x, EVERYWHERE),
    "exp": (mp.exp, EVERYWHERE + [-700, 700, -745]),
    "log": (mp.log, POSITIVE),
    "sqrt": (mp.sqrt, POSITIVE + [0]),
    "cbrt": (lambda x: sign(x) * mp.cbrt(abs(x)), POSITIVE + [0, -8, -2.5]),
    "sin": (mp.sin, EVERYWHERE + [1e10, 1e22]),
    "cos": (mp.cos, EVERYWHERE + [1e10, 1e22]),
    "tan": (mp.tan, EVERYWHERE + [1e10, 1.5707963]),
    "asin": (mp.asin, UNIT),
    "acos": (mp.acos, UNIT),
    "atan": (mp.atan, EVERYWHERE + [1e300]),
    "sinh": (mp.sinh, EVERYWHERE + [-700, 700]),
    "cosh": (mp.cosh, EVERYWHERE + [-700, 700]),
    "tanh": (mp.tanh, EVERYWHERE + [-700]),
    "asinh": (mp.asinh, EVERYWHERE + [1e300, -1e300]),
    "acosh": (mp.acosh, [1, 1.0000001, 1.0000000001, 1.25, 2, 10, 1e10, 1e300]),
    "atanh": (mp.atanh, UNIT[:-2]),
    "exp2": (lambda x: mpf(2) ** x, EVERYWHERE + [-1070, 1000.5]),
    "log2": (lambda x: log(x) / log(mpf(2)), POSITIVE),
    "log10": (lambda x: log(x) / log(mpf(10)), POSITIVE),
    "expm1": (mp.expm1, EVERYWHERE + [700, -700]),
    "log1p": (mp.log1p, [0, 1e-300, -1e-10, 1e-5, -0.5, -0.9999999, 1, 10, 1e300]),
    "abs": (abs, EVERYWHERE),
    "sign": (sign, EVERYWHERE),
    "floor": (floor, EVERYWHERE + [1e300]),
    "ceil": (ceil, EVERYWHERE + [-1e300]),
    "round": (lambda x: sign(x) * floor(abs(x) + mpf("0.5")), EVERYWHERE + [0.49999999999999994, 2.5, -2.5, 1e300]),
    "erf": (mp.erf, EVERYWHERE),
    "erfc": (mp.erfc, EVERYWHERE + [5, 10, 26]),
    "lgamma": (lgamma, GAMMA),
    "digamma": (mp.digamma, GAMMA),
    "log_ndtr": (log_ndtr, NORMAL),
    "normal hazard": (hazard, NORMAL),
    "normal excess": (lambda x: x + hazard(x), NORMAL),
}

TWO = {
    "+": (lambda x, y: x + y, [(0.1, 0.2), (1e16, 1), (-3, 3)]),
    "-": (lambda x, y: x - y, [(0.1, 0.3), (1e16, 1), (3, 3)]),
    "*": (lambda x, y: x * y, [(0.1, 0.3), (1e200, 1e-200), (-3, 7)]),
    "/": (lambda x, y: x / y, [(1, 3), (1e200, -1e-100), (0, 7)]),
    "exact *": (lambda x, y: x * y, [(0.1, 0.3), (0, 5), (-3, 7)]),
    "min": (min, [(1, 2), (2, 1), (-3, -3)]),
    "max": (max, [(1, 2), (2, 1), (-3, -3)]),
    "^": (mp.power, [(2, 10), (2, -0.5), (-2, 3), (0, 2.5), (0.5, 1000.5), (1.0000001, 1e8), (7, 0)]),
    "pow": (mp.power, [(2, 10), (2, -0.5), (-2, 3), (0, 2.5), (0.5, 1000.5), (1.0000001, 1e8), (7, 0)]),
    "integer ^": (mp.power, [(2, 10), (1.1, 2), (-1.1, 3), (-3, -1), (0.1, -3), (1.5, 100), (-7, 0), (0, 0), (0, 4)]),
    "hypot": (mp.hypot, [(3, 4), (1e300, 1e300), (1e-300, -1e-300), (0, -2), (1, 1e-10)]),
    "atan2": (mp.atan2, [(1, 1), (1, -1), (-1, -1), (-1, 1), (0, 2), (1e-300, 1e300), (3, 1e-20)]),
    "polygamma of order": (
        lambda k, x: mp.polygamma(int(k), x),
        [(k, x) for k in (1, 2, 3, 6) for x in (1e-3, 0.5, 1, 2.75, 10.5, 1e5, -0.5, -1.25, -10.1)],
    ),
}


def text(x):
    x = mpf(x)
    return "nan" if isnan(x) else mp.nstr(x, 25) if abs(x) != inf else ("inf" if x > 0 else "-inf")


with open(__file__.replace("generate.py", "table.txt"), "w") as table:
    print("# name; arguments; value to 25 digits, written by generate.py", file=table)
    for name, (f, points) in ONE.items():
        for x in points:
            print(f"{name}; {float(x)!r}; {text(real(f)(mpf(x)))}", file=table)
    for name, (f, points) in TWO.items():
        for x in points:
            arguments = " ".join(repr(float(t)) for t in x)
            print(f"{name}; {arguments}; {text(real(f)(*map(mpf, x)))}", file=table)
