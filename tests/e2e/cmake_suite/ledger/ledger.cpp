// See ledger.h.
#include "ledger.h"

#include <atomic>

int rate();
static std::atomic<long> sum = FIRST_ENTRY;
void note(long amount) { sum += amount * rate(); }
