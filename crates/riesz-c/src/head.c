// Written by Riesz.
//
// Arrays are passed row by row, an array of tuples as one array for each component. A function returns 0, or 1 where it
// fails: then `run` says why, and what it was to write is whatever it is. Threads may call it at once, each with its own
// `run`. Another file declares what is here by `#define RIESZ_DECLARATIONS` and `#include` of this file.

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef RIESZ_RUN
// What a call may use, and what was wrong. One begins as `riesz_run run = RIESZ_RUN;` and serves any number of calls.
typedef struct riesz_run {
    int64_t max_steps;   // calls and iterations of loops
    int64_t max_depth;   // calls inside of each other
    int64_t max_memory;  // bytes of buffers at one time
    int64_t max_stack;   // bytes of the stack
    const char *code;    // where a call fails: which error it is, such as "index-out-of-range"
    const char *place;   // file, line and column
    char message[200];   // what is wrong
    int64_t needed;      // how many elements the array has that there is no room for, where that is the error
    int64_t steps, depth, memory;
    uintptr_t stack;
    struct riesz_block *blocks;
} riesz_run;
#define RIESZ_RUN {LIMITS}
#endif
