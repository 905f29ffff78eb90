// Sockets between threads: pairs, Unix, TCP and UDP over loopback.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "check.h"

namespace {

sockaddr* general(void* address) { return static_cast<sockaddr*>(address); }

void check_pair() {
  static int pair[2];
  char buffer[16] = {};
  ERRNO_OF("socketpair", "stream", 0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
  int unused[2];
  ERRNO_OF("socketpair", "no such family", EAFNOSUPPORT, socketpair(999, SOCK_STREAM, 0, unused));
  VALUE_OF("send", "pair, five bytes", 5, send(pair[0], "hello", 5, 0));
  VALUE_OF("recv", "pair, to look at", 5, recv(pair[1], buffer, 16, MSG_PEEK));
  VALUE_OF("recv", "pair, fewer than there are", 2, recv(pair[1], buffer, 2, 0));
  VALUE_OF("recv", "pair, the rest", 3, recv(pair[1], buffer, 16, 0));
  ERRNO_OF("recv", "pair, nothing there, not to wait", EAGAIN, recv(pair[1], buffer, 16, MSG_DONTWAIT));
  Thread receiver([] {
    char byte = 0;
    return recv(pair[1], &byte, 1, 0) == 1 ? byte : -1;
  });
  sched_yield();
  VALUE_OF("send", "pair, a receiver waits", 1, send(pair[0], "z", 1, 0));
  VALUE_OF("recv", "pair, waits until another thread sends", 'z', receiver.result());
  Thread all([] {
    char four[4];
    return static_cast<int>(recv(pair[1], four, 4, MSG_WAITALL));
  });
  send(pair[0], "ab", 2, 0);
  sched_yield();
  send(pair[0], "cd", 2, 0);
  VALUE_OF("recv", "pair, waits for all", 4, all.result());
  const timeval moment = {0, 3000};
  ERRNO_OF("setsockopt", "a time for receiving", 0,
           setsockopt(pair[1], SOL_SOCKET, SO_RCVTIMEO, &moment, sizeof moment));
  ERRNO_OF("recv", "pair, nothing until the time is over", EAGAIN, recv(pair[1], buffer, 1, 0));
  ERRNO_OF("setsockopt", "no descriptor", EBADF,
           setsockopt(kMinusOne, SOL_SOCKET, SO_RCVTIMEO, &moment, sizeof moment));
  ERRNO_OF("setsockopt", "no socket", ENOTSOCK,
           setsockopt(STDOUT_FILENO, SOL_SOCKET, SO_RCVTIMEO, &moment, sizeof moment));
  ERRNO_OF("setsockopt", "an option that there is not", ENOPROTOOPT,
           setsockopt(pair[1], SOL_SOCKET, 9999, &moment, sizeof moment));
  iovec piece = {buffer, sizeof buffer};
  msghdr message = {};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  send(pair[0], "msg", 3, 0);
  VALUE_OF("recvmsg", "pair", 3, recvmsg(pair[1], &message, 0));
  piece.iov_len = 3;
  VALUE_OF("sendmsg", "pair", 3, sendmsg(pair[1], &message, 0));
  VALUE_OF("read", "a socket", 3, read(pair[0], buffer, 16));
  VALUE_OF("write", "a socket", 2, write(pair[0], "ok", 2));
  recv(pair[1], buffer, 16, 0);
  ERRNO_OF("shutdown", "writing", 0, shutdown(pair[0], SHUT_WR));
  VALUE_OF("recv", "pair, the other has shut down writing", 0, recv(pair[1], buffer, 16, 0));
  ERRNO_OF("send", "after shutting down writing", EPIPE, send(pair[0], "x", 1, MSG_NOSIGNAL));
  ERRNO_OF("shutdown", "no such way", EINVAL, shutdown(pair[0], 77));
  close(pair[0]);
  ERRNO_OF("send", "the other is closed", EPIPE, send(pair[1], "x", 1, MSG_NOSIGNAL));
  close(pair[1]);
  ERRNO_OF("send", "a closed descriptor", EBADF, send(pair[1], "x", 1, 0));
  ERRNO_OF("recv", "a closed descriptor", EBADF, recv(pair[1], buffer, 1, 0));
  ERRNO_OF("shutdown", "a closed descriptor", EBADF, shutdown(pair[1], SHUT_RD));
  ERRNO_OF("socketpair", "datagrams", 0, socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
  send(pair[0], "first", 5, 0), send(pair[0], "second", 6, 0);
  VALUE_OF("recv", "datagrams keep their bounds", 5, recv(pair[1], buffer, 16, 0));
  VALUE_OF("recv", "a datagram that is too long is cut off", 2, recv(pair[1], buffer, 2, 0));
  close(pair[0]), close(pair[1]);
  ERRNO_OF("send", "no socket", ENOTSOCK, (pipe(pair), send(pair[1], "x", 1, 0)));
  close(pair[0]), close(pair[1]);
}

int server;
sockaddr_in address;

int connected() {
  const int made = socket(AF_INET, SOCK_STREAM, 0);
  return connect(made, general(&address), sizeof address) == 0 ? made : -1;
}

void check_tcp_setup() {
  server = socket(AF_INET, SOCK_STREAM, 0);
  HOLDS("socket", "TCP", server >= 0);
  ERRNO_OF("socket", "no such family", EAFNOSUPPORT, socket(999, SOCK_STREAM, 0));
  ERRNO_OF("socket", "no such type", EINVAL, socket(AF_INET, 77, 0));
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ERRNO_OF("bind", "any port", 0, bind(server, general(&address), sizeof address));
  ERRNO_OF("bind", "a second time", EINVAL, bind(server, general(&address), sizeof address));
  ERRNO_OF("listen", "five", 0, listen(server, 5));
  socklen_t size = sizeof address;
  ERRNO_OF("getsockname", "the listening socket", 0, getsockname(server, general(&address), &size));
  HOLDS("getsockname", "a port was chosen", address.sin_port != 0);
  ERRNO_OF("getpeername", "the listening socket", ENOTCONN,
           (size = sizeof address, getpeername(server, general(&address), &size)));
  const int other = socket(AF_INET, SOCK_STREAM, 0);
  ERRNO_OF("bind", "a port that is taken", EADDRINUSE, bind(other, general(&address), sizeof address));
  ERRNO_OF("send", "not connected", EPIPE, send(other, "x", 1, MSG_NOSIGNAL));
  char byte;
  ERRNO_OF("recv", "not connected", ENOTCONN, recv(other, &byte, 1, 0));
  ERRNO_OF("accept", "does not listen", EINVAL, accept(other, nullptr, nullptr));
  close(other);
  fcntl(server, F_SETFL, O_NONBLOCK);
  ERRNO_OF("accept", "nobody connects, does not block", EAGAIN, accept(server, nullptr, nullptr));
  fcntl(server, F_SETFL, 0);
  ERRNO_OF("accept", "no descriptor", EBADF, accept(-1, nullptr, nullptr));
  ERRNO_OF("connect", "no descriptor", EBADF, connect(-1, general(&address), sizeof address));
}

void check_tcp() {
  static int accepted;
  Thread acceptor([] { return accepted = accept(server, nullptr, nullptr); });
  sched_yield();
  const int client = connected();
  HOLDS("connect", "another thread accepts", client >= 0);
  HOLDS("accept", "waits until another thread connects", acceptor.result() >= 0);
  VALUE_OF("send", "TCP, five bytes", 5, send(client, "hello", 5, 0));
  char buffer[16] = {};
  VALUE_OF("recv", "TCP, all of five bytes", 5, recv(accepted, buffer, 5, MSG_WAITALL));
  HOLDS("recv", "TCP, the bytes", memcmp(buffer, "hello", 5) == 0);
  Thread echo([] {
    char own[8];
    const long size = recv(accepted, own, sizeof own, 0);
    return size > 0 ? static_cast<int>(send(accepted, own, static_cast<size_t>(size), 0)) : -1;
  });
  send(client, "ab", 2, 0);
  VALUE_OF("recv", "TCP, what another thread sends back", 2, recv(client, buffer, 2, MSG_WAITALL));
  VALUE_OF("send", "TCP, by another thread", 2, echo.result());
  ERRNO_OF("recv", "TCP, nothing there, not to wait", EAGAIN, recv(client, buffer, 1, MSG_DONTWAIT));
  ERRNO_OF("recv", "TCP, urgent data, none", EINVAL, recv(client, buffer, 1, MSG_OOB));
  Thread urgent([] { return static_cast<int>(send(accepted, "!", 1, MSG_OOB)); });
  pollfd ready{client, POLLPRI, 0};
  VALUE_OF("poll", "TCP, urgent data from another thread", 1, poll(&ready, 1, -1));
  VALUE_OF("recv", "TCP, urgent data", 1, recv(client, buffer, 1, MSG_OOB));
  HOLDS("recv", "TCP, the urgent byte", buffer[0] == '!');
  VALUE_OF("send", "TCP, urgent data by another thread", 1, urgent.result());
  sockaddr_in peer = {};
  socklen_t size = sizeof peer;
  ERRNO_OF("getpeername", "a connected socket", 0, getpeername(client, general(&peer), &size));
  HOLDS("getpeername", "the server's port", peer.sin_port == address.sin_port);
  ERRNO_OF("connect", "connected before", EISCONN, connect(client, general(&address), sizeof address));
  close(client);
  VALUE_OF("recv", "TCP, the other is closed", 0, recv(accepted, buffer, 1, 0));
  close(accepted);
  const int second = connected();
  HOLDS("connect", "nobody has accepted yet", second >= 0);
  accepted = accept4(server, nullptr, nullptr, SOCK_NONBLOCK);
  HOLDS("accept4", "who connected before", accepted >= 0);
  ERRNO_OF("recv", "accepted not to block", EAGAIN, recv(accepted, buffer, 1, 0));
  ERRNO_OF("accept4", "flags that are none", EINVAL, accept4(server, nullptr, nullptr, 0x77));
  close(second), close(accepted);
  static const int unblocked = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  const int result = connect(unblocked, general(&address), sizeof address);
  HOLDS("connect", "not to block: done or in progress", result == 0 || errno == EINPROGRESS);
  accepted = accept(server, nullptr, nullptr);
  int error = -1;
  size = sizeof error;
  ERRNO_OF("getsockopt", "the error of a connection", 0, getsockopt(unblocked, SOL_SOCKET, SO_ERROR, &error, &size));
  ERROR_OF("getsockopt", "the connection is made", 0, error);
  close(accepted), close(unblocked), close(server);
  ERRNO_OF("connect", "nobody listens", ECONNREFUSED, connected() == -1 ? -1 : 0);
}

void check_udp() {
  static int receiver = socket(AF_INET, SOCK_DGRAM, 0);
  const int sender = socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ERRNO_OF("bind", "UDP", 0, bind(receiver, general(&to), sizeof to));
  socklen_t size = sizeof to;
  getsockname(receiver, general(&to), &size);
  char buffer[16];
  ERRNO_OF("recvfrom", "UDP, nothing there, not to wait", EAGAIN,
           recvfrom(receiver, buffer, 16, MSG_DONTWAIT, nullptr, nullptr));
  VALUE_OF("sendto", "UDP", 3, sendto(sender, "abc", 3, 0, general(&to), sizeof to));
  sockaddr_in from = {};
  size = sizeof from;
  VALUE_OF("recvfrom", "UDP", 3, recvfrom(receiver, buffer, 16, 0, general(&from), &size));
  HOLDS("recvfrom", "UDP, from where", from.sin_addr.s_addr == htonl(INADDR_LOOPBACK));
  Thread waiter([] {
    char own[8];
    return static_cast<int>(recvfrom(receiver, own, sizeof own, 0, nullptr, nullptr));
  });
  sched_yield();
  sendto(sender, "late", 4, 0, general(&to), sizeof to);
  VALUE_OF("recvfrom", "UDP, waits until another thread sends", 4, waiter.result());
  ERRNO_OF("sendto", "UDP, no address", EDESTADDRREQ, sendto(sender, "x", 1, 0, nullptr, 0));
  VALUE_OF("sendto", "UDP, no bytes", 0, sendto(sender, "", 0, 0, general(&to), sizeof to));
  VALUE_OF("recvfrom", "UDP, no bytes", 0, recvfrom(receiver, buffer, 16, 0, nullptr, nullptr));
  ERRNO_OF("connect", "UDP", 0, connect(sender, general(&to), sizeof to));
  mmsghdr messages[2] = {};
  iovec pieces[2] = {{buffer, 1}, {buffer, 2}};
  for (int i = 0; i < 2; ++i) messages[i].msg_hdr.msg_iov = &pieces[i], messages[i].msg_hdr.msg_iovlen = 1;
  VALUE_OF("sendmmsg", "UDP, two messages", 2, sendmmsg(sender, messages, 2, 0));
  VALUE_OF("recvmmsg", "UDP, two messages", 2, recvmmsg(receiver, messages, 2, MSG_DONTWAIT, nullptr));
  ERRNO_OF("recvmmsg", "UDP, nothing there, not to wait", EAGAIN,
           recvmmsg(receiver, messages, 2, MSG_DONTWAIT, nullptr));
  VALUE_OF("sendmmsg", "UDP, a second time", 2, sendmmsg(sender, messages, 2, 0));
  VALUE_OF("recvmmsg", "UDP, only one of two", 1, recvmmsg(receiver, messages, 1, 0, nullptr));
  ERRNO_OF("sendmmsg", "no descriptor", EBADF, sendmmsg(-1, messages, 2, 0));
  close(sender), close(receiver);
}

void check_unix() {
  sockaddr_un name = {};
  name.sun_family = AF_UNIX;  // an abstract name: nothing is left in a folder
  snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "heddle-conformance-%d", getpid());
  static int listening = socket(AF_UNIX, SOCK_STREAM, 0);
  const socklen_t size = sizeof name;
  ERRNO_OF("bind", "Unix, an abstract name", 0, bind(listening, general(&name), size));
  const int client = socket(AF_UNIX, SOCK_STREAM, 0);
  ERRNO_OF("connect", "Unix, nobody listens", ECONNREFUSED, connect(client, general(&name), size));
  ERRNO_OF("listen", "Unix", 0, listen(listening, 2));
  static int accepted;
  Thread acceptor([] { return accepted = accept(listening, nullptr, nullptr); });
  ERRNO_OF("connect", "Unix", 0, connect(client, general(&name), size));
  HOLDS("accept", "Unix, another thread connects", acceptor.result() >= 0);
  VALUE_OF("send", "Unix", 2, send(client, "hi", 2, 0));
  char buffer[4];
  VALUE_OF("recv", "Unix", 2, recv(accepted, buffer, 4, 0));
  close(client);
  VALUE_OF("recv", "Unix, the other is closed", 0, recv(accepted, buffer, 4, 0));
  close(accepted), close(listening);
  ERRNO_OF("listen", "no descriptor", EBADF, listen(-1, 1));
}

}  // namespace

int main() {
  begin_checks();
  check_pair();
  check_tcp_setup();
  check_tcp();
  check_udp();
  check_unix();
  return end_checks();
}
