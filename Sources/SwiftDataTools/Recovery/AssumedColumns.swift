import Foundation
import OpenSwiftDataRowStorage
import OpenSwiftDataStoreFormat
import SwiftData

/// The columns of a table whose definition in the file is lost. They are assumed to be in the order of
/// the models; the records tell whether that can be right. Used by `StoreRecoveryWriter`.
struct AssumedColumns {
  /// In the order of the models.
  private let types: [ColumnType?]
  /// By position in records, the types of the table that all values there fit.
  private var possibleTypes: [Set<ColumnType?>]
  /// The number of records that do not fit. Their rows are lost.
  private var misfits = 0
  /// The number of those with fewer values than there are columns.
  private var shortMisfits = 0

  /// - Parameters:
  ///   - names: The names of the columns in the order of the models.
  ///   - types: The types in the definition of the models, in the same order.
  init(_ names: [String], types: [String]) {
    let types = types.map(ColumnType.init(rawValue:))
    // These are the first columns in all files.
    let fixed = [RowColumns.key, RowColumns.entity, RowColumns.version]
    self.types = types
    possibleTypes = zip(names, types).map { fixed.contains($0) ? [$1] : Set(types) }
  }

  /// Notes the values of a record.
  /// - Returns: Whether they fit.
  mutating func note(_ values: [RecordValue]) -> Bool {
    // A row that is older than a column has no value of it; the column is then not where the models
    // have it.
    guard values.count == types.count else {
      misfits += 1
      shortMisfits += 1
      return false
    }
    for (index, value) in values.enumerated() where !possibleTypes[index].allSatisfy(value.fits) {
      possibleTypes[index] = possibleTypes[index].filter(value.fits)
    }
    guard zip(values, types).allSatisfy({ $0.fits($1) }) else {
      misfits += 1
      return false
    }
    return true
  }

  /// Whether the records may have the columns in another order: then no row is copied, because values
  /// could get into other columns. Single records may be damaged, also in a table of few rows, if no
  /// other order explains them. Short ones may be rows that are older than a column, which the models
  /// have in another position.
  /// - Parameter fitting: The number of records that fit.
  func areUnknown(fitting: Int) -> Bool {
    let hasFullMisfits = misfits > shortMisfits
    if shortMisfits > 1 || hasFullMisfits && hasPossibleOrder { return true }
    if misfits == 1, hasFullMisfits, fitting > 0 { return false }
    return 10 * misfits > misfits + fitting
  }

  /// Whether the columns can be ordered so that all records with a value for each column fit. It is
  /// not the assumed order if some of them do not fit that one.
  ///
  /// Each position needs a column of its own (Hall's theorem): no set of types has fewer columns than
  /// there are positions that only these types fit. There are at most six types, so 64 sets.
  private var hasPossibleOrder: Bool {
    let sets = Set(types).reduce(into: [Set<ColumnType?>()]) { sets, type in
      sets += sets.map { $0.union([type]) }
    }
    return sets.allSatisfy { set in
      possibleTypes.count { $0.isSubset(of: set) } <= types.count { set.contains($0) }
    }
  }
}

extension RecordValue {
  fileprivate func fits(_ type: ColumnType?) -> Bool {
    switch (type, self) {
    case (_, .null), (nil, _), (.integer, .integer): true
    // SQLite stores a whole number as an integer.
    case (.float, .real), (.float, .integer), (.timestamp, .real), (.timestamp, .integer): true
    // Digits that a number does not have are in a blob. SQLite makes numbers of texts with digits.
    case (.decimal, .integer), (.decimal, .real): true
    case (.decimal, .blob(let bytes)): Decimal(storedValue: .blob(Data(bytes))) != nil
    // A blob contains a text that may be in a file of its own.
    case (.varchar, .text), (.varchar, .blob), (.blob, .blob): true
    default: false
    }
  }
}
