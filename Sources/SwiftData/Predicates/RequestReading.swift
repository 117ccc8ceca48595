import Foundation

/// Finds out what a request reads: see `RequestReads`.
///
/// Walks the predicate and keeps for each variable the relationships that lead to what it stands for.
/// A part that cannot be understood is one that SQL cannot express either, so it is judged in memory
/// whatever is pending, and has nothing to add.
package struct RequestReading {
  /// What an expression stands for: the models at the end of a path.
  private struct Place {
    var steps: [FollowedPath.Step]
    var model: _ModelDescriptor
    /// The class that key paths are written for: this one, or another version of it.
    var declared: _ModelDescriptor

    init(
      steps: [FollowedPath.Step] = [], model: _ModelDescriptor, declared: _ModelDescriptor? = nil
    ) {
      self.steps = steps
      self.model = model
      self.declared = declared ?? model
    }
  }

  private let mapping: SchemaMapping

  private var variables: [PredicateExpressions.VariableID: [Place]] = [:]
  private var paths: [[FollowedPath.Step]: FollowedPath] = [:]
  private var equalities: [RequiredValue] = []
  /// Whether a part was met that may read more than is known.
  private var isIncomplete = false
  private var ownSlots = SlotSet()
  /// Whether a part was met that reads what has no name.
  private var mayReadMore = false
  private var depth = 0

  private init(_ mapping: SchemaMapping) { self.mapping = mapping }

  /// Deeper expressions than this are left to memory by the compiler too.
  private static var depthLimit: Int { 128 }

  /// - Returns: `nil` where it cannot be told.
  package static func reads<T: PersistentModel>(
    of predicate: Predicate<T>?, sortBy: [SortDescriptor<T>], in mapping: SchemaMapping
  ) -> RequestReads? {
    var reading = RequestReading(mapping)
    let root = Place(model: T._$descriptor)
    if let predicate {
      reading.variables[predicate.variable.key] = [root]
      reading.readParts(of: predicate.expression, predicate.variable.key, T._$descriptor)
    }
    for descriptor in sortBy {
      if let keyPath = descriptor.keyPath { _ = reading.follow(keyPath, from: root) }
    }
    if reading.isIncomplete { return nil }
    var reads = RequestReads()
    reads.paths = reading.paths.values.sorted { $0.steps.count < $1.steps.count }
    reads.equalities = reading.equalities
    reads.ownSlots = reading.ownSlots
    reads.mayReadMore = reading.mayReadMore
    return reads
  }

  /// Whether a part of a predicate reads anything of other models than the fetched one, or may do so.
  static func followsRelationships(
    _ part: any PredicateExpression, of descriptor: _ModelDescriptor,
    variable: PredicateExpressions.VariableID, in mapping: SchemaMapping
  ) -> Bool {
    var reading = RequestReading(mapping)
    reading.variables[variable] = [Place(model: descriptor)]
    _ = reading.places(of: part)
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
      _ = places(of: next)
    }
  }

  /// The models that an expression stands for; none where it stands for other values.
  private mutating func places(of expression: any PredicateExpression) -> [Place] {
    guard let node = expression as? any PredicateNode else {
      mayReadMore = true
      return []
    }
    if let variable = node.standsFor {
      guard let places = variables[variable] else {
        isIncomplete = true
        return []
      }
      return places
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
      return places(of: node.operands[0]).compactMap { follow(keyPath, from: $0) }
    }
    if let asked = node.askedExpression {
      for (variable, input) in asked.inputs { variables[variable] = places(of: input) }
      return places(of: asked.expression)
    }
    var found: [Place] = []
    for operand in node.operands {
      let places = places(of: operand)
      // The first operand is what the elements come from.
      if let bound = node.boundVariable, variables[bound] == nil { variables[bound] = places }
      found += places
    }
    if let bound = node.boundVariable { variables[bound] = nil }
    return refined(found, by: node)
  }

  /// A chain may have thousands of parts, so there is no recursion along it.
  private mutating func readChain(_ node: any PredicateNode) {
    var waiting = node.operands
    depth += 1
    defer { depth -= 1 }
    while let next = waiting.popLast() {
      if let node = next as? any PredicateNode, node.isConjunction || node.isDisjunction {
        waiting += node.operands
      } else {
        _ = places(of: next)
      }
    }
  }

  /// Of what the operands stand for only models go on, as those of the node's type.
  private func refined(_ places: [Place], by node: any PredicateNode) -> [Place] {
    if places.isEmpty { return [] }
    func output<Node: PredicateExpression>(_ node: Node) -> any Any.Type { Node.Output.self }
    let type = output(node)
    if type is any RelationshipCollection.Type { return places }
    guard let model = (unwrappedType(of: type) ?? type) as? any PersistentModel.Type else {
      return []
    }
    return places.map { place in
      let declared = model._$descriptor
      let known = mapping.entity(named: declared.entityName)?.descriptor
      return Place(steps: place.steps, model: known ?? declared, declared: declared)
    }
  }

  // MARK: Key paths

  /// - Returns: The models that the path leads to; `nil` where it leads to other values.
  private mutating func follow(_ keyPath: AnyKeyPath, from place: Place) -> Place? {
    guard type(of: keyPath).rootType is any PersistentModel.Type else {
      // `first`, `count` and the like of a relationship.
      let type = type(of: keyPath).valueType
      return (unwrappedType(of: type) ?? type) is any PersistentModel.Type ? place : nil
    }
    if let slot = place.model.slot(for: keyPath) { return step(over: slot, from: place) }
    var place = place
    let components = KeyPathComponent.all(of: keyPath)
    if components.isEmpty { mayReadMore = true }
    for component in components {
      guard let slot = place.model.slot(of: component, from: place.declared) else {
        mayReadMore = true
        return nil
      }
      guard let next = step(over: slot, from: place) else { return nil }
      place = next
    }
    return place
  }

  private mutating func step(over slot: Int, from place: Place) -> Place? {
    if place.steps.isEmpty {
      ownSlots.insert(slot)
    } else {
      var path =
        paths[place.steps]
        ?? FollowedPath(steps: place.steps, destination: place.model, reads: SlotSet())
      path.reads.insert(slot)
      paths[place.steps] = path
    }
    guard let declared = place.model.properties[slot].destination?._$descriptor,
      let destination = mapping.entity(named: declared.entityName)?.descriptor
    else { return nil }
    return Place(
      steps: place.steps + [FollowedPath.Step(owner: place.model, slot: slot)],
      model: destination, declared: declared)
  }

  // MARK: Equality

  /// Notes a property of the fetched models that is compared with a captured value.
  private mutating func noteEquality(
    _ operands: [any PredicateExpression], _ variable: PredicateExpressions.VariableID,
    _ descriptor: _ModelDescriptor
  ) {
    for (side, other) in [(0, 1), (1, 0)] {
      guard let property = operands[side] as? any PredicateNode,
        let keyPath = property.readKeyPath,
        (property.operands[0] as? any PredicateNode)?.standsFor == variable,
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
