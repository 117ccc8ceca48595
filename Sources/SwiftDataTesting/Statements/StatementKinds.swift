/// Kinds of statements that a store runs.
///
/// The number of statements on rows is the same for stores in memory and in files. Transactions and
/// queries about the state of the file are not: a fetch of several statements has a transaction only
/// if there are other connections.
public struct StatementKinds: OptionSet, Hashable, Sendable {
  /// One bit for each kind.
  public let rawValue: Int

  /// Creates a set of kinds from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Statements that read rows of models.
  public static let reads = StatementKinds(rawValue: 1)

  /// Statements that insert, update or delete rows of models.
  public static let writes = StatementKinds(rawValue: 2)

  /// Statements that read or write the history.
  public static let history = StatementKinds(rawValue: 4)

  /// The begins and ends of transactions and savepoints.
  public static let transactions = StatementKinds(rawValue: 8)

  /// Statements of the store itself, such as the assignment of keys.
  public static let bookkeeping = StatementKinds(rawValue: 16)

  /// Reads and writes of rows.
  public static let rows: StatementKinds = [.reads, .writes]

  /// All kinds.
  public static let all: StatementKinds = [
    .reads, .writes, .history, .transactions, .bookkeeping,
  ]
}

extension StatementKinds: CustomStringConvertible {
  /// The names of the kinds.
  public var description: String {
    let names: [(StatementKinds, String)] = [
      (.reads, "reads"), (.writes, "writes"), (.history, "history"),
      (.transactions, "transactions"), (.bookkeeping, "bookkeeping"),
    ]
    return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
  }

  /// The statements of these kinds, as the object of a sentence.
  func counted(_ count: Int) -> String {
    let noun = count == 1 ? "statement" : "statements"
    switch self {
    case .all, .rows: return "\(count) \(noun)"
    case .reads: return "\(count) reading \(noun)"
    case .writes: return "\(count) writing \(noun)"
    default: return "\(count) \(noun) (\(description))"
    }
  }
}
