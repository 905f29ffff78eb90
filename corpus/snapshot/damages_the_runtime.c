// In one schedule the program overwrites all data of libheddle.so, as a wild write may. What comes of that execution is
// open, but it is noticed, and the others are what they are without it.
// heddle: run
// expect: bug crash at bound 1
// twin: strikes_never.c
#include <stdio.h>
#include <string.h>

#include "snapshot/one_schedule.h"

static char maps[1 << 16];
static size_t maps_length;

static void overwrite(void) {
  for (char* line = strtok(maps, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    unsigned long begin, end;
    if (strstr(line, "libheddle.so") != NULL && sscanf(line, "%lx-%lx rw", &begin, &end) == 2 &&
        strstr(line, " rw") != NULL)
      memset((void*)begin, 0x5a, end - begin);
  }
}

int main(void) {
  FILE* file = fopen("/proc/self/maps", "r");
  if (file == NULL) return 1;
  maps_length = fread(maps, 1, sizeof maps - 1, file);
  maps[maps_length] = '\0';
  fclose(file);
  race(overwrite);
  return 0;
}
