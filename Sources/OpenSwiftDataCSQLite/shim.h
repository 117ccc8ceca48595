#ifndef OPEN_SWIFT_DATA_CSQLITE_SHIM_H
#define OPEN_SWIFT_DATA_CSQLITE_SHIM_H

#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast that Swift does not import.

static inline int csqlite_bind_text_copy(sqlite3_stmt *statement, int index,
                                         const char *text, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int csqlite_bind_blob_copy(sqlite3_stmt *statement, int index,
                                         const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline void csqlite_result_text_copy(sqlite3_context *context, const char *text,
                                            sqlite3_uint64 count) {
  sqlite3_result_text64(context, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline void csqlite_result_blob_copy(sqlite3_context *context, const void *bytes,
                                            sqlite3_uint64 count) {
  sqlite3_result_blob64(context, bytes, count, SQLITE_TRANSIENT);
}

// The 64-bit counters came with SQLite 3.37.

static inline sqlite3_int64 csqlite_changes(sqlite3 *database) {
#if SQLITE_VERSION_NUMBER >= 3037000
  return sqlite3_changes64(database);
#else
  return sqlite3_changes(database);
#endif
}

static inline sqlite3_int64 csqlite_total_changes(sqlite3 *database) {
#if SQLITE_VERSION_NUMBER >= 3037000
  return sqlite3_total_changes64(database);
#else
  return sqlite3_total_changes(database);
#endif
}

// Whether the open transaction has begun to read. Before SQLite 3.34 each one counts as begun.

static inline int csqlite_has_begun_reading(sqlite3 *database) {
#if SQLITE_VERSION_NUMBER >= 3034000
  return sqlite3_txn_state(database, "main") != SQLITE_TXN_NONE;
#else
  return !sqlite3_get_autocommit(database);
#endif
}

// Whether the open transaction has written. Before SQLite 3.34 each one counts.

static inline int csqlite_is_writing(sqlite3 *database) {
#if SQLITE_VERSION_NUMBER >= 3034000
  return sqlite3_txn_state(database, "main") == SQLITE_TXN_WRITE;
#else
  return !sqlite3_get_autocommit(database);
#endif
}

// sqlite3_db_config takes variable arguments, which Swift does not call.

static inline int csqlite_keep_log_on_close(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

#endif
