/* x <- 1.1 sin x + 0.1, a thousand times. */

#include "enzyme.h"

static double recurrence_of(double x) {
  for (int i = 0; i < 1000; ++i) x = 1.1 * sin(x) + 0.1;
  return x;
}

void recurrence_value(const uint64_t *words, double *to) { *to = recurrence_of(REAL(0)); }

void recurrence_forward(const uint64_t *words, double *to) {
  *to = __enzyme_fwddiff((void *)recurrence_of, REAL(0), 1.0);
}

void recurrence(const uint64_t *words, double *to) { *to = __enzyme_autodiff((void *)recurrence_of, REAL(0)); }
