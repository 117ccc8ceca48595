extension SwiftDataError {
  /// A failure that the database of a store reported. Not in Apple's framework.
  ///
  /// Values are bound to statements and never spelled into them, so there are no stored values in it.
  public struct DatabaseFailure: Error, Hashable, Sendable {
    /// The database's name for the failure, such as `SQLITE_FULL`.
    public let name: String

    /// The number of the failure: SQLite's primary result code.
    public let code: Int

    /// A number that says more: SQLite's extended result code, or the same as `code`.
    public let extendedCode: Int

    /// The database's own words.
    public let message: String

    /// The statement that failed, if it was one.
    public let sql: String?

    /// The path of the database file; `nil` for one in memory.
    public let path: String?

    private let sentence: String

    /// The description without what an error of a store says before it: that the file can't be used.
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
  /// What failed, the statement, and what helps.
  public var description: String { sentence }
}
