import Foundation
import OpenSwiftDataSQLSyntax

/// The order of an enum's cases under `<`, which may differ from the order of their raw values.
struct CaseOrder {
  /// The stored forms of the cases in ascending order, with those together that have the same rank;
  /// `nil` if their own order is the same.
  private let ranked: [[SQLExpression]]?

  /// - Parameter type: A type that is stored as its raw value.
  init(of type: (any Any.Type)?) throws {
    guard let type = type as? any (RawRepresentable & Comparable).Type else {
      throw NotInSQL.orderOfItsOwn
    }
    ranked = try Self.cases(of: type)
  }

  private static func cases<T: RawRepresentable & Comparable>(
    of type: T.Type
  ) throws -> [[SQLExpression]]? {
    guard let groups = groups(of: type) else { throw NotInSQL.orderOfItsOwn }
    let stored = groups.joined().map { ($0.value.rawValue as? any ScalarCoding)?.storedValue }
    let numbers = stored.compactMap { $0?.integer }
    let isStrict = groups.count == stored.count
    if isStrict, numbers.count == stored.count, numbers == numbers.sorted() { return nil }
    return try groups.map { group in
      try group.map { enumCase in
        switch (enumCase.value.rawValue as? any ScalarCoding)?.storedValue {
        case .integer(let number): return .integer(number)
        case .text(let text): return .text(text)
        default: throw NotInSQL.orderOfItsOwn
        }
      }
    }
  }

  /// A number with the same order as the enum's cases; null for null.
  func rank(of value: SQLExpression) -> SQLExpression {
    guard let ranked else { return value }
    return .conditional(
      ranked.enumerated().flatMap { rank, forms in
        forms.map { SQLBranch(when: .binary(value, .equal, $0), then: .integer(Int64(rank))) }
      }, otherwise: nil)
  }

  /// The rank of an enum without raw values: each case has its own column.
  static func rank(of composite: CompositeTerm) throws -> SQLExpression? {
    guard let type = composite.valueType as? any Comparable.Type else { return nil }
    guard let ranked = caseNames(of: type) else { return nil }
    let names = Set(ranked.joined())
    guard composite.leaves.allSatisfy({ names.contains($0.leaf.name) }) else { return nil }
    let columns = Dictionary(
      zip(composite.leaves.map(\.leaf.name), composite.columns), uniquingKeysWith: { $1 })
    return .conditional(
      ranked.enumerated().flatMap { rank, names in
        names.compactMap { columns[$0] }.map {
          SQLBranch(when: $0.isNotNull, then: .integer(Int64(rank)))
        }
      }, otherwise: nil)
  }

  private static func caseNames<T: Comparable>(of type: T.Type) -> [[String]]? {
    groups(of: type)?.map { $0.map(\.name) }
  }

  /// The cases of an enum in ascending order; `nil` for other types. Cases of which none is less than
  /// another one are together.
  static func groups<T: Comparable>(of type: T.Type) -> [[(name: String, value: T)]]? {
    guard let cases = TypeReflection.values(of: type)?.sorted(by: { $0.value < $1.value }) else {
      return nil
    }
    return cases.reduce(into: []) { groups, next in
      if let last = groups.last?.last, !(last.value < next.value) {
        groups[groups.count - 1].append(next)
      } else {
        groups.append([next])
      }
    }
  }
}
