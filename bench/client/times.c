#include <stdlib.h>

#include "load.h"

void times_add(struct times *times, uint64_t value) {
  if (times->count == times->room) {
    times->room = times->room ? times->room * 2 : 1 << 16;
    times->values = realloc(times->values, times->room * sizeof *times->values);
    if (!times->values) fail("out of memory");
  }
  times->values[times->count++] = value;
}

static int compare(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

double times_percentile(struct times *times, double part) {
  if (!times->count) return 0;
  qsort(times->values, times->count, sizeof *times->values, compare);
  return (double)times->values[(size_t)(part * (double)(times->count - 1))] / 1000;
}
