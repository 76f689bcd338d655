/* What Enzyme puts in the place of calls, and how the suite calls the workloads: with words, which are numbers, or
   addresses and lengths of arrays, in the order of the arguments of the Riesz program; the result goes to `to`. */

#include <math.h>
#include <stdint.h>
#include <string.h>

extern int enzyme_const, enzyme_dup, enzyme_dupnoneed, enzyme_width;
extern double __enzyme_autodiff(void *, ...);
extern double __enzyme_fwddiff(void *, ...);

#define REALS(at) ((const double *)words[at])
#define INTEGERS(at) ((const int64_t *)words[at])
#define REAL(at) (*(const double *)&words[at])
