// A lock in a static library, which asks the kernel by itself.
#pragma once

void static_lock(void);
void static_unlock(void);
