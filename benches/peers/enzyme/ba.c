/* Bundle adjustment (ADBench): the errors of points projected by cameras, and blocks of two rows of fifteen numbers:
   rotation, centre, focal length, principal point, distortion; point; weight. A row is the gradient of one error. */

#include "enzyme.h"

static void rotate(const double *restrict r, const double *restrict x, double *restrict to) {
  double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
  if (square == 0.0) {
    to[0] = x[0] + r[1] * x[2] - r[2] * x[1];
    to[1] = x[1] + r[2] * x[0] - r[0] * x[2];
    to[2] = x[2] + r[0] * x[1] - r[1] * x[0];
    return;
  }
  double angle = sqrt(square), cosine = cos(angle), sine = sin(angle), inverse = 1.0 / angle;
  double a[3] = {r[0] * inverse, r[1] * inverse, r[2] * inverse};
  double along = (a[0] * x[0] + a[1] * x[1] + a[2] * x[2]) * (1.0 - cosine);
  to[0] = x[0] * cosine + (a[1] * x[2] - a[2] * x[1]) * sine + a[0] * along;
  to[1] = x[1] * cosine + (a[2] * x[0] - a[0] * x[2]) * sine + a[1] * along;
  to[2] = x[2] * cosine + (a[0] * x[1] - a[1] * x[0]) * sine + a[2] * along;
}

static void errors(const double *restrict camera, const double *restrict x, const double *restrict weight,
                   const double *restrict feature, double *restrict to) {
  double moved[3] = {x[0] - camera[3], x[1] - camera[4], x[2] - camera[5]}, y[3];
  rotate(camera, moved, y);
  double u = y[0] / y[2], v = y[1] / y[2], r2 = u * u + v * v;
  double scale = camera[6] * (1.0 + camera[9] * r2 + camera[10] * r2 * r2);
  to[0] = *weight * (u * scale + camera[7] - feature[0]);
  to[1] = *weight * (v * scale + camera[8] - feature[1]);
}

static double slack(double weight) { return 1.0 - weight * weight; }

void ba_value(const uint64_t *words, double *to) {
  const int64_t count = words[5];
  for (int64_t i = 0; i < count; ++i)
    errors(REALS(0) + 11 * INTEGERS(6)[i], REALS(2) + 3 * INTEGERS(8)[i], REALS(4) + i, REALS(10) + 2 * i, to + 2 * i);
  for (int64_t i = 0; i < count; ++i) to[2 * count + i] = slack(REALS(4)[i]);
}

void ba(const uint64_t *words, double *to) {
  const int64_t count = words[5];
  for (int64_t i = 0; i < count; ++i) {
    const double *camera = REALS(0) + 11 * INTEGERS(6)[i], *x = REALS(2) + 3 * INTEGERS(8)[i];
    double *first = to + 30 * i, *second = first + 15, error[2], seed[2] = {1.0, 0.0}, other[2] = {0.0, 1.0};
    for (int entry = 0; entry < 30; ++entry) first[entry] = 0.0;
    __enzyme_autodiff((void *)errors, enzyme_width, 2, enzyme_dup, camera, first, second, enzyme_dup, x, first + 11,
                      second + 11, enzyme_dup, REALS(4) + i, first + 14, second + 14, enzyme_const, REALS(10) + 2 * i,
                      enzyme_dupnoneed, error, seed, other);
  }
  for (int64_t i = 0; i < count; ++i) to[30 * count + i] = __enzyme_autodiff((void *)slack, REALS(4)[i]);
}
