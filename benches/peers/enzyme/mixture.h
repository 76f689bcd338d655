/* ADBench's mixture of K Gaussians in D dimensions: the log likelihood of points, with a Wishart prior, by weights, means
   and factors. What all points need is computed once; a point has a function of its own, so that nothing is kept for all
   of them. Sizes are known to the compiler, so that what is kept for a point is in local arrays. */

enum { NAME(factors) = D * (D - 1) / 2, NAME(count) = K + 2 * K * D + K * NAME(factors) };

static void NAME(prepare)(const double *restrict alphas, const double *restrict qs, double *restrict offsets,
                          double *restrict scales) {
  for (int c = 0; c < K; ++c) {
    offsets[c] = alphas[c];
    for (int i = 0; i < D; ++i) {
      offsets[c] += qs[c * D + i];
      scales[c * D + i] = exp(qs[c * D + i]);
    }
  }
}

static double NAME(term)(const double *restrict offsets, const double *restrict means, const double *restrict scales,
                         const double *restrict ls, const double *restrict x) {
  double exponents[K];
  for (int c = 0; c < K; ++c) {
    double centred[D], z[D], square = 0.0;
    for (int i = 0; i < D; ++i) centred[i] = x[i] - means[c * D + i];
    for (int i = 0; i < D; ++i) z[i] = scales[c * D + i] * centred[i];
    const double *l = ls + c * NAME(factors);
    for (int j = 0; j < D; ++j) {
      for (int i = j + 1; i < D; ++i) z[i] += l[i - j - 1] * centred[j];
      l += D - j - 1;
    }
    for (int i = 0; i < D; ++i) square += z[i] * z[i];
    exponents[c] = offsets[c] - 0.5 * square;
  }
  return logsumexp(K, exponents);
}

static double NAME(prior)(int64_t n, const double *restrict alphas, const double *restrict qs,
                          const double *restrict ls, double gamma, double m) {
  double frobenius = 0.0, sum = 0.0;
  for (int i = 0; i < K * D; ++i) {
    sum += qs[i];
    frobenius += exp(2.0 * qs[i]);
  }
  for (int i = 0; i < K * NAME(factors); ++i) frobenius += ls[i] * ls[i];
  return 0.5 * gamma * gamma * frobenius - m * sum - n * logsumexp(K, alphas);
}

static double NAME(value)(int64_t n, const double *restrict alphas, const double *restrict means,
                          const double *restrict qs, const double *restrict ls, const double *restrict x, double gamma,
                          double m) {
  double offsets[K], scales[K * D], sum = NAME(prior)(n, alphas, qs, ls, gamma, m);
  NAME(prepare)(alphas, qs, offsets, scales);
  for (int64_t p = 0; p < n; ++p) sum += NAME(term)(offsets, means, scales, ls, x + p * D);
  return sum;
}

/* The gradient is added to what is there. */
static void NAME(gradient)(int64_t n, const double *restrict alphas, double *restrict to_alphas,
                           const double *restrict means, double *restrict to_means, const double *restrict qs,
                           double *restrict to_qs, const double *restrict ls, double *restrict to_ls,
                           const double *restrict x, double gamma, double m) {
  double offsets[K], scales[K * D], to_offsets[K] = {0.0}, to_scales[K * D] = {0.0};
  NAME(prepare)(alphas, qs, offsets, scales);
  for (int64_t p = 0; p < n; ++p)
    __enzyme_autodiff((void *)NAME(term), enzyme_dup, offsets, to_offsets, enzyme_dup, means, to_means, enzyme_dup,
                      scales, to_scales, enzyme_dup, ls, to_ls, enzyme_const, x + p * D);
  __enzyme_autodiff((void *)NAME(prepare), enzyme_dup, alphas, to_alphas, enzyme_dup, qs, to_qs, enzyme_dup, offsets,
                    to_offsets, enzyme_dup, scales, to_scales);
  __enzyme_autodiff((void *)NAME(prior), enzyme_const, n, enzyme_dup, alphas, to_alphas, enzyme_dup, qs, to_qs,
                    enzyme_dup, ls, to_ls, enzyme_const, gamma, enzyme_const, m);
}

static void NAME(gmm)(const uint64_t *words, double *to) {
  double *means = to + K, *qs = means + K * D, *ls = qs + K * D;
  memset(to, 0, NAME(count) * sizeof(double));
  NAME(gradient)(words[9] / D, REALS(0), to, REALS(2), means, REALS(4), qs, REALS(6), ls, REALS(8), REAL(10),
                 (double)(int64_t)words[11]);
}

/* Forward over reverse. */
static void NAME(hvp)(const uint64_t *words, double *to) {
  const int means = K, qs = means + K * D, ls = qs + K * D;
  double slopes[NAME(count)] = {0.0};
  memset(to, 0, NAME(count) * sizeof(double));
  __enzyme_fwddiff((void *)NAME(gradient), enzyme_const, (int64_t)(words[9] / D), enzyme_dup, REALS(0), REALS(12),
                   enzyme_dup, slopes, to, enzyme_dup, REALS(2), REALS(14), enzyme_dup, slopes + means, to + means,
                   enzyme_dup, REALS(4), REALS(16), enzyme_dup, slopes + qs, to + qs, enzyme_dup, REALS(6), REALS(18),
                   enzyme_dup, slopes + ls, to + ls, enzyme_const, REALS(8), enzyme_const, REAL(10), enzyme_const,
                   (double)(int64_t)words[11]);
}
