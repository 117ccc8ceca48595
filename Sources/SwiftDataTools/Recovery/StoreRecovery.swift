public import Foundation

/// The result of recovering a damaged store: what was copied, and what was lost. Not in Apple's
/// framework.
///
/// Returned by ``ModelContainer/recoverStore(at:to:for:)``.
public struct StoreRecovery: Hashable, Sendable {
  /// The result for one table.
  public struct Table: Hashable, Sendable {
    /// The name of the table, such as `ZTRIP`.
    public let name: String

    /// The entities whose rows are in the table; empty for tables of links, history and metadata.
    public let entities: [String]

    /// The number of rows in the new store.
    public internal(set) var copiedRows = 0

    /// The keys, in `Z_PK`, whose rows could not be read, in ascending order.
    ///
    /// There may have been fewer rows than keys, because some models had been deleted before. The
    /// last range ends with `Int64.max` if the last key is not known.
    public internal(set) var lostKeys: [ClosedRange<Int64>] = []

    /// The keys of rows that were left out because a newer row has the same unique values.
    public internal(set) var duplicateKeys: [Int64] = []

    /// Whether no row was copied, because the definition of the table is lost and its rows do not
    /// have the columns of the models.
    ///
    /// A migration may have added columns to the table, whose order only the definition tells.
    public internal(set) var hasUnknownColumns = false

    /// Whether damaged pages contradict each other or themselves, so that rows may be missing whose keys
    /// are not known.
    var hasUncertainKeys = false

    /// Whether all rows of the table were copied.
    public var isComplete: Bool {
      lostKeys.isEmpty && duplicateKeys.isEmpty && !hasUnknownColumns && !hasUncertainKeys
    }
  }

  /// The parts of a store other than the rows of models.
  public enum Part: String, Hashable, Sendable, CaseIterable {
    /// The list of tables and indexes. Missing definitions were made from the models.
    case tables
    /// The identifier and the versions of the store. If they are lost, stored identifiers of
    /// models, for example in other files, are no longer valid.
    case metadata
    /// The entity numbers and the last assigned keys.
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

  /// The result for each table, in the order of their names.
  public internal(set) var tables: [Table] = []

  /// The numbers of the pages of tables and indexes that could not be read.
  public internal(set) var damagedPages: [Int] = []

  /// Damaged indexes, which were built again from the rows.
  public internal(set) var rebuiltIndexes: [String] = []

  /// The parts that could not be read, or not completely.
  public internal(set) var unreadableParts: Set<Part> = []

  /// The number of copied files with values that are stored outside the rows.
  public internal(set) var copiedExternalFiles = 0

  /// The names of such files that rows refer to, but that do not exist.
  public internal(set) var missingExternalFiles: [String] = []

  /// Whether nothing was lost except indexes, which were built again.
  public var isComplete: Bool {
    tables.allSatisfy(\.isComplete) && unreadableParts.isEmpty && missingExternalFiles.isEmpty
  }

  /// The number of rows in the new store, in all tables.
  public var copiedRows: Int { tables.reduce(0) { $0 + $1.copiedRows } }
}

extension StoreRecovery: CustomStringConvertible {
  /// A report, with a sentence for each part that was copied or lost.
  public var description: String {
    var lines = [
      "\(copiedRows) rows of \(source.path) were copied to \(destination.path)"
        + (isComplete ? "; nothing was lost." : ".")
    ]
    for table in tables where !table.isComplete {
      let name = table.entities.isEmpty ? table.name : table.entities.joined(separator: ", ")
      if table.hasUnknownColumns {
        lines.append(
          "\(name): the definition of the table is lost, and its rows have other columns than the models. "
            + "Try the models of the version that wrote the file.")
      }
      if !table.lostKeys.isEmpty {
        let keys = table.lostKeys.prefix(20).map(Self.text).joined(separator: ", ")
        let more = table.lostKeys.count > 20 ? " and more" : ""
        lines.append(
          "\(name): \(table.copiedRows) rows were copied; those with the keys \(keys)\(more) are lost."
        )
      }
      if table.hasUncertainKeys {
        lines.append("\(name): damaged pages contradict each other; rows may be missing.")
      }
      if !table.duplicateKeys.isEmpty {
        lines.append(
          "\(name): \(table.duplicateKeys.count) rows with duplicate unique values were left out."
        )
      }
    }
    if !rebuiltIndexes.isEmpty {
      lines.append("Rebuilt indexes: \(rebuiltIndexes.joined(separator: ", ")).")
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
    case .tables: "The list of tables was damaged; it was restored from the models."
    case .metadata: "The identifier of the store is lost; the new store has a new identifier."
    case .entities: "The numbers of the entities were damaged; they were restored from the models."
    case .modelDescription:
      "The description of the models was damaged. Opening the new store with its models completes it."
    case .history: "A part of the history is lost."
    }
  }
}
