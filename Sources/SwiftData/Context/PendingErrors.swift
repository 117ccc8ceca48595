/// Misuse that can't throw where it happens: in an insertion, or when a relationship is set.
///
/// The first error since the last save is kept, and thrown by the next save; a rollback discards
/// it. Belongs to one context and is used on its thread only.
struct PendingErrors {
  private var first: SwiftDataError?

  mutating func note(_ error: @autoclosure () -> SwiftDataError) {
    if first == nil { first = error() }
  }

  mutating func throwFirst() throws {
    guard let error = first else { return }
    first = nil
    throw error
  }

  mutating func removeAll() { first = nil }
}

extension ContextCore {
  func rejectModelOfOtherContext(_ storage: _ModelStorage, in owner: _ModelStorage, _ slot: Int) {
    pendingErrors.note(
      SwiftDataError.modelValidationFailure.with(
        "\(owner.identifier) can't lead to \(storage.identifier), which is new in another context. "
          + "Save it there first, or insert both into the same context.",
        entity: owner.descriptor.entityName, property: owner.descriptor.properties[slot].name))
  }

  func rejectModelOfOtherContainer(_ storage: _ModelStorage, in owner: _ModelStorage, _ slot: Int) {
    let other = (storage.source as? ContextCore)?.coordinator
    pendingErrors.note(
      SwiftDataError.modelValidationFailure.with(
        "\(owner.identifier) can't lead to \(storage.identifier), which belongs to another container: "
          + "\(owner.descriptor.entityName) is kept in \(coordinator.storeNames), "
          + "\(storage.descriptor.entityName) in \(other?.storeNames ?? "another store"). Insert a model "
          + "with its values into this container and link that.",
        entity: owner.descriptor.entityName, property: owner.descriptor.properties[slot].name))
  }

  func rejectModelOfOtherContext(_ storage: _ModelStorage) {
    if let other = (storage.source as? ContextCore)?.coordinator, other !== coordinator {
      return pendingErrors.note(
        SwiftDataError.modelValidationFailure.with(
          "The model \(storage.identifier) belongs to another container, \(other.storeNames). Insert a "
            + "model with its values into this one, \(coordinator.storeNames).",
          entity: storage.descriptor.entityName))
    }
    pendingErrors.note(
      SwiftDataError.modelValidationFailure.with(
        "The model \(storage.identifier) belongs to another context. Pass its persistentModelID and "
          + "fetch it in this one.",
        entity: storage.descriptor.entityName))
  }
}
