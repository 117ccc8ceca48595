import Foundation
import OpenSwiftDataRowStorage

/// Checks what only the context knows about the pending models; reports all failures together.
/// Called by `SaveSession`.
///
/// - A required to-one has a model.
/// - A to-many of a new model has as many models as its declaration asks for. For stored models, the
///   store counts them (`StorePort.countsMembers`); if it does not, they are counted here.
/// - No two changed models have the same unique values. New models may: they become one row.
/// - No date is NaN, which a date column can't store.
struct Validation {
  let changes: ChangeTracker
  let coordinator: any StoreCoordinator

  /// - Parameter excluded: Models that the save deletes.
  func failures(besides excluded: Set<ObjectIdentifier> = []) -> [SwiftDataError] {
    var failures: [SwiftDataError] = []
    func isJudged(_ storage: _ModelStorage) -> Bool {
      excluded.isEmpty || !excluded.contains(ObjectIdentifier(storage))
    }
    for storage in changes.inserted where isJudged(storage) {
      judge(storage, into: &failures)
    }
    for storage in changes.changed where isJudged(storage) {
      judge(storage, into: &failures)
    }
    // A single changed model has no other one to share values with.
    guard changes.changed.size > 1 else { return failures }
    var uniqueness = PendingUniqueness(schema: coordinator.schema)
    for storage in changes.changed where isJudged(storage) {
      uniqueness.judge(storage, into: &failures)
    }
    return failures
  }

  private func judge(_ storage: _ModelStorage, into failures: inout [SwiftDataError]) {
    for slot in storage.descriptor.relationshipSlots where storage.changedSlots.contains(slot) {
      guard let link = storage.descriptor.link(slot, in: coordinator) else { continue }
      if link.isRequired, let text = missing(storage, slot) {
        failures.append(
          Validation.failure(
            storage, link.name, text,
            because: .requiredValueMissing(
              entity: storage.descriptor.entityName, properties: [link.name])))
      }
      validateCount(storage, slot, link, into: &failures)
    }
    for slot in storage.descriptor.dateSlots {
      guard case .real(let seconds) = storage.overlaid(slot), seconds.isNaN else { continue }
      failures.append(
        Validation.failure(
          storage, storage.descriptor.properties[slot].name,
          "A date that is not a number can't be stored. Set a valid date."))
    }
  }

  private func validateCount(
    _ storage: _ModelStorage, _ slot: Int, _ link: RelationshipLink,
    into failures: inout [SwiftDataError]
  ) {
    guard link.isToMany, link.minimumCount > 0 || link.maximumCount > 0,
      storage.flags.contains(.isInserted)
        || coordinator.port(forEntity: storage.descriptor.entityName)?.countsMembers == false
    else { return }
    let count = storage.relationships.partners(slot)
      .count { $0._$storage.flags.isDisjoint(with: [.isDeleted, .hasNoRow]) }
    let failure = SwiftDataError.wrongCount(
      of: storage.identifier, property: link.name, count: count, minimum: link.minimumCount,
      maximum: link.maximumCount)
    if let failure { failures.append(failure) }
  }

  /// - Returns: What is wrong with a required relationship; `nil` if it has a model.
  private func missing(_ storage: _ModelStorage, _ slot: Int) -> String? {
    switch storage.relationships.value(slot) {
    case .null: break
    case .unset:
      guard storage.reader?.isNull(slot) ?? true else { return nil }
    case .model(let partner):
      guard partner._$storage.hasLeftContext else { return nil }
      return
        "A required relationship refers to \(partner._$storage.identifier), which was deleted. Set "
        + "another model, delete this model too, or make the relationship optional."
    case .identifier, .toMany, .weakReferences: return nil
    }
    return "A required relationship has no model. Set a model, or make the relationship optional."
  }

  static func failure(
    _ storage: _ModelStorage, _ name: String, _ text: String,
    because reason: SwiftDataError.Reason? = nil
  ) -> SwiftDataError {
    SwiftDataError.modelValidationFailure.with(
      "\(text) (\(storage.identifier))", entity: storage.descriptor.entityName, property: name,
      because: reason)
  }
}

/// Finds changed models of one save that get the same unique values.
private struct PendingUniqueness {
  private struct Key: Hashable {
    /// The entity that declares the constraint. Siblings may have constraints of the same names.
    let entity: String
    let names: [String]
    let values: [AnyHashable]
  }

  private let schema: Schema
  private var holders: [Key: _ModelStorage] = [:]
  private var constraints: [ObjectIdentifier: [Constraint]] = [:]

  private struct Constraint {
    let entity: String
    let names: [String]
    let slots: [Int]
    let cells: [Int]
  }

  init(schema: Schema) { self.schema = schema }

  mutating func judge(_ storage: _ModelStorage, into failures: inout [SwiftDataError]) {
    for constraint in constraints(of: storage.descriptor) {
      guard constraint.slots.contains(where: storage.changedSlots.contains),
        let snapshot = try? DefaultSnapshot(storage, changedSlots: storage.changedSlots)
      else { continue }
      let values = constraint.cells.compactMap { Self.comparable(snapshot.value($0)) }
      guard values.count == constraint.cells.count else { continue }
      let key = Key(entity: constraint.entity, names: constraint.names, values: values)
      if let other = holders.updateValue(storage, forKey: key), other !== storage {
        failures.append(
          Validation.failure(
            storage, constraint.names.joined(separator: ", "),
            "\(other.identifier) has the same value in this save, but the property is unique. "
              + "Change one of the values.",
            because: .uniqueValueTaken(
              entity: storage.descriptor.entityName, properties: constraint.names,
              holder: other.identifier.isTemporary ? nil : other.identifier)))
      }
    }
  }

  private mutating func constraints(of descriptor: _ModelDescriptor) -> [Constraint] {
    if let known = constraints[ObjectIdentifier(descriptor)] { return known }
    var found: [Constraint] = []
    for entity in schema.lineage(of: descriptor.entityName) {
      for names in entity.uniquenessConstraints {
        let locations = names.compactMap(descriptor.place(named:))
        guard locations.count == names.count, !locations.isEmpty else { continue }
        found.append(
          Constraint(
            entity: entity.name, names: names, slots: locations.map(\.slot),
            cells: locations.flatMap(\.cells)))
      }
    }
    constraints[ObjectIdentifier(descriptor)] = found
    return found
  }

  /// A value as the store compares it; nil for null, which equals nothing.
  private static func comparable(_ value: SnapshotValue) -> AnyHashable? {
    switch value {
    case .integer(let value): AnyHashable(value)
    case .real(let value): AnyHashable(value)
    case .text(let value): AnyHashable(Array(value.utf8))
    case .blob(let value): AnyHashable(value)
    case .uuid(let value): AnyHashable(withUnsafeBytes(of: value.uuid) { Data($0) })
    case .identifier(let identifier): AnyHashable(identifier)
    case .null, .reference: nil
    }
  }
}
