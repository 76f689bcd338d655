/* The sum of 100 (x[i+1] - x[i]^2)^2 + (1 - x[i])^2. */

#include "enzyme.h"

static double rosenbrock_of(const double *restrict x, int64_t n) {
  double sum = 0.0;
  for (int64_t i = 0; i < n - 1; ++i) {
    double a = x[i + 1] - x[i] * x[i], b = 1.0 - x[i];
    sum += 100.0 * a * a + b * b;
  }
  return sum;
}

static void gradient(const double *restrict x, double *restrict to, int64_t n) {
  __enzyme_autodiff((void *)rosenbrock_of, enzyme_dup, x, to, enzyme_const, n);
}

void rosenbrock_value(const uint64_t *words, double *to) { *to = rosenbrock_of(REALS(0), words[1]); }

void rosenbrock(const uint64_t *words, double *to) {
  memset(to, 0, words[1] * sizeof(double));
  gradient(REALS(0), to, words[1]);
}

/* Forward over reverse, a row for each direction. */
void rosenbrock_hessian(const uint64_t *words, double *to) {
  enum { most = 100 };
  const int64_t n = words[1];
  double direction[most] = {0.0}, slopes[most];
  memset(to, 0, n * n * sizeof(double));
  for (int64_t i = 0; i < n; ++i) {
    direction[i] = 1.0;
    memset(slopes, 0, sizeof slopes);
    __enzyme_fwddiff((void *)gradient, enzyme_dup, REALS(0), direction, enzyme_dupnoneed, slopes, to + n * i,
                     enzyme_const, n);
    direction[i] = 0.0;
  }
}
