// A library that programs load by dlopen: it counts its calls in data of its own.
static int calls = 100;
static _Thread_local int calls_of_thread = 10;
static char name[8192] = "counter";

int count_call(void);
int count_call_of_thread(void);

int count_call(void) {
  name[8000] = 'x';
  return ++calls - 100;
}

int count_call_of_thread(void) { return ++calls_of_thread - 10; }
