import Foundation
import OpenSwiftDataSQLSyntax

/// The alternatives of a `||`, in which equalities of one column are joined: `a == 1 || a == 2 || …` becomes
/// the list that a captured collection is. SQLite compares each parameter of a statement with all others while
/// it prepares the statement, and the number of parameters has a limit.
///
/// Only equalities that follow each other are joined, because an alternative may have steps that fail unless an
/// earlier one is true.
struct EqualityChain {
  /// A property of a row, and the captured value with which it is compared.
  private struct Equality {
    let node: any PredicateNode
    let property: ScalarTerm
    let value: Any

    func hasProperty(of other: Equality) -> Bool {
      property.value == other.property.value && property.kind == other.property.kind
        && property.presence == other.property.presence
    }

    /// Whether the value is a text with so many spellings that it is not compared with each. In a list it would keep
    /// the others from an index.
    var hasManySpellings: Bool {
      guard property.isText, let text = value as? String else { return false }
      return TextRules.spellings(of: [.text(text)]) == nil
    }
  }

  /// The finished alternatives.
  private var conditions: [SQLExpression] = []
  /// The last equalities, which have no condition yet.
  private var equalities: [Equality] = []

  /// With fewer equalities of a column, each is a condition of its own, whose plan can be kept.
  private static var shortestList: Int { 16 }

  /// The condition of a `||`.
  static func condition(
    of node: any PredicateExpression, in compiler: inout PredicateCompiler
  ) throws -> SQLExpression {
    var chain = EqualityChain()
    try compiler.visitParts(of: node, where: \.isDisjunction) { compiler, part in
      try chain.add(part, in: &compiler)
    }
    try chain.finishEqualities(in: &compiler)
    return .any(chain.conditions)
  }

  private mutating func add(
    _ part: any PredicateExpression, in compiler: inout PredicateCompiler
  ) throws {
    // A captured flag decides alone: `isOff || …` needs no SQL for the rest.
    if conditions.last?.isTrue == true { return }
    if let equality = EqualityChain.equality(part, in: &compiler) {
      equalities.append(equality)
      return
    }
    try finishEqualities(in: &compiler)
    conditions.append(
      try compiler.guarded(by: .any(conditions).negated) { try $0.condition(part) })
  }

  /// The equality of a column and a captured value; `nil` for any other part. Neither has a step that fails.
  private static func equality(
    _ part: any PredicateExpression, in compiler: inout PredicateCompiler
  ) -> Equality? {
    guard let node = part as? any PredicateNode, node.isEquality else { return nil }
    let operands = node.operands.map { $0 as? any PredicateNode }
    for (path, other) in [(operands[0], operands[1]), (operands[1], operands[0])] {
      guard let path, path.readKeyPath != nil, let value = other?.capturedValue,
        (path.operands[0] as? any PredicateNode)?.referencedVariable != nil,
        // A `nil` has no place in a list, and a flag needs none.
        let value = StoredForms.unwrap(value), !(value is Bool)
      else { continue }
      let before = compiler.checkpoint
      if case .scalar(let property)? = try? compiler.term(path), property.value.isColumn {
        return Equality(node: node, property: property, value: value)
      }
      compiler.rewind(to: before)
    }
    return nil
  }

  // MARK: Lists

  private mutating func finishEqualities(in compiler: inout PredicateCompiler) throws {
    defer { equalities.removeAll() }
    guard equalities.count >= Self.shortestList else {
      return try add(equalities, in: &compiler)
    }
    var columns: [[Equality]] = []
    for equality in equalities {
      if let index = columns.firstIndex(where: { $0[0].hasProperty(of: equality) }) {
        columns[index].append(equality)
      } else {
        columns.append([equality])
      }
    }
    for column in columns {
      let single = column.count < Self.shortestList ? column : column.filter(\.hasManySpellings)
      if single.count < column.count {
        let listed = single.isEmpty ? column : column.filter { !$0.hasManySpellings }
        guard add(list: listed, in: &compiler) else {
          try add(column, in: &compiler)
          continue
        }
      }
      try add(single, in: &compiler)
    }
  }

  private mutating func add(
    _ equalities: [Equality], in compiler: inout PredicateCompiler
  ) throws {
    for equality in equalities {
      do {
        conditions.append(
          try compiler.equality(.scalar(equality.property), .captured(equality.value)))
      } catch var error as NotInSQL {
        error.part = PredicateSource.text(of: equality.node)
        throw error
      }
    }
  }

  /// - Returns: Whether the database can have the values as a list.
  private mutating func add(
    list equalities: [Equality], in compiler: inout PredicateCompiler
  ) -> Bool {
    let before = compiler.checkpoint
    do {
      conditions.append(
        try compiler.membership(of: equalities[0].property, inCaptured: equalities.map(\.value)))
      return true
    } catch {
      compiler.rewind(to: before)
      return false
    }
  }
}
