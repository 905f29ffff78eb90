// Finds the model's object behind a synchronization object of the program.
//
// Identity is in the object's bytes: no call initialises or destroys a std::mutex, and memory is reused. So the first
// eight bytes of an object that the model knows hold a mark and its number. Other bytes there (an initializer, or a
// mark for another address) mean a new object. The bytes after them stay as glibc's initializer made them, since they
// hold the object's kind.
#pragma once

#include <cstring>

#include "model/world.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {

// AddressSanitizer's runtime in the program: what it says of an address, and how it reports a use of it and ends the
// process. It sees no use by the C library's functions: that is asked here, at each operation on an object. Null where
// the program has no such runtime, and before the branching point.
struct PermanentPoison {
  int (*is_poisoned)(const volatile void* address) = nullptr;
  void (*report)(void* code, void* frame, void* stack, void* address, int is_write, std::size_t bytes) = nullptr;
};
extern PermanentPoison permanent_poison;
// Comes back if the object's memory may be used.
void check_poison(const void* address, Site site);

// What the first bytes of an object hold.
struct Mark {
  static constexpr std::uint32_t kMark = 0xa11d0ced;
  std::uint32_t mark;
  ObjectId id;
};

inline bool is_object(ObjectId id, ObjectKind kind, const void* address) {
  if (id == kNoObject || id > runtime.world->population().object_count()) return false;
  const model::Object& object = runtime.world->object(id);
  return object.kind == kind && object.address == reinterpret_cast<std::uint64_t>(address) &&
         object.gone != model::Gone::Freed;
}

struct Found {
  ObjectId id = kNoObject;
  bool fresh = false;  // made just now: its state is still to be set from the bytes behind the mark
};

// The number in the mark of an object that the model knows, or kNoObject.
inline ObjectId marked_object(ObjectKind kind, const void* address) {
  Mark mark;
  std::memcpy(&mark, address, sizeof mark);
  return mark.mark == Mark::kMark && is_object(mark.id, kind, address) ? mark.id : kNoObject;
}
// `address`: the program's object, at least 8 bytes. Never fails: when the model is full the execution ends with a
// note.
Found find_object(ObjectKind kind, void* address, Site site);
// May an object with a mark lie in this part of the heap, of at most 1 KiB? Where none ever did, it costs a few words.
bool may_hold_objects(const void* begin, std::size_t bytes);
// The object that the program knows there by a mark, and whose memory was not given back; else kNoObject. `address`: 8
// bytes, aligned.
ObjectId object_marked_at(const void* address);
// Does the memory still hold the mark of this object?
bool is_marked(ObjectId id, const void* address);
// An object that is initialised by a call: always a new one.
ObjectId new_object(ObjectKind kind, void* address, Site site);
// The same in two parts: an object that nothing has the mark of yet, and its mark.
ObjectId add_object(ObjectKind kind, const void* address, Site site);
void mark_object(ObjectId id, void* address);

// The same for objects of four bytes (spin locks, pthread_once_t, the guard's second half): `word` holds `tag` and the
// number.
Found find_small_object(ObjectKind kind, void* address, std::uint32_t* word, Site site);
// Is there the mark of any object? Of a small one: its number, or kNoObject; who asks makes sure that it is one.
bool is_mark(const void* address);
ObjectId small_object_marked(std::uint32_t word);
// Writes the mark again, for an object whose bytes the model has changed.
void mark_small_object(ObjectId id, std::uint32_t* word);

// By address alone, for words that must keep their value (futexes).
ObjectId find_by_address(ObjectKind kind, const void* address, Site site);
bool knows_address(const void* address);
// The piece of memory (kMemoryPiece) that an address lies in.
ObjectId find_memory_object(const void* address, Site site);
// How many objects are known by address; and back to the first so many.
std::uint32_t futexes_known();
void forget_futexes(std::uint32_t kept);
// The first so many, each of kFutexBytes, to be added again where none of them is known.
inline constexpr std::size_t kFutexBytes = 16;
void save_futexes(char* to, std::uint32_t count);
void add_futexes(const char* from, std::uint32_t count);

}  // namespace heddle::runtime
