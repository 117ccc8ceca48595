#ifndef OPEN_SWIFT_DATA_CPOSTGRES_SHIM_H
#define OPEN_SWIFT_DATA_CPOSTGRES_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

// Where Fedora and pkg-config have it, and where Debian has it.
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#elif __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#error "libpq is missing. Install libpq-dev (Debian, Ubuntu), libpq-devel (Fedora) or libpq (Homebrew)."
#endif

// Swift does not import conditions of the preprocessor. libpq 17 can return the rows of a result in
// chunks; before, it returned them one by one.

static inline int cpostgres_read_in_parts(PGconn *connection, int rows) {
#ifdef LIBPQ_HAS_CHUNK_MODE
  return PQsetChunkedRowsMode(connection, rows);
#else
  (void)rows;
  return PQsetSingleRowMode(connection);
#endif
}

static inline int cpostgres_has_chunks(void) {
#ifdef LIBPQ_HAS_CHUNK_MODE
  return 1;
#else
  return 0;
#endif
}

static inline int cpostgres_is_part(ExecStatusType status) {
#ifdef LIBPQ_HAS_CHUNK_MODE
  if (status == PGRES_TUPLES_CHUNK) return 1;
#endif
  return status == PGRES_SINGLE_TUPLE;
}

// Waits until the socket can be read or written, or a byte arrives on the wake-up descriptor.
// Returns a set of the CPOSTGRES constants: 0 after the time limit, -1 for an error.

#define CPOSTGRES_READABLE 1
#define CPOSTGRES_WRITABLE 2
#define CPOSTGRES_WOKEN 4

static inline int cpostgres_wait(int socket, int wake, int events, int milliseconds) {
  struct pollfd descriptors[2] = {
      {socket, (short)((events & CPOSTGRES_READABLE ? POLLIN : 0) |
                       (events & CPOSTGRES_WRITABLE ? POLLOUT : 0)),
       0},
      {wake, POLLIN, 0},
  };
  int count = poll(descriptors, wake < 0 ? 1 : 2, milliseconds);
  if (count < 0) return errno == EINTR ? 0 : -1;
  int found = 0;
  // After a hang-up or an error the next call of libpq reports it.
  if (descriptors[0].revents & (POLLIN | POLLHUP | POLLERR | POLLNVAL)) found |= CPOSTGRES_READABLE;
  if (descriptors[0].revents & (POLLOUT | POLLHUP | POLLERR | POLLNVAL)) found |= CPOSTGRES_WRITABLE;
  if (wake >= 0 && descriptors[1].revents) found |= CPOSTGRES_WOKEN;
  return found;
}

// Sends what libpq has to send, as PQflush does, but waits while the socket is full, until it has been
// full for the time limit. After each partial write libpq moves all the rest to the front of its buffer,
// which takes a time that is quadratic in the size. A socket that waits takes nearly all at once.
// The socket waits only inside this function. An encrypted connection sends in records, and would wait
// for each of them.

static inline int cpostgres_flush_waiting(PGconn *connection, int milliseconds) {
  if (PQsslInUse(connection) || PQgssEncInUse(connection)) return PQflush(connection);
  int socket = PQsocket(connection);
  int flags = fcntl(socket, F_GETFL);
  if (flags < 0) return PQflush(connection);
  // Zero would be no limit. After a partial write libpq also tries to read.
  struct timeval writing = {milliseconds / 1000, milliseconds % 1000 * 1000};
  struct timeval reading = {0, 1000};
  if (milliseconds > 0 &&
      setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &writing, sizeof writing) == 0 &&
      setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &reading, sizeof reading) == 0)
    fcntl(socket, F_SETFL, flags & ~O_NONBLOCK);
  int result = PQflush(connection);
  fcntl(socket, F_SETFL, flags);
  return result;
}

// Opens /dev/null for closed standard descriptors, as SQLite does. In a daemon without them a socket or a pipe
// would become standard error, and receive the warnings of the process.

static inline void cpostgres_fill_standard_descriptors(void) {
  int file;
  do file = open("/dev/null", O_RDWR);
  while (file >= 0 && file <= STDERR_FILENO);
  if (file >= 0) close(file);
}

// A pipe that neither blocks nor survives exec.

static inline int cpostgres_make_pipe(int ends[2]) {
  cpostgres_fill_standard_descriptors();
  if (pipe(ends) != 0) return -1;
  for (int end = 0; end < 2; end++) {
    fcntl(ends[end], F_SETFD, FD_CLOEXEC);
    fcntl(ends[end], F_SETFL, O_NONBLOCK);
  }
  return 0;
}

#endif
