/// What is known of a statement: its text, and the types that the server found for it.
package final class StatementDescription {
  package let sql: String
  /// The statement's name on the server; empty if it is sent with each run.
  let name: String
  package let parameterTypes: [PostgresType]
  package let columns: [Column]
  fileprivate var lastUse: UInt64 = 0
  /// The number of rows that the last run returned; many before the first.
  var lastRowCount = Int.max

  package struct Column: Hashable, Sendable {
    package let name: String
    package let type: PostgresType
  }

  init(sql: String, name: String, parameterTypes: [PostgresType], columns: [Column]) {
    self.sql = sql
    self.name = name
    self.parameterTypes = parameterTypes
    self.columns = columns
  }
}

/// The statements of one connection, by their text. The least recently used ones are forgotten.
///
/// A statement that the server keeps must be deallocated there. That is sent with the next statement
/// that is prepared outside of a transaction: code that has prepared a statement in the transaction may
/// run it until the end.
final class PreparedStatements {
  private var descriptions: [String: StatementDescription] = [:]
  /// Names on the server that are no longer needed.
  private(set) var obsoleteNames: [String] = []
  private var clock: UInt64 = 0
  private var nextNumber = 0
  /// In the names of statements, which so differ between connections: behind a pooler that the caller did
  /// not declare, several share a session of the server, and one must not run a statement of another.
  private let token = String(UInt64.random(in: .min ... .max), radix: 36)
  private let capacity: Int
  private let areNamed: Bool

  init(_ mode: ConnectionOptions.Statements) {
    switch mode {
    case .prepared(let count):
      capacity = max(count, 1)
      areNamed = true
    case .unnamed, .pooled:
      capacity = 1000
      areNamed = false
    }
  }

  var count: Int { descriptions.count }

  func find(_ sql: String) -> StatementDescription? {
    guard let found = descriptions[sql] else { return nil }
    clock += 1
    found.lastUse = clock
    return found
  }

  /// A name that was never used on this connection; empty if statements are not named.
  func makeName() -> String {
    guard areNamed else { return "" }
    nextNumber += 1
    return "opensd_\(token)_\(nextNumber)"
  }

  func add(_ description: StatementDescription) {
    if descriptions.count >= capacity,
      let oldest = descriptions.values.min(by: { $0.lastUse < $1.lastUse })
    {
      remove(oldest)
    }
    clock += 1
    description.lastUse = clock
    descriptions[description.sql] = description
  }

  func remove(_ description: StatementDescription) {
    guard descriptions[description.sql] === description else { return }
    descriptions[description.sql] = nil
    if !description.name.isEmpty { obsoleteNames.append(description.name) }
  }

  /// - Parameter count: The number of names, the oldest first; none are left after `removeAll`.
  func noteDeallocated(_ count: Int) {
    obsoleteNames.removeFirst(min(count, obsoleteNames.count))
  }

  func removeAll() {
    descriptions.removeAll()
    obsoleteNames.removeAll()
  }
}
