// Counts how n queens can stand on a board, with a task for each place of a queen: GAMBIT's test NQueens of the .NET 4
// task library. The bugs are in the task library (tasks.h).
// Bug 1: a child that is done is not counted, and the task never completes (livelock of main).
// Bug 2: a child is done before it was counted, and the task completes too early (assertion).
// Bug 3: a thief takes from a list that is empty by now (assertion).
// Bug 4: two threads run one task (assertion).
// Bug 5: a task completes without the result of a child (assertion).
// Bug 6: a task is used again while its parent is read from it, and the wrong one is told (assertion).
// build: heddle-c++
#ifdef FIXED
#undef BUG
#endif
#ifndef BUG
#define BUG 0
#endif

#if BUG == 1
#define TASKS_LOST_COUNT
#elif BUG == 2
#define TASKS_LATE_CHILD
#elif BUG == 3
#define TASKS_SPLIT_STEAL
#elif BUG == 4
#define TASKS_SPLIT_CLAIM
#elif BUG == 5
#define TASKS_LATE_RESULT
#elif BUG == 6
#define TASKS_EARLY_FREE
#endif
#include <cassert>
#include <cstdlib>
#include <vector>

#include "tasks.h"

static const int size = 4;
using Board = std::vector<int>;  // the column of the queen in each row so far

static bool is_safe(const Board& board, int column) {
  const int row = static_cast<int>(board.size());
  for (int i = 0; i < row; ++i) {
    if (board[i] == column || std::abs(board[i] - column) == row - i) return false;
  }
  return true;
}

static void place(Pool& pool, int thread, Task& task, const Board& board) {
  if (board.size() == size) task.add_result(1);
  if (board.size() == size) return;
  for (int column = 0; column < size; ++column) {
    if (!is_safe(board, column)) continue;
    Board next = board;
    next.push_back(column);
    pool.spawn(thread, task, [&pool, next](int where, Task& child) { place(pool, where, child, next); });
  }
}

int main() {
  Pool pool(2);
  const int solutions = pool.run([&pool](int thread, Task& task) { place(pool, thread, task, {}); });
  assert(solutions == 2);
}
