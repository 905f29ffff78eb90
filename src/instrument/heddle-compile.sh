#!/bin/sh
# heddle-cc and heddle-c++: the compiler, with memory accesses instrumented for Heddle. Use them in place of cc and c++,
# for compiling and for linking; what they build also runs without Heddle.
#
#   CC=heddle-cc CXX=heddle-c++ ./configure        cmake -DCMAKE_C_COMPILER=heddle-cc -DCMAKE_CXX_COMPILER=heddle-c++ …
#
# HEDDLE_CC and HEDDLE_CXX name the compiler behind them (gcc and g++, or clang and clang++); all arguments go on to it.
# The compiler's own ThreadSanitizer instrumentation is switched on for its inner part only, so that its driver does not
# link the sanitizer's library; Heddle's stands in for it.
case $(basename "$0") in
  *c++) compiler=${HEDDLE_CXX:-g++} cxx=yes ;;
  *) compiler=${HEDDLE_CC:-gcc} cxx=no ;;
esac
here=$(dirname "$(readlink -f "$0")")
if [ -e "$here/libheddle_instrument.a" ]; then
  HEDDLE_INSTRUMENT=$here
else
  HEDDLE_INSTRUMENT=$here/../lib/heddle
fi
export HEDDLE_INSTRUMENT
library=$HEDDLE_INSTRUMENT/libheddle_instrument.a
if [ ! -e "$library" ]; then
  echo "heddle: $0 does not find libheddle_instrument.a, neither beside itself nor in ../lib/heddle; build Heddle (./dev build) or install it whole" >&2
  exit 1
fi

refuse_sanitizer() {
  for word; do
    case $word in
      -fsanitize=*thread* | --sanitize=*thread*)
        echo "heddle: $(basename "$0") stands in for -fsanitize=thread: leave it out, here and where it links" >&2
        exit 1
        ;;
      @*) [ -r "${word#@}" ] && refuse_sanitizer $(cat "${word#@}") ;;
    esac
  done
}
refuse_sanitizer "$@"

# Which family it is: by its name, or else by what it says of itself.
case $(basename "${compiler%% *}") in
  *clang*) clang=yes ;;
  *gcc* | *g++*) clang=no ;;
  *) if $compiler --version 2>/dev/null | grep -q clang; then clang=yes; else clang=no; fi ;;
esac
if [ "$clang" = no ]; then
  [ "$cxx" = no ] || set -- -specs="$HEDDLE_INSTRUMENT/heddle-g++.specs" "$@"
  exec $compiler -specs="$HEDDLE_INSTRUMENT/heddle-gcc.specs" -isystem "$HEDDLE_INSTRUMENT/heddle-cxx" "$@"
fi

# Clang: does this command link? Not when it is told to stop before, or has nothing to work on.
links=no
stops=no
has_library=$cxx  # the C++ library, with its operators new
skip=no
look_at() {
  for word; do
    if [ "$skip" = yes ]; then skip=no; continue; fi
    case $word in
      -c | -S | -E | -M | -MM | -fsyntax-only | --version | -dump* | -print-* | --print-* | --help* | -r | --precompile | -emit-ast | --analyze) stops=yes ;;
      -o | -x | -I | -D | -U | -include | -isystem | -iquote | -MF | -MT | -MQ | -Xclang | -mllvm | -arch | -target) skip=yes ;;
      @*) [ -r "${word#@}" ] && look_at $(cat "${word#@}") ;;
      -l* | -) links=yes ;;
      -nostdlib | -nodefaultlibs | -nostdlib++) has_library=no ;;
      -*) ;;
      *) links=yes ;;
    esac
  done
}
look_at "$@"
if [ "$links" = yes ] && [ "$stops" = no ]; then
  [ "$has_library" = no ] || set -- "$@" "-Wl,--whole-archive,$HEDDLE_INSTRUMENT/libheddle_operators.a,--no-whole-archive"
  set -- "$@" -Wl,@HEDDLE_WRAP_LIST@ "-Wl,--whole-archive,$library,--no-whole-archive"
fi
# -mcx16: without it clang leaves atomics of 16 bytes to libatomic, where nobody sees them. And it leaves out a read of what
# is written soon after, as no race is missed by that; but a value is read there, and another thread can write before.
# Whether a variable of a function's own may be known elsewhere it asks of the address of the member that is accessed,
# which is handed to nobody: so it is told that it can't find out. And with -flto, calls of memcpy() that the
# instrumentation has made of copies would become code again, were it not told that they are no builtins.
exec $compiler --start-no-unused-arguments -mcx16 -Xclang -fsanitize=thread -mllvm -tsan-distinguish-volatile=1 \
  -mllvm -tsan-instrument-read-before-write=1 -mllvm -capture-tracking-max-uses-to-explore=0 \
  -fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset -isystem "$HEDDLE_INSTRUMENT/heddle-cxx" \
  --end-no-unused-arguments "$@"
