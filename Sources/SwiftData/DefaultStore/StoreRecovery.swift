public import Foundation

/// What was saved from a damaged store, and what was lost. Not in Apple's framework.
///
/// ``ModelContainer/recoverStore(at:to:for:)`` makes it.
public struct StoreRecovery: Hashable, Sendable {
  /// What was saved of one table.
  public struct Table: Hashable, Sendable {
    /// The name of the table, such as `ZTRIP`.
    public let name: String

    /// The entities whose rows are in the table; none for tables of links, history and book-keeping.
    public let entities: [String]

    /// How many rows the new store has.
    public internal(set) var copiedRows = 0

    /// The keys, `Z_PK`, whose rows could not be read, in order.
    ///
    /// There may have been fewer rows than keys: some belonged to models that had been deleted. The last
    /// range ends with `Int64.max` where nothing tells the last key.
    public internal(set) var lostKeys: [ClosedRange<Int64>] = []

    /// The keys of rows that were left out because a newer row has the same unique values.
    public internal(set) var duplicateKeys: [Int64] = []

    /// Whether the new store has all rows that the table had.
    public var isComplete: Bool { lostKeys.isEmpty && duplicateKeys.isEmpty }
  }

  /// What a store has besides the rows of models.
  public enum Part: String, Hashable, Sendable, CaseIterable {
    /// The list of tables and indexes; what was missing was taken from the models.
    case tables
    /// The identifier and the versions of the store; where they are lost, identifiers of models that were
    /// stored elsewhere lead nowhere.
    case metadata
    /// The numbers of entities and their last keys.
    case entities
    /// The description of the models, which Apple's framework compares with its own.
    case modelDescription
    /// The history, or a part of it.
    case history
  }

  /// The damaged store.
  public let source: URL

  /// The new store.
  public let destination: URL

  /// What was saved of each table, in the order of their names.
  public internal(set) var tables: [Table] = []

  /// The numbers of the pages that could not be read, those of tables and indexes.
  public internal(set) var damagedPages: [Int] = []

  /// Damaged indexes, which the new store has anew, from the rows.
  public internal(set) var rebuiltIndexes: [String] = []

  /// What could not be read, as a whole or in part.
  public internal(set) var unreadableParts: Set<Part> = []

  /// How many files of values that are kept outside of the store were copied.
  public internal(set) var copiedExternalFiles = 0

  /// The names of such files that rows name and that are not there.
  public internal(set) var missingExternalFiles: [String] = []

  /// Whether nothing was lost but indexes, which were made anew.
  public var isComplete: Bool {
    tables.allSatisfy(\.isComplete) && unreadableParts.isEmpty && missingExternalFiles.isEmpty
  }

  /// How many rows the new store has.
  public var copiedRows: Int { tables.reduce(0) { $0 + $1.copiedRows } }
}

extension StoreRecovery: CustomStringConvertible {
  /// A sentence for each thing that was saved or lost.
  public var description: String {
    var lines = [
      "\(copiedRows) rows of \(source.path) were copied to \(destination.path)"
        + (isComplete ? "; nothing was lost." : ".")
    ]
    for table in tables where !table.isComplete {
      let name = table.entities.isEmpty ? table.name : table.entities.joined(separator: ", ")
      if !table.lostKeys.isEmpty {
        let keys = table.lostKeys.prefix(20).map(Self.text).joined(separator: ", ")
        let more = table.lostKeys.count > 20 ? " and more" : ""
        lines.append(
          "\(name): \(table.copiedRows) rows were copied; those with the keys \(keys)\(more) are lost."
        )
      }
      if !table.duplicateKeys.isEmpty {
        lines.append(
          "\(name): \(table.duplicateKeys.count) rows with the unique values of others were left out."
        )
      }
    }
    if !rebuiltIndexes.isEmpty {
      lines.append("Made anew: \(rebuiltIndexes.joined(separator: ", ")).")
    }
    for part in Part.allCases where unreadableParts.contains(part) { lines.append(part.loss) }
    if copiedExternalFiles > 0 {
      lines.append("\(copiedExternalFiles) files of external values were copied.")
    }
    if !missingExternalFiles.isEmpty {
      lines.append(
        "\(missingExternalFiles.count) files of external values are missing: "
          + missingExternalFiles.prefix(20).joined(separator: ", ") + ".")
    }
    return lines.joined(separator: "\n")
  }

  private static func text(_ keys: ClosedRange<Int64>) -> String {
    if keys.count == 1 { return "\(keys.lowerBound)" }
    return keys.upperBound == .max
      ? "from \(keys.lowerBound)" : "\(keys.lowerBound) to \(keys.upperBound)"
  }
}

extension StoreRecovery.Part {
  fileprivate var loss: String {
    switch self {
    case .tables: "The list of tables was damaged; the models told what was missing."
    case .metadata: "The identifier of the store is lost; the new store has another one."
    case .entities: "The numbers of the entities were damaged; the models told what was missing."
    case .modelDescription: "The description of the models is lost."
    case .history: "A part of the history is lost."
    }
  }
}
