// Calls in every form that gcc and inline assembly write them in. The assembler rewrites some for Heddle
// (src/instrument/heddle-gcc-calls.s): all must do what they say, exceptions must find their way, and the races of the
// lines so marked must be seen, no others. Ends with status 1 if a call went wrong.
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>

int racing_int, quiet_int;
double racing_vector[64];
__attribute__((used)) struct __attribute__((packed)) Packed {
  char before;
  long value;
} packed;
thread_local int of_thread = 3;
std::atomic<int> wrong{0};

extern "C" {
long calls_made;  // by the assembly below; only the first thread calls it
__attribute__((used)) void called_from_assembly() { ++calls_made; }
__attribute__((used)) void (*called_by_pointer)() = called_from_assembly;
__attribute__((used)) void (*table_of_calls[4])() = {called_from_assembly, called_from_assembly, called_from_assembly,
                                                     called_from_assembly};
void assembled();
}

// A function of its own, so that the compiler knows nothing of the registers; 12 calls.
asm(R"(
.text
.globl assembled
.type assembled, @function
assembled:
.att_syntax prefix
  pushq %rbx
  call called_from_assembly@PLT
  callq called_from_assembly@PLT
  CALL called_from_assembly@PLT  # in capitals
  call *called_from_assembly@GOTPCREL(%rip)
  movq called_by_pointer@GOTPCREL(%rip), %rbx
  call *(%rbx)
  movq (%rbx), %rbx
  call *%rbx
  movq table_of_calls@GOTPCREL(%rip), %rbx
  movl $1, %eax
  call *8(%rbx, %rax, 8); movl $2, %eax
  notrack call *(%rbx,%rax,8)
  call 1f
  jmp 2f
1: ret
2:
.intel_syntax noprefix
  call called_from_assembly@PLT
  mov eax, 1
  call [rbx + 8*rax + 8]
  mov eax, 1
  call QWORD PTR [rbx+8*rax]
.altmacro
  mov rax, QWORD PTR [rbx]
  call rax
.noaltmacro
  pop rbx
  ret
.att_syntax prefix
.macro calls_twice what
  call \what
  call \what
.endm
.size assembled, . - assembled
.globl assembled_twice
.type assembled_twice, @function
assembled_twice:
  subq $8, %rsp
  calls_twice called_from_assembly@PLT
  addq $8, %rsp
  ret
.size assembled_twice, . - assembled_twice
)"
#ifdef INTEL
    ".intel_syntax noprefix\n"
#endif
);
extern "C" void assembled_twice();

struct Counted {
  explicit Counted(int& alive) : alive_(alive) { ++alive_; }
  ~Counted() { --alive_; }
  int& alive_;
};

__attribute__((noinline)) int throws(int depth, int& alive, const std::string& text) {
  Counted counted(alive);
  if (depth == 0) throw text;
  return throws(depth - 1, alive, text) + static_cast<int>(text.size());
}

__attribute__((noinline)) void catches() {
  int alive = 0;
  for (int i = 0; i < 3; ++i) {
    try {
      quiet_int += throws(i, alive, std::string("thrown ") + std::to_string(i));
      ++wrong;
    } catch (const std::string& text) {
      if (text != "thrown " + std::to_string(i)) ++wrong;
    }
    if (alive != 0) ++wrong;
  }
}

__attribute__((noinline)) void add(double* to, const double* from) {
  for (int i = 0; i < 64; ++i) to[i] += from[i];  // race_vector
}

struct Base {
  virtual ~Base() = default;
  virtual int value() { return 1; }
};
struct Derived : Base {
  int value() override { return 2; }
};

void both(int by) {
  static const double ones[64] = {1};
  racing_int += by;   // race_int
  packed.value = by;  // race_packed
  add(racing_vector, ones);
  if (of_thread++ != 3) ++wrong;
}

int main() {
  std::thread thread([] { both(1); });
  both(2);
  thread.join();
  const long before = calls_made;
  assembled();
  assembled_twice();
  if (calls_made - before != 14) ++wrong;
  catches();
  Base* made = new Derived;
  if (made->value() != 2) ++wrong;
  delete made;
  if (wrong != 0) std::printf("%d wrong, %ld calls\n", wrong.load(), calls_made - before);
  return wrong != 0;
}
