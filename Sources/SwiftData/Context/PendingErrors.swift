/// Misuse that can't throw where it happens: in an insertion, or when a relationship is set.
///
/// The first error since the last save is kept, and thrown by the next save; a rollback discards
/// it. Belongs to one context and is used on its thread only.
final class PendingErrors {
  private let coordinator: any StoreCoordinator
  private var first: SwiftDataError?

  init(_ coordinator: any StoreCoordinator) { self.coordinator = coordinator }

  func note(_ error: @autoclosure () -> SwiftDataError) {
    if first == nil { first = error() }
  }

  func throwFirst() throws {
    guard let error = first else { return }
    first = nil
    throw error
  }

  func removeAll() { first = nil }

  func rejectModelWithoutValues(_ storage: _ModelStorage) {
    note(
      SwiftDataError.modelValidationFailure.with(
        "\(storage.identifier) can't be inserted again, because its row was deleted before its values were "
          + "read. Insert a new model, or set all properties of this one first.",
        entity: storage.descriptor.entityName, because: .invalidRequest))
  }

  // MARK: Models of other contexts

  func rejectModelOfOtherContext(_ storage: _ModelStorage, in owner: _ModelStorage, _ slot: Int) {
    note(
      SwiftDataError.modelValidationFailure.with(
        "\(owner.identifier) can't refer to \(storage.identifier), which is new in another context. "
          + "Save that context first, or insert both models into the same context.",
        entity: owner.descriptor.entityName, property: owner.descriptor.properties[slot].name,
        because: .invalidRequest))
  }

  func rejectModelOfOtherContainer(_ storage: _ModelStorage, in owner: _ModelStorage, _ slot: Int) {
    let other = (storage.source as? any StoreOwning)?.coordinator
    note(
      SwiftDataError.modelValidationFailure.with(
        "\(owner.identifier) can't refer to \(storage.identifier), which belongs to another container: "
          + "\(owner.descriptor.entityName) is stored in \(coordinator.storeNames), "
          + "\(storage.descriptor.entityName) in \(other?.storeNames ?? "another store"). Insert a model "
          + "with the same values into this container and refer to it.",
        entity: owner.descriptor.entityName, property: owner.descriptor.properties[slot].name,
        because: .invalidRequest))
  }

  /// - Parameter storage: A model that was deleted in another container and is inserted into this one.
  func rejectLinkToOtherContainer(of storage: _ModelStorage, _ slot: Int) {
    let property = storage.descriptor.properties[slot].name
    note(
      SwiftDataError.modelValidationFailure.with(
        "\(storage.identifier), which was deleted in another container, still refers to a model of that "
          + "container. Set \(property) to a model of this container (\(coordinator.storeNames)), or to "
          + "nil, before you insert it.",
        entity: storage.descriptor.entityName, property: property, because: .invalidRequest))
  }

  func rejectModelOfOtherContext(_ storage: _ModelStorage) {
    if let other = (storage.source as? any StoreOwning)?.coordinator, other !== coordinator {
      return note(
        SwiftDataError.modelValidationFailure.with(
          "The model \(storage.identifier) belongs to another container (\(other.storeNames)). Insert a "
            + "model with the same values into this container (\(coordinator.storeNames)).",
          entity: storage.descriptor.entityName, because: .invalidRequest))
    }
    note(
      SwiftDataError.modelValidationFailure.with(
        "The model \(storage.identifier) belongs to another context. Pass its persistentModelID, and "
          + "fetch it in this context.",
        entity: storage.descriptor.entityName, because: .invalidRequest))
  }
}

/// Failed reads of a store where nothing can be thrown: a fault, a relationship, a prefetch. The
/// model tries again at the next access. A save that needs the result throws, instead of treating
/// it as empty.
///
/// Used on the thread of the context only.
final class FailedReads {
  private var first: (any Error)?

  func note(_ error: any Error) { first = first ?? error }

  /// Forgets the failures until now.
  func removeAll() { first = nil }

  /// - Parameter consequence: What did not happen, and what to do.
  /// - Throws: `SwiftDataError.storeReadFailure` if a read has failed.
  func throwFirst(_ operation: String, _ consequence: String) throws {
    guard let first else { return }
    throw SwiftDataError.storeReadFailure.with(consequence, doing: operation, underlying: first)
  }

  /// - Returns: `nil` if the read fails.
  func noting<R>(_ read: () throws -> R) -> R? {
    do {
      return try read()
    } catch {
      note(error)
      return nil
    }
  }
}
