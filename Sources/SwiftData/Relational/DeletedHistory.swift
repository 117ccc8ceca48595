package import OpenSwiftDataSQLSyntax

/// What was deleted from the history, in databases whose transaction numbers are not dense.
///
/// In a file of SQLite each number is assigned to one committed transaction, so a missing number is a
/// deleted transaction. A server takes numbers from a sequence: a number that a rolled-back
/// transaction took is never used. So each deletion is recorded in a table of one row, in the same
/// SQL transaction.
struct DeletedHistory {
  let session: any SQLSession
  let plans: StorePlans

  struct Record: Equatable {
    /// The last number of the beginning that was deleted as a whole; 0 if nothing was.
    var start: Int64 = 0
    /// The largest number of a deleted transaction.
    var last: Int64 = 0
  }

  private var statements: DeletedHistoryStatements? { plans.history.deleted }

  /// `nil` if missing numbers show what was deleted.
  func record() throws -> Record? {
    guard let statements else { return nil }
    let found = try session.statement(statements.read).integers(.none)
    return found.count == 2 ? Record(start: found[0], last: found[1]) : Record()
  }

  /// Called after the deletion. A number that is lower than the recorded one has no effect.
  func extend(to record: Record) throws {
    guard let statements else { return }
    try session.statement(statements.extend).run(
      .values([.integer(record.start), .integer(record.last)]))
  }
}

/// The statements for the record of deletions.
struct DeletedHistoryStatements: Sendable {
  /// Reads start and last number.
  let read: String
  /// Reads the last number that was assigned to a transaction, even if it was deleted.
  let lastNumber: String
  /// Raises the start to parameter 0 and the last number to parameter 1.
  let extend: String

  /// - Returns: `nil` for a dialect whose transaction numbers are dense.
  init?(in dialect: SQLDialect) {
    guard dialect.skipsTransactionNumbers else { return nil }
    typealias Table = HistoryTables.Deleted
    func column(_ name: String) -> SQLExpression { .column(table: nil, name: name) }
    func raised(_ name: String, _ index: Int) -> Assignment {
      let value = SQLExpression.cast(.parameter(index), to: .integer)
      let isHigher = SQLExpression.binary(value, .greater, column(name))
      return Assignment(
        name,
        .conditional([SQLBranch(when: isHigher, then: value)], otherwise: column(name)))
    }
    read =
      Select([Table.start, Table.last].map(column), from: TableReference(Table.name))
      .rendered(in: dialect).sql
    lastNumber = DeletedHistoryStatements.lastNumber.rendered(in: dialect).sql
    extend =
      Update(Table.name, set: [raised(Table.start, 0), raised(Table.last, 1)], where: nil)
      .rendered(in: dialect).sql
  }

  /// The greatest of three numbers, as a row of the record. For servers only: SQLite has no such
  /// function.
  fileprivate static var lastNumber: Select {
    let transaction = HistoryTables.Entity.transaction
    let known = [transaction.largestKey, transaction.lastKey].map {
      SQLExpression.function("coalesce", [.subquery($0), .integer(0)])
    }
    let deleted = SQLExpression.column(table: nil, name: HistoryTables.Deleted.last)
    let last = SQLExpression.function("greatest", known + [deleted])
    return Select([last], from: TableReference(HistoryTables.Deleted.name))
  }
}

extension SQLDialect {
  /// Whether numbers of transactions may be missing that no transaction had.
  var skipsTransactionNumbers: Bool {
    switch self {
    case .sqlite: false
    case .postgreSQL: true
    }
  }
}

extension HistoryTables {
  /// The columns of the table that records deletions.
  enum Deleted {
    static let name = "Z_DELETEDHISTORY"
    static let start = "Z_START"
    static let last = "Z_LAST"
  }

  /// The text of a statement for the last number that was assigned to a transaction, in a database that
  /// has the table for deletions.
  package static func lastTransactionStatement(in dialect: SQLDialect) -> String {
    DeletedHistoryStatements.lastNumber.rendered(in: dialect).sql
  }

  /// The statements that create the table for deletions with its row, for databases whose transaction
  /// numbers are not dense.
  package static var deletionStatements: [any SQLStatement] {
    let table = CreateTable(
      Deleted.name,
      columns: [
        ColumnDefinition(RowColumns.key, .integer, isPrimaryKey: true),
        ColumnDefinition(Deleted.start, .integer), ColumnDefinition(Deleted.last, .integer),
      ], ifNotExists: true)
    let row = Insert(
      into: Deleted.name, columns: [RowColumns.key, Deleted.start, Deleted.last],
      rows: [[.integer(1), .integer(0), .integer(0)]], onConflict: .ignore)
    return [table, row]
  }
}
