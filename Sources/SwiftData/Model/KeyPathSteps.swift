/// The properties of a class by the steps that name them in longer key paths.
package struct KeyPathSteps: Sendable {
  private let slots: [KeyPathComponent: Int]

  init(_ properties: [ModelProperty]) {
    var slots: [KeyPathComponent: Int] = [:]
    var ambiguous: Set<KeyPathComponent> = []
    for (slot, property) in properties.enumerated() {
      let components = KeyPathComponent.all(of: property.keyPath)
      guard components.count == 1 else { continue }
      if slots.updateValue(slot, forKey: components[0]) != nil { ambiguous.insert(components[0]) }
    }
    for component in ambiguous { slots[component] = nil }
    self.slots = slots
  }

  /// The slot of the property that a step names; `nil` unless it is exactly one stored property.
  package func slot(of component: KeyPathComponent) -> Int? {
    slots[component]
  }
}

extension _ModelDescriptor {
  /// The slot of the property that a step of a longer key path names.
  ///
  /// - Parameter declared: The class that the step is written for: this one, a superclass, or
  ///   another version of it. Steps of different classes may look alike.
  package func slot(of step: KeyPathComponent, from declared: _ModelDescriptor) -> Int? {
    if isKind(of: declared) { return keyPathSteps.slot(of: step) }
    guard let property = declared.keyPathSteps.slot(of: step).map({ declared.properties[$0] }),
      let slot = slot(named: property.name), properties[slot].hasSameForm(as: property)
    else { return nil }
    return slot
  }

  /// The properties that a key path of several steps passes through, up to the last optional one.
  package func optionalSteps(of keyPath: AnyKeyPath) -> [AnyKeyPath] {
    if slot(for: keyPath) != nil { return [] }
    var steps: [AnyKeyPath] = []
    var count = 0
    var descriptor: _ModelDescriptor? = self
    for step in KeyPathComponent.all(of: keyPath).dropLast() {
      guard let current = descriptor, let slot = current.slot(of: step, from: current) else {
        break
      }
      let property = current.properties[slot]
      steps.append(property.keyPath)
      if property.isOptional { count = steps.count }
      descriptor = property.destination?._$descriptor
    }
    return Array(steps.prefix(count))
  }

  /// The slot of the property that a key path of one or several steps starts with.
  package func slot(startOf keyPath: AnyKeyPath) -> Int? {
    slot(for: keyPath)
      ?? KeyPathComponent.all(of: keyPath).first.flatMap(keyPathSteps.slot(of:))
  }
}
