import Foundation
import OpenSwiftDataSQLSyntax

/// Compiles sort descriptors to `ORDER BY`.
extension PredicateCompiler {
  /// The terms of `ORDER BY`, with the primary key last unless a value distinguishes the rows; `nil` if
  /// the rows must be sorted in memory.
  ///
  /// With a key that changes nothing, SQLite would sort the rows of an index again.
  ///
  /// `nil` is ordered before every value, and after every value in reverse order, in SQLite as in
  /// `SortDescriptor`.
  mutating func order<T>(by descriptors: [SortDescriptor<T>]) -> [OrderingTerm]? {
    guard !descriptors.isEmpty else { return [] }
    let before = scopes
    var terms: [OrderingTerm] = []
    do {
      for descriptor in descriptors {
        guard let keyPath = descriptor.keyPath else { throw NotInSQL("no key path") }
        let direction: OrderingTerm.Direction =
          descriptor.order == .forward ? .ascending : .descending
        for expression in try orderingKeys(keyPath, descriptor.stringComparator) {
          var counterparts = FunctionCounterparts(database)
          terms.append(OrderingTerm(try counterparts.applied(toValue: expression), direction))
        }
      }
    } catch {
      scopes = before
      return nil
    }
    let root = CompiledFetch.Shape.rootAlias
    let key = SQLExpression.column(table: root, name: source.keyColumn)
    for index in terms.indices where terms[index].expression == key { terms[index].nulls = .never }
    let isDistinct = terms.contains { term in
      guard case .column(root, let name) = term.expression else { return false }
      return source.isDistinct(name, in: mapping)
    }
    if !isDistinct { terms.append(.key(key)) }
    return terms
  }

  private mutating func orderingKeys(
    _ keyPath: AnyKeyPath, _ comparator: String.StandardComparator?
  ) throws -> [SQLExpression] {
    let term: SQLTerm
    switch source.term(alias: CompiledFetch.Shape.rootAlias) {
    case .object(let object): term = try object.property(keyPath, in: mapping, &scopes)
    case .record(let record): term = try record.property(keyPath)
    case let root: throw NotInSQL("an order of \(root.label)")
    }
    if case .composite(let composite) = term, let rank = try CaseOrder.rank(of: composite) {
      return [rank]
    }
    guard case .scalar(let scalar) = term else {
      throw NotInSQL("a sort order of an expression that is not a value")
    }
    if case .rawValue = scalar.kind {
      return [try CaseOrder(of: scalar.valueType).rank(of: scalar.value)]
    }
    if case .key = scalar.kind {
      guard !source.sharesTable else {
        throw NotInSQL("an order of identifiers of several entities")
      }
      return [scalar.value]
    }
    if case .token = scalar.kind { return [scalar.value] }
    guard case .scalar(let type) = scalar.kind else {
      throw NotInSQL.orderOfItsOwn
    }
    switch type.traits.order {
    case .text:
      guard let comparator, let collation = try SQLCollation.name(of: comparator) else {
        // Swift orders text by its canonical form.
        return [texts.canonical(inOrder: scalar.value, &bindings)]
      }
      return [.collate(scalar.value, collation)]
    case .decimal where database.dialect.comparesDecimals:
      return [.binary(scalar.value, .notEqual, .text("NaN")), scalar.value]
    case .decimal:
      // NaN comes first. Long decimals with the same floating-point value are compared by their digits.
      return [
        .binary(.cast(scalar.value, to: .text), .notEqual, .text("NaN")),
        .cast(scalar.value, to: .real), .function("swift_decimal_digits", [scalar.value]),
      ]
    case .unsigned: return [.binary(scalar.value, .less, .integer(0)), scalar.value]
    case .none: throw NotInSQL("an order of values that have no order")
    default: return [scalar.value]
    }
  }
}
