// Which function a line of Python is in.
#include "analysis/python_functions.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using Lines = std::vector<std::string>;

TEST(PythonFunctions, ALineIsInTheFunctionThatIsIndentedLess) {
  EXPECT_EQ(python_functions({"import x", "def put(item):", "    box = item", "", "    box += 1", "put(1)"}),
            (Lines{"<module>", "put", "put", "put", "put", "<module>"}));
}

TEST(PythonFunctions, ClassesAndFunctionsAroundAreNamed) {
  EXPECT_EQ(
      python_functions({"class Queue(Base):", "    size = 1", "    async def put(self):", "        def inner(x):",
                        "            return x", "        return inner", "    def get(self): pass"}),
      (Lines{"<module>", "<module>", "Queue.put", "Queue.put.inner", "Queue.put.inner", "Queue.put", "Queue.get"}));
}

TEST(PythonFunctions, CommentsAndEmptyLinesEndNothing) {
  EXPECT_EQ(python_functions({"def f():", "    a = 1", "# a comment", "", "    b = 2", "define = 3"}),
            (Lines{"f", "f", "f", "f", "f", "<module>"}));
}

TEST(PythonFunctions, TabsCountAsTheyDoInPython) {
  EXPECT_EQ(python_functions({"def f():", "\tif a:", "\t\tb()", "        c()"}), (Lines{"f", "f", "f", "f"}));
}

TEST(PythonFunctions, AFileThatIsNotThereHasNoFunctions) {
  PythonFunctions functions;
  EXPECT_EQ(functions.function_at("/nowhere/at/all.py", 1), "");
}

}  // namespace
}  // namespace heddle
