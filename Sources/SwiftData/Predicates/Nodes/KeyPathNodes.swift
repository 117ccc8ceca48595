import Foundation
import OpenSwiftDataSQLSyntax

// `$0.property`. Each type of term defines what a key path means for it.

extension PredicateExpressions.KeyPath: PredicateNode {
  var operands: [any PredicateExpression] { [root] }
  var findsCaptures: Bool { true }
  var readKeyPath: AnyKeyPath? { keyPath }
  var form: SourceForm { .suffix(".\(name)") }

  func describe(to shape: inout ShapeCollector) {
    shape.add(root)
    shape.add(keyPath)
  }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    switch try compiler.term(root) {
    case .object(let object):
      return try object.property(keyPath, in: compiler.mapping, &compiler.scopes)
    case .record(let record): return try record.property(keyPath)
    case .composite(let composite): return try composite.field(keyPath)
    case .collection(let collection):
      switch kind {
      case .collectionCount:
        let count = try compiler.query(over: collection, yielding: .function("count", [.star]))
        return .scalar(ScalarTerm(value: .subquery(count), kind: .scalar(.int)))
      case .collectionIsEmpty:
        return .boolean(SQLExpression.exists(try compiler.query(over: collection)).negated)
      case .collectionFirst:
        return .object(try compiler.firstElement(of: collection))
      default: throw NotInSQL("elements of a relationship have no order")
      }
    case .scalar(let scalar):
      if case .rawValue(let type, _) = scalar.kind {
        return .scalar(try scalar.rawValue(keyPath, type))
      }
      if scalar.kind == .scalar(.date), let seconds = scalar.seconds(keyPath) {
        return .scalar(seconds)
      }
      return .scalar(try scalar.count(testingEmptiness: testsEmptiness))
    case .identifier(let identifier): return try identifier.property(keyPath)
    case .list(let list): return .scalar(try list.property(kind, keyPath))
    case .captured:
      guard let value = try compiler.evaluated(self) else { fallthrough }
      return value
    case .nested, .range: throw NotInSQL("a property of a value that is not a model")
    }
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    switch try writer.operand(root) {
    case .captured: return try writer.constant(of: self)
    case .expression(let root):
      if root == .failure { return root }
      if let measure = measure(of: root) { return .call(measure, [root]) }
      return try QueryWriter.property(keyPath, of: root, Root.Output.self, as: Output.self)
    }
  }

  /// The function that a property of a text, of bytes, of a list or of a relationship is.
  private func measure(of root: QueryExpression) -> DataStoreQuery.Function? {
    if root.isOpaque { return nil }
    let list = Root.Output.self as? any ListType.Type
    guard
      list != nil || Root.Output.self is any StringProtocol.Type || Root.Output.self == Data.self
    else { return nil }
    if let testsEmptiness { return testsEmptiness ? .isEmpty : .count }
    guard let list else { return nil }
    if keyPath == list.countPath { return .count }
    if keyPath == list.emptinessPath { return .isEmpty }
    return kind == .collectionFirst && !list.isDictionary ? .first : nil
  }

  /// True for `isEmpty`, false for `count`, `nil` for any other path.
  private var testsEmptiness: Bool? {
    switch kind {
    case .collectionIsEmpty: true
    case .collectionCount: false
    default: keyPath == \Data.isEmpty ? true : keyPath == \Data.count ? false : nil
    }
  }

  private var name: String {
    switch kind {
    case .collectionCount: return "count"
    case .collectionIsEmpty: return "isEmpty"
    case .collectionFirst: return "first"
    default: break
    }
    if let model = Root.Output.self as? any PersistentModel.Type {
      let descriptor = model._$descriptor
      if let slot = descriptor.slot(for: keyPath) { return descriptor.properties[slot].name }
    }
    let names = KeyPathText(keyPath).components
    return names.contains { $0.hasPrefix("<") } ? "<computed>" : names.joined(separator: ".")
  }
}
