/* A network 784-256-256-10 with tanh in its hidden layers, and half the squared distance to what it should give. */

#include "enzyme.h"

enum { inputs = 784, hidden = 256, outputs = 10 };

static void layer(int to_count, int from_count, const double *restrict w, const double *restrict b,
                  const double *restrict from, double *restrict to) {
  for (int i = 0; i < to_count; ++i) {
    double sum = b[i];
    for (int j = 0; j < from_count; ++j) sum += w[i * from_count + j] * from[j];
    to[i] = sum;
  }
}

/* Of one input. */
static double loss(const double *restrict w1, const double *restrict b1, const double *restrict w2,
                   const double *restrict b2, const double *restrict w3, const double *restrict b3,
                   const double *restrict x, const double *restrict t) {
  double h1[hidden], h2[hidden], o[outputs], sum = 0.0;
  layer(hidden, inputs, w1, b1, x, h1);
  for (int i = 0; i < hidden; ++i) h1[i] = tanh(h1[i]);
  layer(hidden, hidden, w2, b2, h1, h2);
  for (int i = 0; i < hidden; ++i) h2[i] = tanh(h2[i]);
  layer(outputs, hidden, w3, b3, h2, o);
  for (int i = 0; i < outputs; ++i) sum += (o[i] - t[i]) * (o[i] - t[i]);
  return sum / 2;
}

void network_value(const uint64_t *words, double *to) {
  *to = 0.0;
  for (uint64_t k = 0; k < words[13] / inputs; ++k)
    *to += loss(REALS(0), REALS(2), REALS(4), REALS(6), REALS(8), REALS(10), REALS(12) + inputs * k,
                REALS(14) + outputs * k);
}

void network(const uint64_t *words, double *to) {
  double *w1 = to, *b1 = w1 + inputs * hidden, *w2 = b1 + hidden, *b2 = w2 + hidden * hidden, *w3 = b2 + hidden,
         *b3 = w3 + hidden * outputs;
  memset(to, 0, (b3 + outputs - to) * sizeof(double));
  for (uint64_t k = 0; k < words[13] / inputs; ++k)
    __enzyme_autodiff((void *)loss, enzyme_dup, REALS(0), w1, enzyme_dup, REALS(2), b1, enzyme_dup, REALS(4), w2,
                      enzyme_dup, REALS(6), b2, enzyme_dup, REALS(8), w3, enzyme_dup, REALS(10), b3, enzyme_const,
                      REALS(12) + inputs * k, enzyme_const, REALS(14) + outputs * k);
}
