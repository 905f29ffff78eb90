// What was transferred; the caller holds a lock.
#pragma once
void note(long amount);
