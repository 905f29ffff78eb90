// getaddrinfo_a(): glibc looks names up in helper threads, which the model does not know. Here the call itself makes
// the lookups and has the answers at once; a notification that was asked for follows.
#include <netdb.h>
#include <signal.h>

#include "runtime/intercept/calls.h"
#include "runtime/intercept/intercept.h"
#include "runtime/world/signals/deliver.h"
#include "runtime/world/signals/masks.h"
#include "runtime/world/signals/post.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

void look_up(gaicb* request) {
  request->__return = getaddrinfo(request->ar_name, request->ar_service, request->ar_request, &request->ar_result);
}

void tell(const sigevent& event, Site site) {
  if (event.sigev_notify == SIGEV_SIGNAL) {
    send_signal(kNoTask, own_signal(event.sigev_signo, SI_ASYNCNL, event.sigev_value), site);
  } else if (event.sigev_notify == SIGEV_THREAD) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    const auto function = reinterpret_cast<void* (*)(void*)>(reinterpret_cast<void (*)()>(event.sigev_notify_function));
    pthread_t thread = 0;
    create_thread(&thread, &attributes, {function, event.sigev_value.sival_ptr, false}, site);
  }
}

}  // namespace
}  // namespace heddle::runtime

HEDDLE_EXPORT int getaddrinfo_a(int mode, gaicb* list[], int count, sigevent* event) {
  if (!controlled()) return real::getaddrinfo_a(mode, list, count, event);
  if (mode != GAI_WAIT && mode != GAI_NOWAIT) {
    errno = EINVAL;
    return EAI_SYSTEM;
  }
  make_signals_virtual();
  perform(OperationKind::Yield, kNoObject, HEDDLE_CALLER);
  for (int i = 0; i < count; ++i)
    if (list[i] != nullptr) look_up(list[i]);
  if (mode == GAI_NOWAIT && event != nullptr) tell(*event, HEDDLE_CALLER);
  return 0;
}
