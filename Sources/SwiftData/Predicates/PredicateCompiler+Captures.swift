import Foundation
import OpenSwiftDataSQLSyntax

extension PredicateCompiler {
  /// Whether no row has a part in the value of the node.
  func isCaptured(node: any PredicateNode) -> Bool {
    var waiting: [(any PredicateExpression, locals: Set<PredicateExpressions.VariableID>)]
    waiting = [(node, [])]
    while let (next, outer) = waiting.popLast() {
      var locals = outer
      guard let node = next as? any PredicateNode else { return false }
      if let variable = node.standsFor {
        if locals.contains(variable) { continue }
        guard case .captured? = variables[variable] else { return false }
        continue
      }
      if let bound = node.boundVariable { locals.insert(bound) }
      // The first operand is the next to be looked at: most often it leads to a row.
      for operand in node.operands.reversed() { waiting.append((operand, locals)) }
    }
    return true
  }

  /// The value of a node whose operands all turned out to be captured; `nil` where one of them came to
  /// that although a row has a part in it.
  func evaluated(_ node: any PredicateNode) throws -> SQLTerm? {
    isCaptured(node: node) ? .captured(try evaluate(node)) : nil
  }

  func evaluate<Node: PredicateExpression>(_ node: Node) throws -> Any {
    try node.evaluate(capturedVariables)
  }

  mutating func bind(_ value: _StoredValue) -> SQLExpression {
    bindings.append(value)
    return .parameter(bindings.count - 1)
  }

  /// A captured value that is no `nil`, as a term; `nil` for one that is.
  mutating func scalar(captured value: Any) throws -> ScalarTerm? {
    guard let value = unwrap(value) else { return nil }
    let (stored, kind) = try storedForm(of: value)
    return ScalarTerm(value: bind(stored), kind: kind)
  }

  /// The value to bind for a captured one, and what it is.
  func storedForm(of value: Any) throws -> (_StoredValue, ScalarTerm.Kind) {
    switch value {
    // Asking for a conformance costs more than naming a type.
    case let value as Int: return (value.storedValue, .scalar(.int))
    case let value as any ScalarCoding:
      let stored = value.storedValue
      // SQLite keeps no NaN: it would be bound as null and match `nil`.
      if case .real(let number) = stored, number.isNaN { throw NotInSQL("NaN") }
      return (stored, .scalar(type(of: value).scalarType))
    case let value as any StringProtocol:
      return (.text(String(value)), .scalar(.string))
    case let value as ComparisonResult:
      return (.integer(Int64(value.rawValue)), .comparisonResult)
    case let value as any RawRepresentable:
      guard let raw = value.rawValue as? any ScalarCoding else {
        throw NotInSQL("the raw value of \(type(of: value)) is no scalar")
      }
      return (
        raw.storedValue, .rawValue(type(of: raw).scalarType, ObjectIdentifier(type(of: value)))
      )
    case let value as any PersistentModel:
      return storedKey(of: value.persistentModelID)
    case let value as PersistentIdentifier:
      return storedKey(of: value)
    default:
      throw NotInSQL("\(type(of: value)) has no scalar form")
    }
  }

  /// The primary key of a captured model or identifier. What this store cannot hold gets a key that
  /// no row has, so that the text of the statement stays the same.
  private func storedKey(of identifier: PersistentIdentifier) -> (_StoredValue, ScalarTerm.Kind) {
    let resolved = identifier.resolved
    let root = mapping.entity(named: resolved.entityName)?.rootName ?? resolved.entityName
    var key: Int64 = -1
    let isOurs = storeIdentifier == nil || resolved.storeIdentifier == storeIdentifier
    if isOurs, mapping.entity(named: resolved.entityName) != nil {
      key = resolved.rowKey ?? -1
    }
    return (.integer(key), .key(root: root))
  }

  /// The value inside any number of optionals.
  func unwrap(_ value: Any) -> Any? {
    // Asking for a conformance costs more than naming the types that most values have.
    if value is Int || value is String { return value }
    guard let optional = value as? any OptionalValue else { return value }
    return optional.unwrappedValue.flatMap { unwrap($0) }
  }
}
