// A library with a thread pool that starts with the first task and is joined by the destructor of a static object.
#pragma once

#include <functional>

void run_in_pool(std::function<void()> task);
