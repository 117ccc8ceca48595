#ifndef BLOG_LIBPQ_SHIM_H
#define BLOG_LIBPQ_SHIM_H

// Where Fedora and Homebrew have it, and where Debian has it.
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif

#endif
