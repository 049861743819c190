// The requests, from a file that holds each as its number of bytes on a line of its own, then the bytes.
#include <stdio.h>
#include <stdlib.h>

#include "load.h"

static struct request *requests;
static size_t count, turn;

void requests_load(void) {
  FILE *file = fopen(options.requests, "rb");
  if (!file) fail("the file of requests can't be read");
  size_t bytes, room = 0;
  while (fscanf(file, "%zu", &bytes) == 1 && fgetc(file) == '\n') {
    if (count == room) {
      room = room ? room * 2 : 1024;
      requests = realloc(requests, room * sizeof *requests);
    }
    char *text = malloc(bytes);
    if (!text || !requests || fread(text, 1, bytes, file) != bytes) fail("the file of requests is cut short");
    requests[count++] = (struct request){text, bytes};
  }
  fclose(file);
  if (!count) fail("the file of requests is empty");
}

const struct request *requests_next(void) {
  if (turn == count) turn = 0;
  return &requests[turn++];
}
