/// How a database is opened.
package enum OpenMode: Hashable, Sendable {
  /// Reads and writes; a missing file is created, its directory is not.
  case readWriteCreate

  /// Reads and writes a file that exists.
  case readWrite

  /// Reads a file that exists.
  case readOnly

  /// A database in memory; connections of one process that give the same name share it,
  /// without a name nobody does. The path is ignored.
  case memory(name: String?)

  package var isWritable: Bool {
    self != .readOnly
  }

  package var isInMemory: Bool {
    if case .memory = self { true } else { false }
  }
}
