extension SwiftDataError {
  /// A failure that the database of a store reported. Not in Apple's framework.
  ///
  /// Values are bound to statements as parameters, so the error contains no stored values.
  public struct DatabaseFailure: Error, Hashable, Sendable {
    /// The database's name for the failure, such as `SQLITE_FULL`.
    public let name: String

    /// The error number: SQLite's primary result code.
    public let code: Int

    /// A more specific number: SQLite's extended result code, or the same as `code`.
    public let extendedCode: Int

    /// The database's own message.
    public let message: String

    /// The statement that failed; `nil` if no statement was involved.
    public let sql: String?

    /// The path of the database file; `nil` for a database in memory.
    public let path: String?

    private let sentence: String

    /// The description without its opening (the file can't be used), which errors of stores say
    /// already.
    let cause: String

    package init(
      name: String, code: Int, extendedCode: Int, message: String, sql: String?, path: String?,
      sentence: String, cause: String? = nil
    ) {
      self.name = name
      self.code = code
      self.extendedCode = extendedCode
      self.message = message
      self.sql = sql
      self.path = path
      self.sentence = sentence
      self.cause = cause ?? sentence
    }
  }
}

extension SwiftDataError.DatabaseFailure: CustomStringConvertible {
  /// What failed, the statement, and how to recover.
  public var description: String { sentence }
}
