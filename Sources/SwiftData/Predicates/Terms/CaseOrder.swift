import Foundation
import OpenSwiftDataSQLSyntax

/// The order of an enum's cases under `<`, which may differ from the order of their raw values.
struct CaseOrder {
  /// The stored forms of the cases in ascending order; `nil` if their own order is the same.
  private let ranked: [SQLExpression]?

  /// - Parameter type: A type that is stored as its raw value.
  init(of type: (any Any.Type)?) throws {
    guard let type = type as? any (RawRepresentable & Comparable).Type else {
      throw NotInSQL.orderOfItsOwn
    }
    ranked = try Self.cases(of: type)
  }

  private static func cases<T: RawRepresentable & Comparable>(
    of type: T.Type
  ) throws -> [SQLExpression]? {
    guard let values = TypeReflection.values(of: type) else { throw NotInSQL.orderOfItsOwn }
    let sorted = values.map(\.value).sorted()
    let stored = sorted.map { ($0.rawValue as? any ScalarCoding)?.storedValue }
    let numbers = stored.compactMap { $0?.integer }
    if numbers.count == stored.count {
      return numbers == numbers.sorted() ? nil : numbers.map(SQLExpression.integer)
    }
    return try stored.map { value in
      guard let text = value?.text else { throw NotInSQL.orderOfItsOwn }
      return .text(text)
    }
  }

  /// A number with the same order as the enum's cases; null for null.
  func rank(of value: SQLExpression) -> SQLExpression {
    guard let ranked else { return value }
    return .conditional(
      ranked.enumerated().map { rank, form in
        SQLBranch(when: .binary(value, .equal, form), then: .integer(Int64(rank)))
      }, otherwise: nil)
  }

  /// The rank of an enum without raw values: each case has its own column.
  static func rank(of composite: CompositeTerm) throws -> SQLExpression? {
    guard let type = composite.valueType as? any Comparable.Type else { return nil }
    guard let names = caseNames(of: type),
      composite.leaves.allSatisfy({ names.contains($0.leaf.name) })
    else { return nil }
    let columns = Dictionary(
      zip(composite.leaves.map(\.leaf.name), composite.columns), uniquingKeysWith: { $1 })
    return .conditional(
      names.enumerated().compactMap { rank, name in
        columns[name].map { SQLBranch(when: $0.isNotNull, then: .integer(Int64(rank))) }
      }, otherwise: nil)
  }

  private static func caseNames<T: Comparable>(of type: T.Type) -> [String]? {
    TypeReflection.values(of: type)?.sorted { $0.value < $1.value }.map(\.name)
  }
}
