// Says what is wrong and where, and fails.
static int riesz_fail(riesz_run *run, int what, int where, int64_t a, int64_t b, int64_t c) {
    snprintf(run->message, sizeof run->message, riesz_sites[what].message, a, b, c);
    run->code = riesz_sites[what].code;
    run->place = riesz_sites[where].place;
    return 1;
}
// What stands before a buffer: all buffers of a run are in one list, so that none is lost when it fails.
struct riesz_block { struct riesz_block *before, *behind; int64_t bytes, unused; };
// A buffer of elements of a size. They have any value, and are false if they are truth values.
static void *riesz_allocate(riesz_run *run, int64_t count, size_t size, int site) {
    struct riesz_block *block = NULL;
    count = count < 0 ? 0 : count;
    if (count <= run->memory / (int64_t)size && (uint64_t)count <= (SIZE_MAX - sizeof *block) / size)
        block = malloc(sizeof *block + (size_t)count * size);
    if (block == NULL && riesz_fail(run, RIESZ_MEMORY, site, run->max_memory, 0, 0)) return NULL;
    if (size == sizeof(bool)) memset(block + 1, 0, (size_t)count * size);
    *block = (struct riesz_block){NULL, run->blocks, count * (int64_t)size, 0};
    if (block->behind != NULL) block->behind->before = block;
    run->blocks = block;
    run->memory -= block->bytes;
    return block + 1;
}
static void riesz_release(riesz_run *run, void *buffer) {
    struct riesz_block *block = (struct riesz_block *)buffer - 1;
    *(block->before != NULL ? &block->before->behind : &run->blocks) = block->behind;
    if (block->behind != NULL) block->behind->before = block->before;
    run->memory += block->bytes;
    free(block);
}
// A buffer of at least so many elements that begins with those of another, which it replaces. It doubles at least.
static void *riesz_grow(riesz_run *run, void *buffer, int64_t count, size_t size, int site) {
    const int64_t bytes = ((struct riesz_block *)buffer - 1)->bytes, before = bytes / (int64_t)size;
    if (count <= before) return buffer;
    void *grown = riesz_allocate(run, count > 2 * before ? count : 2 * before, size, site);
    if (grown == NULL) return NULL;
    memcpy(grown, buffer, (size_t)bytes);
    riesz_release(run, buffer);
    return grown;
}
// Begins a call from outside.
static void riesz_begin(riesz_run *run) {
    const int64_t steps = run->max_steps, depth = run->max_depth, memory = run->max_memory, stack = run->max_stack;
    *run = (riesz_run){.max_steps = steps, .max_depth = depth, .max_memory = memory, .max_stack = stack,
                       .steps = steps, .depth = depth, .memory = memory, .stack = (uintptr_t)&steps};
}
static int riesz_end(riesz_run *run, int failed) {
    while (run->blocks != NULL) riesz_release(run, run->blocks + 1);
    return failed;
}
// Refuses a length that no array has.
static int riesz_size(riesz_run *run, double size) {
    const int64_t shown = (int64_t)fmax(fmin(size, 9e18), -9e18);
    return size >= 0.0 && size <= 1e15 ? 0 : riesz_fail(run, RIESZ_SIZE, RIESZ_SIZE, shown, 0, 0);
}
// Copies elements to the caller's array.
static int riesz_give(riesz_run *run, void *to, int64_t room, const void *from, int64_t count, size_t size) {
    if (count > room) return run->needed = count, riesz_fail(run, RIESZ_ROOM, RIESZ_ROOM, count, room, 0);
    if (count > 0) memcpy(to, from, (size_t)count * size);
    return 0;
}
static inline int riesz_step(riesz_run *run, int64_t count, int site) {
    run->steps -= count > 0 ? count : 0;
    return run->steps < 0 ? riesz_fail(run, RIESZ_STEPS, site, run->max_steps, 0, 0) : 0;
}
// Begins a call. The stack may end before the calls do.
static inline int riesz_enter(riesz_run *run, int site) {
    const uintptr_t at = (uintptr_t)&site, used = at < run->stack ? run->stack - at : at - run->stack;
    if (--run->depth < 0 || used > (uintptr_t)run->max_stack)
        return riesz_fail(run, site, site, run->max_depth - run->depth - 1, 0, 0);
    return riesz_step(run, 1, site);
}
static inline bool riesz_add(int64_t a, int64_t b, int64_t *to) {
    const bool fits = b < 0 ? a >= INT64_MIN - b : a <= INT64_MAX - b;
    return *to = fits ? a + b : 0, fits;
}
static inline bool riesz_sub(int64_t a, int64_t b, int64_t *to) {
    const bool fits = b < 0 ? a <= INT64_MAX + b : a >= INT64_MIN + b;
    return *to = fits ? a - b : 0, fits;
}
static inline bool riesz_abs(int64_t a, int64_t *to) { return riesz_sub(a < 0 ? 0 : a, a < 0 ? a : 0, to); }
static inline bool riesz_mul(int64_t a, int64_t b, int64_t *to) {
    const bool fits = a > 0   ? (b > 0 ? a <= INT64_MAX / b : b >= INT64_MIN / a)
                      : b > 0 ? a >= INT64_MIN / b
                              : a == 0 || b >= INT64_MAX / a;
    return *to = fits ? a * b : 0, fits;
}
static inline bool riesz_div(int64_t a, int64_t b, int64_t *to) {
    const bool fits = b != 0 && !(a == INT64_MIN && b == -1);
    return *to = fits ? a / b - (a % b != 0 && (a % b < 0) != (b < 0)) : 0, fits;
}
static inline bool riesz_mod(int64_t a, int64_t b, int64_t *to) {
    const int64_t rest = b == 0 || b == -1 ? 0 : a % b;
    return *to = rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest, b != 0;
}
static bool riesz_power(int64_t x, int64_t n, int64_t *to) {
    bool fits = n >= 0;
    for (*to = 1; fits && n > 0; n /= 2)
        fits = (n % 2 == 0 || riesz_mul(*to, x, to)) && (n == 1 || riesz_mul(x, x, &x));
    return fits;
}
static inline int64_t riesz_least(int64_t a, int64_t b) { return b < a ? b : a; }
static inline int64_t riesz_greatest(int64_t a, int64_t b) { return b > a ? b : a; }
// Arithmetic on sizes, which saturates.
static inline int64_t riesz_size_add(int64_t a, int64_t b) {
    return riesz_add(a, b, &b) ? b : a < 0 ? INT64_MIN : INT64_MAX;
}
static inline int64_t riesz_size_sub(int64_t a, int64_t b) {
    return riesz_sub(a, b, &b) ? b : a < 0 ? INT64_MIN : INT64_MAX;
}
static inline int64_t riesz_size_mul(int64_t a, int64_t b) {
    const int64_t most = (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
    return riesz_mul(a, b, &b) ? b : most;
}
static inline bool riesz_truncate(double x, int64_t *to) {
    const bool fits = trunc(x) >= -9223372036854775808.0 && trunc(x) < 9223372036854775808.0;
    return *to = fits ? (int64_t)x : 0, fits;
}
// The larger of two numbers, the first of equal ones; NaN if either is.
static inline double riesz_max(double x, double y) { return x < y || isnan(y) ? y : x; }
static inline double riesz_min(double x, double y) { return y < x || isnan(y) ? y : x; }
// The product in which zero times anything is zero.
static inline double riesz_exact(double x, double y) { return x == 0.0 || y == 0.0 ? 0.0 : x * y; }
static inline double riesz_sign(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : isnan(x) ? x : 0.0; }
// A whole power of a number: squares and inverses to the last bit.
static inline double riesz_whole_power(double x, double n) { return n == 2.0 ? x * x : n == -1.0 ? 1.0 / x : pow(x, n); }
// Whether two numbers are within a tolerance of each other; NaN agrees with NaN and an infinity with itself.
static inline bool riesz_near(double a, double b, double tolerance) {
    const double apart = fabs(a - b) / fmax(fmax(fabs(a), fabs(b)), 1.0);
    const double distance = a == b || (isnan(a) && isnan(b)) ? 0.0 : apart;
    return isfinite(distance) && distance <= tolerance;
}
static inline bool riesz_near_integers(int64_t a, int64_t b, double tolerance) {
    const uint64_t distance = a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
    return (double)distance / fmax(fmax(fabs((double)a), fabs((double)b)), 1.0) <= tolerance;
}
// The even Bernoulli numbers from the second on.
static const double riesz_bernoulli[14] = {
    1.0 / 6.0, -1.0 / 30.0, 1.0 / 42.0, -1.0 / 30.0, 5.0 / 66.0, -691.0 / 2730.0, 7.0 / 6.0, -3617.0 / 510.0,
    43867.0 / 798.0, -174611.0 / 330.0, 854513.0 / 138.0, -236364091.0 / 2730.0, 8553103.0 / 6.0, -23749461029.0 / 870.0,
};
static const double riesz_pi = 3.14159265358979323846;
static bool riesz_is_pole(double x) { return x == -INFINITY || (x <= 0.0 && trunc(x) == x); }
// The cotangent of a multiple of pi, reduced to its period and from there to the half where the tangent is accurate.
static double riesz_cotangent(double x) {
    x -= round(x);
    return fabs(x) < 0.25 ? 1.0 / tan(riesz_pi * x) : copysign(tan(riesz_pi * (0.5 - fabs(x))), x);
}
// The derivative of lgamma: moved to the right, where the asymptotic series is accurate.
static double riesz_digamma(double x) {
    double moved = 0.0, series = 0.0, power = 1.0;
    if (riesz_is_pole(x)) return NAN;
    if (x < 0.0) return riesz_digamma(1.0 - x) - riesz_pi * riesz_cotangent(x);
    for (; x < 12.0; x += 1.0) moved += 1.0 / x;
    for (int j = 0; j < 14; j++) series += riesz_bernoulli[j] / (2.0 * j + 2.0) * (power *= 1.0 / (x * x));
    return log(x) - 0.5 / x - series - moved;
}
// (k - 1)! / x^k
static double riesz_factorial_over_power(int k, double x) {
    double product = 1.0 / x;
    for (int i = 1; i < k; i++) product = product * i / x;
    return product;
}
// The derivative of digamma of an order. Those of the cotangent c are polynomials in c: p becomes -(1 + c * c) p'.
static double riesz_polygamma(double order, double x) {
    if (order == 0.0) return riesz_digamma(x);
    if (riesz_is_pole(x) || !(order > 0.0 && order <= 1000.0 && trunc(order) == order)) return NAN;
    const int k = (int)order;
    const double sign = k % 2 == 0 ? -1.0 : 1.0;
    double moved = 0.0;
    if (x < 0.0) {
        double p[1002] = {0.0, 1.0}, next[1002], value = 0.0;
        for (int n = 0; n < k; n++) {
            for (int i = 0; i <= n + 2; i++)
                next[i] = -(i <= n ? (i + 1) * p[i + 1] : 0.0) - (i < 2 ? 0.0 : (i - 1) * p[i - 1]);
            memcpy(p, next, (size_t)(n + 3) * sizeof *p);
        }
        for (int i = k + 1; i >= 0; i--) value = value * riesz_cotangent(x) + p[i];
        return -sign * riesz_polygamma(order, 1.0 - x) - riesz_pi * (pow(riesz_pi, order) * value);
    }
    for (; x < 12.0 + order; x += 1.0) moved += order * riesz_factorial_over_power(k, x) / x;
    double term = riesz_factorial_over_power(k, x), series = term + 0.5 * term * order / x;
    for (double twice = 2.0; twice < 29.0; twice += 2.0) {
        term *= (twice + order - 2.0) / x * ((twice + order - 1.0) / x) / ((twice - 1.0) * twice);
        series += riesz_bernoulli[(int)twice / 2 - 1] * term;
    }
    return sign * (moved + series);
}
static double riesz_normal_density(double x) {
    const double square = x * x, lost = square < 2000.0 ? fma(x, x, -square) : 0.0;
    return 0.3989422804014327 * exp(-0.5 * square) * (1.0 - 0.5 * lost);
}
// What the hazard exceeds -x by in the left tail: a continued fraction.
static double riesz_normal_tail(double x) {
    double fraction = -x;
    for (int k = 20 + (int)(450.0 / (x * x)); k >= 2; k--) fraction = k / fraction - x;
    return 1.0 / fraction;
}
static double riesz_normal_distribution(double x) {
    return x <= -2.5 ? riesz_normal_density(x) / (riesz_normal_tail(x) - x) : 0.5 * erfc(-x * 0.7071067811865476);
}
static double riesz_normal_hazard(double x) {
    const double below = x < 2.5 ? riesz_normal_distribution(x) : 1.0 - riesz_normal_distribution(-x);
    return x <= -2.5 ? riesz_normal_tail(x) - x : riesz_normal_density(x) / below;
}
static double riesz_normal_excess(double x) { return x <= -2.5 ? riesz_normal_tail(x) : x + riesz_normal_hazard(x); }
static double riesz_log_ndtr(double x) {
    const double least = riesz_normal_distribution(-fabs(x));
    if (x <= -2.5) return -0.5 * x * x - 0.9189385332046727 - log(riesz_normal_hazard(x));
    return x <= 0.0 ? log(least) : log1p(-least);
}
// A matrix in a buffer: its first element, and how far apart rows and columns are.
typedef struct { const double *first; int64_t row, column; } riesz_matrix;
// to = left right, row by row. Where it is exact, zero times anything is zero.
static void riesz_product(double *restrict to, riesz_matrix left, riesz_matrix right, int64_t rows, int64_t inner,
                          int64_t columns, bool exact) {
    for (int64_t i = 0; i < rows; i++) {
        double *restrict row = to + i * columns;
        for (int64_t j = 0; j < columns; j++) row[j] = 0.0;
        for (int64_t k = 0; k < inner; k++) {
            const double x = left.first[i * left.row + k * left.column], *restrict with = right.first + k * right.row;
            if (exact && x == 0.0) continue;
            for (int64_t j = 0; j < columns; j++) {
                const double y = with[j * right.column];
                row[j] += exact && y == 0.0 ? 0.0 : x * y;
            }
        }
    }
}
// The lower triangle l with l lT the symmetric part of a; NaN where that is not positive definite.
static int riesz_cholesky(double *l, const double *a, int64_t n) {
    bool positive = true;
    for (int64_t at = 0; at < n * n; at++) {
        const int64_t i = at / n, j = at % n;
        double rest = j > i ? 0.0 : 0.5 * (a[at] + a[j * n + i]);
        for (int64_t k = 0; k < j && j <= i; k++) rest -= l[i * n + k] * l[j * n + k];
        positive = positive && (i != j || rest > 0.0);
        l[at] = j > i ? 0.0 : i == j ? sqrt(rest) : rest / l[j * n + j];
    }
    for (int64_t at = 0; at < n * n && !positive; at++) l[at] = at % n > at / n ? 0.0 : NAN;
    return 0;
}
// The tangent of the factor l, from the tangent s of the matrix.
static int riesz_cholesky_tangent(double *t, const double *l, int64_t n, const double *s) {
    for (int64_t at = 0; at < n * n; at++) t[at] = 0.0;
    for (int64_t j = 0; j < n; j++) {
        double sum = 0.0;
        for (int64_t k = 0; k < j; k++) sum += riesz_exact(l[j * n + k], t[j * n + k]);
        const double inverse = 1.0 / l[j * n + j], rest = s[j * n + j] + riesz_exact(-2.0, sum);
        t[j * n + j] = riesz_exact(inverse * 0.5, rest);
        for (int64_t i = j + 1; i < n; i++) {
            double below = riesz_exact(0.5, s[i * n + j] + s[j * n + i]);
            for (int64_t k = 0; k < j; k++)
                below += riesz_exact(-l[j * n + k], t[i * n + k]) + riesz_exact(-l[i * n + k], t[j * n + k]);
            t[i * n + j] = riesz_exact(inverse, below + riesz_exact(-l[i * n + j], t[j * n + j]));
        }
    }
    return 0;
}
// The cotangent of the matrix, from the cotangent w of the factor l: the same steps transposed, from the last to the first.
static int riesz_cholesky_cotangent(riesz_run *run, double *s, const double *l, int64_t n, const double *w) {
    double *t = riesz_allocate(run, n * n, sizeof *t, RIESZ_MEMORY);
    if (t == NULL) return 1;
    for (int64_t at = 0; at < n * n; at++) t[at] = w[at];
    for (int64_t j = n - 1; j >= 0; j--) {
        const double inverse = 1.0 / l[j * n + j];
        for (int64_t i = n - 1; i > j; i--) {
            const double rest = riesz_exact(inverse, t[i * n + j]);
            t[j * n + j] += riesz_exact(-l[i * n + j], rest);
            for (int64_t k = 0; k < j; k++) {
                t[i * n + k] += riesz_exact(-l[j * n + k], rest);
                t[j * n + k] += riesz_exact(-l[i * n + k], rest);
            }
            s[j * n + i] = s[i * n + j] = riesz_exact(0.5, rest);
        }
        s[j * n + j] = riesz_exact(inverse * 0.5, t[j * n + j]);
        for (int64_t k = 0; k < j; k++) t[j * n + k] += riesz_exact(l[j * n + k], riesz_exact(-2.0, s[j * n + j]));
    }
    riesz_release(run, t);
    return 0;
}
// A number between 1/2 and 1, with its exponent added to another; zero, infinities and NaN as they are.
static double riesz_mantissa(double x, int *exponent) {
    int more = 0;
    const double mantissa = isfinite(x) ? frexp(x, &more) : x;
    *exponent += more;
    return mantissa;
}
// 1 for a lower triangular matrix, 2 for an upper one, 0 for any other and where an entry is NaN.
static int riesz_triangle(const double *a, int64_t n) {
    bool lower = true, upper = true;
    for (int64_t i = 0; i < n && (lower || upper); i++) {
        for (int64_t j = 0; j < n; j++) {
            lower = lower && !isnan(a[i * n + j]) && (j <= i || a[i * n + j] == 0.0);
            upper = upper && !isnan(a[i * n + j]) && (j >= i || a[i * n + j] == 0.0);
        }
    }
    return lower ? 1 : upper ? 2 : 0;
}
// p a = l u: both triangles in one matrix, and behind it which rows of a they are of; the ratio of the extreme pivots.
// A triangular matrix has its pivots on the diagonal, and stays as it is.
typedef struct { double *lu, *rows, determinant, logarithm, ratio; bool regular; } riesz_factors;
static int riesz_factorise(riesz_run *run, riesz_factors *to, const double *a, int64_t n) {
    double *lu = riesz_allocate(run, n * n + n, sizeof *lu, RIESZ_MEMORY);
    double product = 1.0, logarithm = 0.0, least = INFINITY, most = 0.0;
    const bool full = riesz_triangle(a, n) == 0;
    bool nan = false;
    int exponent = 0;
    if (lu == NULL) return 1;
    for (int64_t at = 0; at < n * n + n; at++) {
        lu[at] = at < n * n ? a[at] : (double)(at - n * n);
        nan = nan || isnan(lu[at]);
    }
    for (int64_t k = 0; k < n; k++) {
        int64_t pivot = k;
        for (int64_t row = k + 1; row < n && full; row++) pivot = fabs(lu[row * n + k]) > fabs(lu[pivot * n + k]) ? row : pivot;
        for (int64_t j = 0; j <= n && pivot != k; j++) {
            double *x = lu + (j < n ? k * n + j : n * n + k), *y = lu + (j < n ? pivot * n + j : n * n + pivot), kept = *x;
            *x = *y;
            *y = kept;
        }
        // Exponents are added apart, so that no partial product overflows.
        const double top = lu[k * n + k], signed_top = pivot != k ? -top : top;
        product = riesz_mantissa(product * riesz_mantissa(signed_top, &exponent), &exponent);
        logarithm += log(fabs(top));
        least = fmin(least, fabs(top));
        most = fmax(most, fabs(top));
        for (int64_t row = k + 1; row < n && full && top != 0.0; row++) {
            const double factor = lu[row * n + k] /= top;
            for (int64_t j = k + 1; j < n; j++) lu[row * n + j] -= factor * lu[k * n + j];
        }
    }
    product = ldexp(product, exponent) + 0.0;
    *to = (riesz_factors){lu, lu + n * n, nan ? NAN : product, nan ? NAN : logarithm, least / most, !nan && least != 0.0};
    return 0;
}
// The solution of a x = b, or the inverse of a where there is no b; NaN where a is singular.
static int riesz_solve(riesz_run *run, double *x, const double *a, int64_t n, const double *b, int64_t columns) {
    const int triangle = riesz_triangle(a, n);
    riesz_factors f;
    if (riesz_factorise(run, &f, a, n)) return 1;
    columns = b == NULL ? n : columns;
    for (int64_t i = 0; i < n; i++) {
        const int64_t row = (int64_t)f.rows[i];
        for (int64_t j = 0; j < columns; j++) x[i * columns + j] = b == NULL ? (double)(row == j) : b[row * columns + j];
        for (int64_t at = 0; at < i * columns && triangle != 2; at++)
            x[i * columns + at % columns] -= f.lu[i * n + at / columns] * x[at];
        for (int64_t j = 0; j < columns && triangle == 1; j++) x[i * columns + j] /= f.lu[i * n + i];
    }
    for (int64_t i = n - 1; i >= 0 && triangle != 1; i--) {
        for (int64_t at = (i + 1) * columns; at < n * columns; at++)
            x[i * columns + at % columns] -= f.lu[i * n + at / columns] * x[at];
        for (int64_t j = 0; j < columns; j++) x[i * columns + j] /= f.lu[i * n + i];
    }
    for (int64_t at = 0; at < n * columns && !f.regular; at++) x[at] = NAN;
    riesz_release(run, f.lu);
    return 0;
}
// The solution of a x = b, in which a column of zeros has the solution zero.
static int riesz_exact_solve(riesz_run *run, double *x, const double *a, int64_t n, const double *b, int64_t columns) {
    if (riesz_solve(run, x, a, n, b, columns)) return 1;
    for (int64_t j = 0; j < columns; j++) {
        bool zero = true;
        for (int64_t i = 0; i < n; i++) zero = zero && b[i * columns + j] == 0.0;
        for (int64_t i = 0; i < n && zero; i++) x[i * columns + j] = 0.0;
    }
    return 0;
}
// The solution of a x = b where a is a list of k entries: all rows, all columns, all numbers. In a narrow band by elimination
// inside of it, where a row moves to the left by one place with each pivot; otherwise as of a dense matrix.
static int riesz_sparse_solve(riesz_run *run, double *x, const double *a, int64_t k, int64_t n, const double *b,
                              bool transposed, bool exact) {
    const double *rows = a + (transposed ? k : 0), *columns = a + (transposed ? 0 : k), *numbers = a + 2 * k;
    int64_t below = 0, above = 0;
    bool zero = true, known = true;
    for (int64_t e = 0; e < k; e++) {
        const int64_t under = (int64_t)rows[e] - (int64_t)columns[e];
        if (under > below) below = under;
        if (-under > above) above = -under;
        known = known && !isnan(numbers[e]);
    }
    for (int64_t i = 0; i < n; i++) x[i] = known ? b[i] : NAN, zero = zero && b[i] == 0.0;
    if (exact && zero) {
        for (int64_t i = 0; i < n; i++) x[i] = 0.0;
    }
    if (!known || (exact && zero)) return 0;
    const bool banded = n > 16 && 2 * (below + above + 1) <= n;
    const int64_t width = banded ? below + above + 1 : n;
    double *m = riesz_allocate(run, n * width, sizeof *m, RIESZ_MEMORY);
    if (m == NULL) return 1;
    for (int64_t at = 0; at < n * width; at++) m[at] = 0.0;
    for (int64_t e = 0; e < k; e++) {
        const int64_t i = (int64_t)rows[e], first = banded && i > below ? i - below : 0;
        m[i * width + (int64_t)columns[e] - first] += numbers[e];
    }
    if (!banded) {
        const int failed = riesz_solve(run, x, m, n, b, 1);
        riesz_release(run, m);
        return failed;
    }
    bool regular = true;
    for (int64_t i = 0; i < n && regular; i++) {
        const int64_t last = i + below + 1 < n ? i + below + 1 : n;
        int64_t pivot = i;
        for (int64_t j = i + 1; j < last; j++)
            if (fabs(m[j * width]) > fabs(m[pivot * width])) pivot = j;
        for (int64_t j = 0; j < width && pivot != i; j++) {
            const double other = m[i * width + j];
            m[i * width + j] = m[pivot * width + j], m[pivot * width + j] = other;
        }
        const double right = x[pivot];
        x[pivot] = x[i], x[i] = right;
        regular = m[i * width] != 0.0;
        for (int64_t j = i + 1; j < last && regular; j++) {
            const double factor = m[j * width] / m[i * width];
            for (int64_t c = 1; c < width; c++) m[j * width + c - 1] = m[j * width + c] - factor * m[i * width + c];
            m[j * width + width - 1] = 0.0;
            x[j] -= factor * x[i];
        }
    }
    for (int64_t i = n - 1; i >= 0 && regular; i--) {
        for (int64_t c = 1; c < width && i + c < n; c++) x[i] -= m[i * width + c] * x[i + c];
        x[i] /= m[i * width];
    }
    for (int64_t i = 0; i < n; i++) regular = regular && !isnan(x[i]);
    for (int64_t i = 0; i < n && !regular; i++) x[i] = NAN;
    riesz_release(run, m);
    return 0;
}
// The determinant, or the logarithm of its absolute value.
static int riesz_determinant(riesz_run *run, double *to, const double *a, int64_t n, bool logarithm) {
    riesz_factors f;
    if (riesz_factorise(run, &f, a, n)) return 1;
    *to = logarithm ? f.logarithm : f.determinant;
    riesz_release(run, f.lu);
    return 0;
}
// Adds the determinants of m, which is a but for rows that are taken, with a row replaced by that of each direction h.
static int riesz_rows(riesz_run *run, double *sum, double *m, bool *taken, const double *a, int64_t n, const double *h,
                      int64_t count) {
    double one = 0.0;
    if (count == 0 && (riesz_step(run, n * n, RIESZ_STEPS) || riesz_determinant(run, &one, m, n, false))) return 1;
    *sum += one;
    for (int64_t row = 0; row < n && count > 0; row++) {
        if (taken[row]) continue;
        taken[row] = true;
        memcpy(m + row * n, h + row * n, (size_t)n * sizeof *m);
        if (riesz_rows(run, sum, m, taken, a, n, h + n * n, count - 1)) return 1;
        memcpy(m + row * n, a + row * n, (size_t)n * sizeof *m);
        taken[row] = false;
    }
    return 0;
}
// The derivative of the cofactors in directions h. A determinant is linear in each row; the cofactor of an entry is the
// determinant with the row of the entry replaced by zeros and a one.
static int riesz_cofactor(riesz_run *run, double *to, const double *a, int64_t n, const double *h, int64_t columns) {
    riesz_factors f;
    if (riesz_factorise(run, &f, a, n)) return 1;
    const bool regular = f.regular && f.ratio > 1e-8 && columns == 0 && isnormal(f.determinant);
    double *m = riesz_allocate(run, n * n, sizeof *m, RIESZ_MEMORY);
    bool *taken = m == NULL ? NULL : riesz_allocate(run, n, sizeof *taken, RIESZ_MEMORY);
    if (taken == NULL || (regular && riesz_solve(run, m, a, n, NULL, 0))) return 1;
    double known = 0.0;
    for (int64_t at = 0; at < n * n; at++) known += 0.0 * a[at], m[at] = regular ? m[at] : a[at];
    for (int64_t at = 0; at < n * n; at++) {
        const int64_t i = at / n, j = at % n;
        to[at] = known;
        if (regular) {
            to[at] = f.determinant * m[j * n + i];
        } else if (!isnan(known)) {
            taken[i] = true;
            for (int64_t k = 0; k < n; k++) m[i * n + k] = k == j ? 1.0 : 0.0;
            if (riesz_rows(run, to + at, m, taken, a, n, h, columns / n)) return 1;
            memcpy(m + i * n, a + i * n, (size_t)n * sizeof *m);
            taken[i] = false;
        }
    }
    riesz_release(run, taken);
    riesz_release(run, m);
    riesz_release(run, f.lu);
    return 0;
}
