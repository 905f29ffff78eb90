/* Before C++20 std::string is compiled in libstdc++'s shared object, which is not instrumented (extern template), so no
   race on one would be seen. With this value it is compiled where it is used, as with _GLIBCXX_ASSERTIONS; both kinds
   can be linked with each other. Lies in front of libstdc++'s file of this name, which every one of its headers
   includes; there is nothing else in here that a compiler sees, so precompiled headers remain. */
#include_next <bits/c++config.h>
#if defined _GLIBCXX_EXTERN_TEMPLATE && _GLIBCXX_EXTERN_TEMPLATE > 0
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
#endif
