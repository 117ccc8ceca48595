import Foundation

/// Determines which properties and relationships a request reads: see `RequestReads`.
///
/// Walks the predicate and records for each variable the relationships that lead to its models. A
/// part that is not understood here cannot be expressed in SQL either. It is evaluated in memory in
/// any case, and adds nothing.
package struct RequestReadsCollector {
  /// The models at the end of a path, to which an expression evaluates.
  private struct PathEnd {
    var steps: [RelationshipPath.Step]
    var model: _ModelDescriptor
    /// The class of the key paths: the current class, or another version of it.
    var declared: _ModelDescriptor

    init(
      steps: [RelationshipPath.Step] = [], model: _ModelDescriptor,
      declared: _ModelDescriptor? = nil
    ) {
      self.steps = steps
      self.model = model
      self.declared = declared ?? model
    }
  }

  /// A cast changes the class, but not the steps.
  private struct PathKey: Hashable {
    let steps: [RelationshipPath.Step]
    let destination: ObjectIdentifier
  }

  private let mapping: SchemaMapping

  private var variables: [PredicateExpressions.VariableID: [PathEnd]] = [:]
  private var paths: [PathKey: RelationshipPath] = [:]
  private var relationships: Set<RelationshipPath.Step> = []
  private var equalities: [RequiredValue] = []
  /// The parts of the outermost `&&`.
  private var parts: [any PredicateExpression] = []
  /// Whether a part may read more than is known.
  private var isIncomplete = false
  private var ownSlots = SlotSet()
  /// Whether a part reads properties whose names are not known.
  private var mayReadMore = false
  private var depth = 0

  private init(_ mapping: SchemaMapping) { self.mapping = mapping }

  /// The compiler also leaves deeper expressions to memory.
  private static var depthLimit: Int { 128 }

  /// - Returns: `nil` if it cannot be determined.
  package static func reads<T: PersistentModel>(
    of predicate: Predicate<T>?, sortBy: [SortDescriptor<T>], in mapping: SchemaMapping
  ) -> RequestReads? {
    var reading = RequestReadsCollector(mapping)
    let root = PathEnd(model: T._$descriptor)
    if let predicate {
      reading.variables[predicate.variable.key] = [root]
      reading.readParts(of: predicate.expression, predicate.variable.key, T._$descriptor)
    }
    for descriptor in sortBy {
      if let keyPath = descriptor.keyPath { _ = reading.follow(keyPath, from: root) }
    }
    if reading.isIncomplete { return nil }
    var reads = RequestReads()
    reads.relationships = reading.relationships
    reads.paths = reading.paths.values.sorted { $0.steps.count < $1.steps.count }
    reads.equalities = reading.equalities
    reads.hashedConditions = hashedConditions(reading.parts)
    reads.ownSlots = reading.ownSlots
    reads.mayReadMore = reading.mayReadMore
    return reads
  }

  /// Whether a part of a predicate reads, or may read, other models than the fetched one.
  static func followsRelationships(
    _ part: any PredicateExpression, of descriptor: _ModelDescriptor,
    variable: PredicateExpressions.VariableID, in mapping: SchemaMapping
  ) -> Bool {
    var reading = RequestReadsCollector(mapping)
    reading.variables[variable] = [PathEnd(model: descriptor)]
    _ = reading.pathEnds(of: part)
    return reading.isIncomplete || !reading.paths.isEmpty
  }

  // MARK: Walking

  private mutating func readParts(
    of expression: any PredicateExpression, _ variable: PredicateExpressions.VariableID,
    _ descriptor: _ModelDescriptor
  ) {
    var waiting = [expression]
    while let next = waiting.popLast() {
      if let node = next as? any PredicateNode {
        if node.isConjunction {
          waiting += node.operands.reversed()
          continue
        }
        if node.isEquality { noteEquality(node.operands, variable, descriptor) }
      }
      parts.append(next)
      _ = pathEnds(of: next)
    }
  }

  private static func hashedConditions(
    _ parts: [any PredicateExpression]
  ) -> (() -> [PredicateCondition])? {
    let hashed = parts.map { ($0 as? any PredicateNode)?.hashedCondition }
    let others = zip(parts, hashed).compactMap { part, hashed in
      hashed == nil ? part as? any StandardPredicateExpression<Bool> : nil
    }
    let found = hashed.compactMap { $0 }
    guard !found.isEmpty, found.count + others.count == parts.count else { return nil }
    return { found.map { $0() } + others.map { part in { try part.evaluate($0) } } }
  }

  /// The models to which an expression evaluates; empty if it evaluates to other values.
  private mutating func pathEnds(of expression: any PredicateExpression) -> [PathEnd] {
    guard let node = expression as? any PredicateNode else {
      mayReadMore = true
      return []
    }
    if let variable = node.referencedVariable {
      guard let ends = variables[variable] else {
        isIncomplete = true
        return []
      }
      return ends
    }
    guard depth < Self.depthLimit else {
      isIncomplete = true
      return []
    }
    if node.isConjunction || node.isDisjunction {
      readChain(node)
      return []
    }
    depth += 1
    defer { depth -= 1 }
    if let keyPath = node.readKeyPath {
      return pathEnds(of: node.operands[0]).compactMap { follow(keyPath, from: $0) }
    }
    if let asked = node.evaluatedExpression {
      // An input may evaluate the same expression.
      let inputs = asked.inputs.map { ($0.variable, pathEnds(of: $0.input)) }
      for (variable, ends) in inputs { variables[variable] = ends }
      return pathEnds(of: asked.expression)
    }
    var found: [PathEnd] = []
    for operand in node.operands {
      let ends = pathEnds(of: operand)
      // The first operand is the collection of the elements.
      if let bound = node.boundVariable, variables[bound] == nil { variables[bound] = ends }
      found += ends
    }
    if let bound = node.boundVariable { variables[bound] = nil }
    return refined(found, by: node)
  }

  /// A chain may have thousands of parts, so this does not recurse along it.
  private mutating func readChain(_ node: any PredicateNode) {
    var waiting = node.operands
    depth += 1
    defer { depth -= 1 }
    while let next = waiting.popLast() {
      if let node = next as? any PredicateNode, node.isConjunction || node.isDisjunction {
        waiting += node.operands
      } else {
        _ = pathEnds(of: next)
      }
    }
  }

  /// The models among the values of the operands, as models of the node's type.
  private func refined(_ ends: [PathEnd], by node: any PredicateNode) -> [PathEnd] {
    if ends.isEmpty { return [] }
    func output<Node: PredicateExpression>(_ node: Node) -> any Any.Type { Node.Output.self }
    let type = output(node)
    if type is any RelationshipCollection.Type { return ends }
    guard let model = (unwrappedType(of: type) ?? type) as? any PersistentModel.Type else {
      return []
    }
    return ends.map { end in
      let declared = model._$descriptor
      let known = mapping.entity(named: declared.entityName)?.descriptor
      return PathEnd(steps: end.steps, model: known ?? declared, declared: declared)
    }
  }

  // MARK: Key paths

  /// - Returns: The models at the end of the path; `nil` if it leads to other values.
  private mutating func follow(_ keyPath: AnyKeyPath, from end: PathEnd) -> PathEnd? {
    guard type(of: keyPath).rootType is any PersistentModel.Type else {
      // `first`, `count` and similar properties of a relationship.
      let type = type(of: keyPath).valueType
      return (unwrappedType(of: type) ?? type) is any PersistentModel.Type ? end : nil
    }
    if let slot = end.model.slot(for: keyPath) { return step(over: slot, from: end) }
    var end = end
    let components = KeyPathComponent.all(of: keyPath)
    if components.isEmpty { mayReadMore = true }
    for component in components {
      guard let slot = end.model.slot(of: component, from: end.declared) else {
        mayReadMore = true
        return nil
      }
      guard let next = step(over: slot, from: end) else { return nil }
      end = next
    }
    return end
  }

  private mutating func step(over slot: Int, from end: PathEnd) -> PathEnd? {
    if end.steps.isEmpty {
      ownSlots.insert(slot)
    } else {
      let key = PathKey(steps: end.steps, destination: ObjectIdentifier(end.model))
      paths[
        key, default: RelationshipPath(steps: end.steps, destination: end.model, reads: SlotSet())
      ].reads.insert(slot)
    }
    guard let declared = end.model.properties[slot].destination?._$descriptor,
      let destination = mapping.entity(named: declared.entityName)?.descriptor
    else { return nil }
    let step = RelationshipPath.Step(owner: end.model, slot: slot)
    relationships.insert(step)
    return PathEnd(steps: end.steps + [step], model: destination, declared: declared)
  }

  // MARK: Equality

  /// Records a property of the fetched models that is compared with a captured value.
  private mutating func noteEquality(
    _ operands: [any PredicateExpression], _ variable: PredicateExpressions.VariableID,
    _ descriptor: _ModelDescriptor
  ) {
    for (side, other) in [(0, 1), (1, 0)] {
      guard let property = operands[side] as? any PredicateNode,
        let keyPath = property.readKeyPath,
        (property.operands[0] as? any PredicateNode)?.referencedVariable == variable,
        let slot = descriptor.slot(for: keyPath),
        let captured = (operands[other] as? any PredicateNode)?.capturedValue
      else { continue }
      let value = (captured as? any OptionalValue).map(\.unwrappedValue) ?? captured
      guard case .attribute(.scalar) = descriptor.properties[slot].form,
        let scalar = value as? any _ScalarAttribute
      else { continue }
      equalities.append(RequiredValue(slot: slot, value: scalar._slotValue))
    }
  }
}
