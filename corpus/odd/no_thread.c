// No thread is ever created: there is nothing to interleave, which is no verdict.
// heddle: run
// expect: no verdict
// says: thread
int main(void) { return 0; }
