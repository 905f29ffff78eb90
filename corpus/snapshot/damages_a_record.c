// In one schedule the program writes over what was recorded of its own steps, and what stands there then makes as much
// sense as before: a lock that is said to have been taken without effect. No schedule of that kind exists.
// heddle: run --max-preemptions=1
// expect: no bug
// schedules: vary
// says: its records are not those that were written
// twin: strikes_never.c
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "snapshot/one_schedule.h"

enum { kRecord = 32, kStep = 5, kFlags = 2, kWrote = 8, kSite = 16 };
extern const char __executable_start, etext;
static uint8_t *begin, *end;

static void overwrite(void) {
  for (uint8_t* record = begin; record < end; record += kRecord) {
    uintptr_t site;
    memcpy(&site, record + kSite, sizeof site);
    if (record[0] == kStep && site > (uintptr_t)&__executable_start && site < (uintptr_t)&etext)
      record[kFlags] &= (uint8_t)~kWrote;
  }
}

int main(void) {
  char line[512];
  FILE* file = fopen("/proc/self/maps", "r");
  if (file == NULL) return 1;
  while (fgets(line, sizeof line, file) != NULL)
    if (strstr(line, "/memfd:heddle ") != NULL) sscanf(line, "%p-%p", (void**)&begin, (void**)&end);
  fclose(file);
  race(overwrite);
  return 0;
}
