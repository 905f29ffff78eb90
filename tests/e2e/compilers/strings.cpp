// What two threads do with strings, with and without a lock. Names of lines as in every_access.cpp.
#include <mutex>
#include <string>
#include <thread>

std::string appended, appended_locked, assigned, assigned_apart[2], compared, compared_only, grown, searched, moved;
std::mutex mutex;

void one() {
  volatile bool sink;
  appended += "some more text than fits into the object";  // race_appended
  {
    const std::lock_guard<std::mutex> lock(mutex);
    appended_locked += "some more text";  // fine_appended_locked
  }
  assigned = "another text";            // race_assigned
  assigned_apart[0] = "another text";   // fine_assigned_apart
  sink = compared == "that";            // race_compared
  sink = compared_only == "that";       // fine_compared_only
  grown.reserve(100);                   // race_grown
  sink = searched.find("x") != 0;       // race_searched
  std::string mine = std::move(moved);  // race_moved
}

void other() {
  volatile bool sink;
  sink = appended.empty();  // race_appended
  {
    const std::lock_guard<std::mutex> lock(mutex);
    appended_locked += "some more text";  // fine_appended_locked
  }
  assigned.clear();                 // race_assigned
  assigned_apart[1] = "this text";  // fine_assigned_apart
  compared += 'x';                  // race_compared
  sink = compared_only == "this";   // fine_compared_only
  grown.push_back('x');             // race_grown
  searched.erase();                 // race_searched
  moved.insert(0, "x");             // race_moved
}

int main() {
  std::thread first(one), second(other);
  first.join();
  second.join();
  return 0;
}
