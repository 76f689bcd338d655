/* The mixtures of the suite. */

#include "enzyme.h"

static double logsumexp(int n, const double *restrict v) {
  double top = v[0];
  for (int i = 1; i < n; ++i) top = v[i] > top ? v[i] : top;
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += exp(v[i] - top);
  return top + log(sum);
}

#define PASTED(name, d, k) name##_##d##_##k
#define SIZED(name, d, k) PASTED(name, d, k)
#define NAME(name) SIZED(name, D, K)

#define D 2
#define K 5
#include "mixture.h"
#undef D
#undef K

#define D 10
#define K 25
#include "mixture.h"
#undef D

#define D 64
#include "mixture.h"
#undef D
#undef K

void gmm_value(const uint64_t *words, double *to) {
  const int64_t d = words[3] / words[1], n = words[9] / d;
  double (*value)(int64_t, const double *, const double *, const double *, const double *, const double *, double,
                  double) = d == 2 ? value_2_5 : d == 10 ? value_10_25 : value_64_25;
  *to = value(n, REALS(0), REALS(2), REALS(4), REALS(6), REALS(8), REAL(10), (double)(int64_t)words[11]);
}

void gmm(const uint64_t *words, double *to) {
  const int64_t d = words[3] / words[1];
  d == 2 ? gmm_2_5(words, to) : d == 10 ? gmm_10_25(words, to) : gmm_64_25(words, to);
}

void gmm_hvp(const uint64_t *words, double *to) { hvp_2_5(words, to); }
