// An interpreter whose instructions hold the address of their code. It is entered behind an atomic instruction, at one
// that a jump in its place would cover.
#include <pthread.h>

namespace {

struct Step {
  void* code;
  Step* next;
};

void** labels_of_run;
int added, counted, passed;

[[gnu::noinline]] void run(void*** labels_out, Step* step) {
  static void* labels[] = {&&add, &&count, &&pass, &&end};
  if (labels_out != nullptr) {
    *labels_out = labels;
    return;
  }
  goto * step->code;
add:
  __asm__ volatile("lock incl (%0)" : : "r"(&added) : "memory");
count:
  __asm__ volatile("incl (%0)" : : "r"(&counted) : "memory");
  step = step->next;
  goto * step->code;
pass:
  passed++;
  step = step->next;
  goto * step->code;
end:;
}

void* interpret(void*) {
  Step steps[5];
  const int codes[] = {1, 0, 2, 1, 3};
  for (int i = 0; i < 5; ++i) steps[i] = {labels_of_run[codes[i]], &steps[i + 1]};
  run(nullptr, steps);
  return nullptr;
}

}  // namespace

int main() {
  run(&labels_of_run, nullptr);
  pthread_t one, other;
  pthread_create(&one, nullptr, interpret, nullptr);
  pthread_create(&other, nullptr, interpret, nullptr);
  pthread_join(one, nullptr);
  pthread_join(other, nullptr);
  return added == 2 && counted >= 2 && passed >= 1 ? 0 : 1;
}
