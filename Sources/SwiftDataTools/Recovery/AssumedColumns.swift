import Foundation
import OpenSwiftDataRowStorage
import OpenSwiftDataStoreFormat
import SwiftData

/// The columns of a table whose definition in the file is lost. They are assumed to be in the order of
/// the models; the records tell whether that can be right. Used by `StoreRecoveryWriter`.
struct AssumedColumns {
  /// In the order of the models.
  private let types: [ColumnType?]
  /// The types that columns at other positions have too. The first columns, with key, entity and
  /// version, are the same in all files and are left out.
  private let kinds: [ColumnType?]
  /// By position in records and by index in `kinds`, the number of values that do not fit the type;
  /// `nil` for the first columns.
  private var misfitsByKind: [[Int]?]
  /// The number of records that do not fit. Their rows are lost.
  private var misfits = 0
  /// The number of those with fewer values than there are columns.
  private var shortMisfits = 0

  /// - Parameters:
  ///   - names: The names of the columns in the order of the models.
  ///   - types: The types in the definition of the models, in the same order.
  init(_ names: [String], types: [String]) {
    let types = types.map(ColumnType.init(rawValue:))
    let fixed = [RowColumns.key, RowColumns.entity, RowColumns.version]
    let movable = zip(names, types).filter { !fixed.contains($0.0) }
    let kinds = Array(Set(movable.map(\.1)))
    self.types = types
    self.kinds = kinds
    misfitsByKind = names.map {
      fixed.contains($0) ? nil : [Int](repeating: 0, count: kinds.count)
    }
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
    for (index, value) in values.enumerated() where value != .null {
      for (kind, type) in kinds.enumerated() where !value.fits(type) {
        misfitsByKind[index]?[kind] += 1
      }
    }
    guard zip(values, types).allSatisfy({ $0.fits($1) }) else {
      misfits += 1
      return false
    }
    return true
  }

  /// Whether the records may have the columns in another order: then no row is copied, because values
  /// could get into other columns. Single records may be damaged, also in a table of few rows, if no
  /// other order explains the records better. Short ones may be rows that are older than a column,
  /// which the models have in another position.
  /// - Parameter fitting: The number of records that fit.
  func areUnknown(fitting: Int) -> Bool {
    if shortMisfits > 1 || hasBetterOrder { return true }
    if misfits == 1, shortMisfits == 0, fitting > 0 { return false }
    return 10 * misfits > misfits + fitting
  }

  /// Whether fewer values do not fit in another order of the columns than in the assumed one.
  ///
  /// A graph of the types has, from one type to another, the least change of misfits if a column of
  /// the first type is taken for one of the second. Another order is a set of cycles of such changes;
  /// it is better if one of the cycles is negative (Floyd and Warshall's algorithm).
  private var hasBetterOrder: Bool {
    let range = kinds.indices
    var changes = range.map { _ in [Int?](repeating: nil, count: kinds.count) }
    for (type, misfits) in zip(types, misfitsByKind) {
      guard let misfits, let old = kinds.firstIndex(of: type) else { continue }
      for new in range {
        changes[old][new] = min(changes[old][new] ?? .max, misfits[new] - misfits[old])
      }
    }
    for middle in range {
      for old in range {
        for new in range {
          guard let first = changes[old][middle], let second = changes[middle][new] else {
            continue
          }
          changes[old][new] = min(changes[old][new] ?? .max, first + second)
        }
      }
      // A negative cycle would make later sums grow without limit.
      if range.contains(where: { changes[$0][$0].map { $0 < 0 } ?? false }) { return true }
    }
    return false
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
