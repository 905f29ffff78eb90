// A module for CPython that tells Heddle where the program's own Python code stands, and makes a scheduling point
// before each of its lines or instructions. sitecustomize.py loads and starts it.
//
// It is compiled without Python's headers, so one build serves every version from 3.9 on. What is declared here is a
// part of the stable ABI (https://docs.python.org/3/c-api/stable.html) or has had this form since 3.9.
//
// A point is where the interpreter's lock is given up and taken again: the only place where another thread that runs
// Python code can come in between.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct object PyObject;
typedef struct state PyThreadState;
typedef PyObject* (*Function)(PyObject* self, PyObject* arguments);
typedef int (*TraceFunction)(PyObject* self, PyObject* frame, int event, PyObject* argument);
enum { kCall = 0, kLine = 2, kReturn = 3, kOpcode = 7 };  // events
enum { kTakesTuple = 1 };                                 // METH_VARARGS

struct Method {
  const char* name;
  Function function;
  int flags;
  const char* documentation;
};
struct ModuleDefinition {
  intptr_t reference_count;
  void* type;
  void *initialize, *index, *copy;
  const char *name, *documentation;
  intptr_t state_bytes;
  struct Method* methods;
  void *slots, *traverse, *clear, *free;
};

extern PyObject _Py_NoneStruct, _Py_FalseStruct, _Py_TrueStruct;
extern void Py_IncRef(PyObject*);
extern void Py_DecRef(PyObject*);
extern void PyErr_Clear(void);
extern void PyEval_RestoreThread(PyThreadState*);
extern PyThreadState* PyEval_SaveThread(void);
extern void PyEval_SetTrace(TraceFunction, PyObject*);
extern PyObject* PyFrame_GetCode(PyObject*);
extern int PyFrame_GetLineNumber(PyObject*);
extern PyObject* PyModule_Create2(struct ModuleDefinition*, int version);
extern PyObject* PyBool_FromLong(long);
extern PyObject* PyObject_CallNoArgs(PyObject*);
extern PyObject* PyObject_GetAttrString(PyObject*, const char*);
extern int PyObject_SetAttrString(PyObject*, const char*, PyObject*);
extern PyObject* PySet_New(PyObject*);
extern int PySet_Add(PyObject*, PyObject*);
extern PyObject* PyTuple_GetItem(PyObject*, intptr_t);
extern intptr_t PyTuple_Size(PyObject*);
extern PyObject* PyUnicode_DecodeFSDefault(const char*);
extern const char* PyUnicode_AsUTF8AndSize(PyObject*, intptr_t*);
__attribute__((weak)) extern int PyFrame_GetLasti(PyObject*);  // from 3.11 on

// Of libheddle.so, src/runtime/intercept/interpreter.cpp.
typedef uint64_t Site;
static struct {
  Site (*add_script)(const char* path);
  void (*enter)(Site site);
  void (*move)(Site site);
  void (*leave)(void);
  _Bool (*is_point)(void);
  void (*begin_learning)(void);
  _Bool (*end_learning)(void);
} heddle;

// How a line becomes a site: src/protocol/scripts.h.
static Site site_of(Site base, int line, unsigned part) { return base + ((Site)line << 8) + part + 1; }

// --- which code is the program's own

static PyObject* libraries;  // a tuple of folders, each with a slash at its end: what lies below is not the program's
static int by_opcode;
static PyObject* freeze;  // gc.freeze, until it has been called

static int is_own(const char* file) {
  if (*file != '/') return 0;  // "<frozen importlib._bootstrap>", "<string>"
  const intptr_t count = PyTuple_Size(libraries);
  for (intptr_t i = 0; i < count; ++i) {
    const char* const folder = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(libraries, i), NULL);
    if (folder != NULL && strncmp(file, folder, strlen(folder)) == 0) return 0;
  }
  return 1;
}

static Site base_of_code(PyObject* code) {
  PyObject* const name = PyObject_GetAttrString(code, "co_filename");
  const char* const text = name != NULL ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
  char path[PATH_MAX];
  Site base = 0;
  if (text != NULL && text[0] != '<' && realpath(text, path) != NULL && is_own(path)) base = heddle.add_script(path);
  if (name != NULL) Py_DecRef(name);
  PyErr_Clear();
  return base;
}

// What was found out of each code object; it is kept alive, so that its address stays its own.
struct Known {
  PyObject* code;
  Site base;  // 0: it is not the program's own
};
static struct Known* known;
static size_t known_count, known_capacity;

static struct Known* place_for(struct Known* table, size_t capacity, PyObject* code) {
  size_t at = (uintptr_t)code / 16 * 0x9e3779b97f4a7c15u >> 20 & (capacity - 1);
  while (table[at].code != NULL && table[at].code != code) at = (at + 1) & (capacity - 1);
  return &table[at];
}

static void grow(void) {
  const size_t capacity = known_capacity == 0 ? 1024 : 2 * known_capacity;
  struct Known* const table = calloc(capacity, sizeof *table);
  if (table == NULL) abort();
  for (size_t i = 0; i < known_capacity; ++i)
    if (known[i].code != NULL) *place_for(table, capacity, known[i].code) = known[i];
  free(known);
  known = table;
  known_capacity = capacity;
}

static Site base_of(PyObject* frame) {
  PyObject* const code = PyFrame_GetCode(frame);
  if (2 * known_count >= known_capacity) grow();
  struct Known* place = place_for(known, known_capacity, code);
  if (place->code == code) {
    Py_DecRef(code);
    return place->base;
  }
  place->code = code;
  place->base = base_of_code(code);
  ++known_count;
  return place->base;
}

// --- events

static void come_to(Site site) {
  heddle.move(site);
  if (!heddle.is_point()) return;
  PyThreadState* const state = PyEval_SaveThread();
  PyEval_RestoreThread(state);
}

static int on_event(PyObject* self, PyObject* frame, int event, PyObject* argument) {
  (void)self, (void)argument;
  if (event != kCall && event != kLine && event != kReturn && event != kOpcode) return 0;
  const Site base = base_of(frame);
  if (base == 0) {
    // Its lines are nobody's business, and calls for them would take long.
    return event == kCall ? PyObject_SetAttrString(frame, "f_trace_lines", &_Py_FalseStruct) : 0;
  }
  const int line = PyFrame_GetLineNumber(frame);
  if (event == kCall) {
    heddle.enter(site_of(base, line, 0));
    if (by_opcode) return PyObject_SetAttrString(frame, "f_trace_opcodes", &_Py_TrueStruct);
  } else if (event == kReturn) {
    heddle.leave();
  } else if (event == kLine) {
    if (by_opcode)
      heddle.move(site_of(base, line, 0));
    else
      come_to(site_of(base, line, 0));
  } else if (by_opcode) {
    const int instruction = PyFrame_GetLasti != NULL ? PyFrame_GetLasti(frame) / 2 : 0;
    come_to(site_of(base, line, (unsigned)instruction % 255));
  }
  return 0;
}

static PyObject* none(void) {
  Py_IncRef(&_Py_NoneStruct);
  return &_Py_NoneStruct;
}

// start(libraries, by_opcode, freeze): for the thread that calls. Returns whether the interpreter's lock was found.
static PyObject* start(PyObject* self, PyObject* arguments) {
  (void)self;
  libraries = PyTuple_GetItem(arguments, 0);
  Py_IncRef(libraries);
  by_opcode = PyTuple_GetItem(arguments, 1) == &_Py_TrueStruct;
  freeze = PyTuple_GetItem(arguments, 2);
  Py_IncRef(freeze);
  heddle.begin_learning();
  PyThreadState* const state = PyEval_SaveThread();
  PyEval_RestoreThread(state);
  const int found = heddle.end_learning();
  PyEval_SetTrace(on_event, NULL);
  return PyBool_FromLong(found);
}

// start_thread(frame, event, argument): for threading.settrace(). Called in a new thread for its first Python function.
static PyObject* start_thread(PyObject* self, PyObject* arguments) {
  (void)self;
  // Each collection would go through all objects that there are, and write to them: that is most of a short execution.
  if (freeze != NULL) {
    PyObject* const done = PyObject_CallNoArgs(freeze);
    if (done == NULL) return NULL;
    Py_DecRef(done);
    freeze = NULL;
  }
  PyEval_SetTrace(on_event, NULL);
  if (on_event(NULL, PyTuple_GetItem(arguments, 0), kCall, NULL) != 0) return NULL;
  return none();
}

// --- what may be imported

// Files that Heddle writes beside a script, and others that come and go, are not among these.
static int may_be_module(const char* name) {
  const size_t stem = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  const char* const dot = strrchr(name, '.');
  if (name[stem] == '\0') return strcmp(name, "__pycache__") != 0;
  if (dot == NULL) return (unsigned char)name[stem] >= 0x80;
  return strcmp(dot, ".py") == 0 || strcmp(dot, ".pyc") == 0 || strcmp(dot, ".so") == 0;
}

// modules_in(folder): a set of file names. Made without any object for the other names: objects of Python lie elsewhere
// for each that was made before, and sets of them are in the order of their addresses.
// Not by opendir(), whose buffer comes from the heap.
static PyObject* modules_in(PyObject* self, PyObject* arguments) {
  (void)self;
  const char* const folder = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(arguments, 0), NULL);
  PyObject* const names = PySet_New(NULL);
  static _Alignas(struct dirent64) char listing[16384];
  if (folder == NULL || names == NULL) return NULL;
  const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return names;
  for (long bytes; (bytes = syscall(SYS_getdents64, descriptor, listing, sizeof listing)) > 0;) {
    for (long at = 0; at < bytes;) {
      const struct dirent64* const entry = (const struct dirent64*)(listing + at);
      at += entry->d_reclen;
      if (!may_be_module(entry->d_name)) continue;
      PyObject* const name = PyUnicode_DecodeFSDefault(entry->d_name);
      if (name != NULL && PySet_Add(names, name) == 0) Py_DecRef(name);
    }
  }
  close(descriptor);
  PyErr_Clear();
  return names;
}

static struct Method methods[] = {{"start", start, kTakesTuple, NULL},
                                  {"start_thread", start_thread, kTakesTuple, NULL},
                                  {"modules_in", modules_in, kTakesTuple, NULL},
                                  {NULL, NULL, 0, NULL}};
static struct ModuleDefinition definition = {1,       NULL, NULL, NULL, NULL, "heddle_trace", NULL, -1,
                                             methods, NULL, NULL, NULL, NULL};

// Without Heddle it is empty.
__attribute__((visibility("default"))) PyObject* PyInit_heddle_trace(void) {
  const int kAbi = 3;
  const void* (*find)(unsigned);
  *(void**)&find = dlsym(NULL, "heddle_interpreter_1");
  const void* const functions = find != NULL ? find(sizeof heddle) : NULL;
  if (functions == NULL)
    definition.methods = NULL;
  else
    memcpy(&heddle, functions, sizeof heddle);
  return PyModule_Create2(&definition, kAbi);
}
