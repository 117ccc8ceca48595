#ifndef OPEN_SWIFT_DATA_CZLIB_SHIM_H
#define OPEN_SWIFT_DATA_CZLIB_SHIM_H

#include <zlib.h>

// The initialisers are macros that Swift does not import. Negative window bits mean raw DEFLATE,
// without the header and the checksum of zlib.

static inline int czlib_inflate_init_raw(z_stream *stream) {
  return inflateInit2(stream, -MAX_WBITS);
}

static inline int czlib_deflate_init_raw(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
}

#endif
