/// How a database is opened.
package enum OpenMode: Hashable, Sendable {
  /// Reads and writes; a missing file is created, its directory is not.
  case readWriteCreate

  /// Reads and writes an existing file.
  case readWrite

  /// Reads an existing file.
  case readOnly

  /// A database in memory. Connections of one process with the same name share it; a database
  /// without a name is not shared. The path is ignored.
  case memory(name: String?)

  package var isWritable: Bool {
    self != .readOnly
  }

  package var isInMemory: Bool {
    if case .memory = self { true } else { false }
  }
}
