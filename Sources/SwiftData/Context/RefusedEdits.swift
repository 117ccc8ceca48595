/// Edits that a context can't store, made where nothing can be thrown: insertions and deletions of
/// models that it does not own, and links to such models.
///
/// A refused edit is kept with its models. Each save throws all of them and stores nothing, until the
/// edit can be stored, or is replaced: `ModelGraph.retryRefusedEdits` decides that before each save. A
/// rollback discards them.
///
/// Belongs to one context and is used on its thread only.
final class RefusedEdits {
  private let coordinator: any StoreCoordinator
  private let watchers: EditWatchers
  private var refused: [Key: RefusedEdit] = [:]
  /// The number of the last refused edit.
  private(set) var lastSerial = 0
  /// Models of a context that no longer exists still hold these, so nothing is kept for them.
  private var isOpen = true

  private struct Key: Hashable {
    var owner: ObjectIdentifier?
    var slot = -1
    var model: ObjectIdentifier?
  }

  init(_ coordinator: any StoreCoordinator, _ watchers: EditWatchers) {
    self.coordinator = coordinator
    self.watchers = watchers
  }

  var isEmpty: Bool { refused.isEmpty }

  /// In the order of the edits.
  var all: [RefusedEdit] { refused.values.sorted { $0.serial < $1.serial } }

  private func key(of edit: RefusedEdit) -> Key {
    let model = edit.model.map { ObjectIdentifier($0._$storage) }
    return switch edit.kind {
    case .link(let owner, let slot, _):
      Key(owner: ObjectIdentifier(owner._$storage), slot: slot, model: model)
    case .reachable(let owner): Key(owner: ObjectIdentifier(owner._$storage), model: model)
    case .insertion, .deletion: Key(model: model)
    }
  }

  private func refuse(
    _ kind: RefusedEdit.Kind, _ model: (any PersistentModel)?, _ error: SwiftDataError,
    isHarmless: Bool = false
  ) {
    guard isOpen else { return }
    lastSerial += 1
    let edit = RefusedEdit(
      kind: kind, model: model, error: error, isHarmless: isHarmless, serial: lastSerial)
    refused[key(of: edit)] = edit
    watchers.didRefuseEdit()
  }

  func forget(_ edit: RefusedEdit) { refused[key(of: edit)] = nil }

  func forgetAll(until serial: Int) {
    for edit in all where edit.serial <= serial { forget(edit) }
  }

  /// - Returns: The refused edits. The caller releases them when its own changes are complete:
  ///   deinitialisers of models may call back.
  @discardableResult
  func removeAll() -> [RefusedEdit] {
    defer { refused = [:] }
    return Array(refused.values)
  }

  func close() -> [RefusedEdit] {
    isOpen = false
    return removeAll()
  }

  // MARK: Links

  /// Called when a property is set: what it did not take before is not wanted any more.
  func forgetLinks(of owner: _ModelStorage, _ slot: Int) {
    let owner = ObjectIdentifier(owner)
    for key in refused.keys where key.owner == owner && key.slot == slot { refused[key] = nil }
  }

  /// Called when a relationship takes a model.
  func forgetLink(of owner: _ModelStorage, _ slot: Int, to storage: _ModelStorage) {
    refused[
      Key(owner: ObjectIdentifier(owner), slot: slot, model: ObjectIdentifier(storage))] = nil
  }

  /// Called when a new model leaves the context, for which its links are refused no longer.
  /// - Returns: The models that its relationships did not take, by slot.
  func takeLinks(of owner: _ModelStorage) -> [(slot: Int, model: any PersistentModel)] {
    guard !refused.isEmpty else { return [] }
    let owner = ObjectIdentifier(owner)
    return all.compactMap { edit in
      let key = key(of: edit)
      guard key.owner == owner, key.slot >= 0 else { return nil }
      refused[key] = nil
      return edit.model.map { (key.slot, $0) }
    }
  }

  /// - Parameter storage: The model to refer to; nil if only its identifier is known.
  func refuseLink(
    of owner: _ModelStorage, _ slot: Int, to storage: _ModelStorage?, _ error: SwiftDataError
  ) {
    guard let model = owner.persistentModel else { return }
    let isToOne = owner.descriptor.properties[slot].isToOne
    refuse(
      .link(of: model, slot, old: isToOne ? owner.relationships.partner(slot) : nil),
      storage?.persistentModel, error)
  }

  func refuseLinkToOtherContext(_ storage: _ModelStorage, of owner: _ModelStorage, _ slot: Int) {
    let (entity, property) = names(of: owner, slot)
    refuseLink(
      of: owner, slot, to: storage,
      SwiftDataError.modelValidationFailure.with(
        "\(owner.identifier) can't refer to \(storage.identifier), which is new in another context. "
          + "Save that context first: the next save of this one then stores the link. Or insert both models "
          + "into the same context. Until then, or until \(entity).\(property) is assigned again, each save "
          + "throws.", entity: entity, property: property, because: .invalidRequest))
  }

  func refuseLinkToOtherContainer(_ storage: _ModelStorage, of owner: _ModelStorage, _ slot: Int) {
    let other = (storage.source as? any StoreOwning)?.coordinator
    let (entity, property) = names(of: owner, slot)
    refuseLink(
      of: owner, slot, to: storage,
      SwiftDataError.modelValidationFailure.with(
        "\(owner.identifier) can't refer to \(storage.identifier), which belongs to another container: "
          + "\(entity) is stored in \(coordinator.storeNames), "
          + "\(storage.descriptor.entityName) in \(other?.storeNames ?? "another store"). Insert a model "
          + "with the same values into this container and refer to it. Until \(entity).\(property) is "
          + "assigned again, each save throws.",
        entity: entity, property: property, because: .invalidRequest))
  }

  /// - Parameter owner: A model that was deleted in another container and is inserted into this one.
  func refuseLinkWithinOtherContainer(of owner: _ModelStorage, _ slot: Int) {
    let (entity, property) = names(of: owner, slot)
    refuseLink(
      of: owner, slot, to: nil,
      SwiftDataError.modelValidationFailure.with(
        "\(owner.identifier), which was deleted in another container, still refers to a model of that "
          + "container. Set \(property) to a model of this container (\(coordinator.storeNames)), or to nil.",
        entity: entity, property: property, because: .invalidRequest))
  }

  private func names(of owner: _ModelStorage, _ slot: Int) -> (entity: String, property: String) {
    (owner.descriptor.entityName, owner.descriptor.properties[slot].name)
  }

  // MARK: Insertions and deletions

  func refuseInsertion(of storage: _ModelStorage, _ error: SwiftDataError) {
    refuse(.insertion, storage.persistentModel, error)
  }

  /// - Parameter owner: A new model that refers to the model.
  func refuseInsertion(
    of storage: _ModelStorage, reachedFrom owner: _ModelStorage, _ error: SwiftDataError
  ) {
    guard let model = owner.persistentModel else { return }
    refuse(.reachable(from: model), storage.persistentModel, error)
  }

  /// Takes back a refused insertion that is followed by a deletion, or the other way round.
  /// - Returns: Whether there was one.
  func withdraw(_ kind: RefusedEdit.Kind, of storage: _ModelStorage) -> Bool {
    guard !refused.isEmpty else { return false }
    let key = Key(model: ObjectIdentifier(storage))
    switch (refused[key]?.kind, kind) {
    case (.insertion, .insertion), (.deletion, .deletion): refused[key] = nil
    default: return false
    }
    return true
  }

  func errorOfModelWithoutValues(_ storage: _ModelStorage) -> SwiftDataError {
    SwiftDataError.modelValidationFailure.with(
      "\(storage.identifier) can't be inserted again, because its row was deleted before its values were "
        + "read. Set all of its properties and insert it again; or insert a new model, and take this "
        + "insertion back with delete(_:), or by setting the relationships that lead to it.",
      entity: storage.descriptor.entityName, because: .invalidRequest)
  }

  func refuseInsertionOfOtherContext(_ storage: _ModelStorage) {
    let entity = storage.descriptor.entityName
    if let other = foreignCoordinator(storage) {
      return refuseInsertion(
        of: storage,
        SwiftDataError.modelValidationFailure.with(
          "The model \(storage.identifier) belongs to another container (\(other.storeNames)). Insert a "
            + "model with the same values into this container (\(coordinator.storeNames)), and take this "
            + "insertion back with delete(_:).", entity: entity, because: .invalidRequest))
    }
    let isNew = storage.identifier.isTemporary
    let advice =
      isNew
      ? "in which it is new. Save that context, or delete the model there before you insert it here."
      : "so it can't be inserted here. Pass its persistentModelID, and fetch it in this context."
    refuse(
      .insertion, storage.persistentModel,
      SwiftDataError.modelValidationFailure.with(
        "The model \(storage.identifier) belongs to another context, \(advice)", entity: entity,
        because: .invalidRequest), isHarmless: !isNew)
  }

  func refuseDeletionOfOtherContext(_ storage: _ModelStorage) {
    let advice =
      foreignCoordinator(storage).map {
        "container (\($0.storeNames)). Delete it in a context of that one. Take this deletion back with "
          + "insert(_:)."
      }
      ?? "context. Delete it there; or pass its persistentModelID, fetch it in this context, and delete the "
      + "fetched model."
    refuse(
      .deletion, storage.persistentModel,
      SwiftDataError.modelValidationFailure.with(
        "The model \(storage.identifier) belongs to another \(advice)",
        entity: storage.descriptor.entityName, because: .invalidRequest))
  }

  private func foreignCoordinator(_ storage: _ModelStorage) -> (any StoreCoordinator)? {
    guard let other = (storage.source as? any StoreOwning)?.coordinator, other !== coordinator
    else { return nil }
    return other
  }
}

/// An edit that a context can't store, with what is needed to try again. Retains its models.
struct RefusedEdit {
  enum Kind {
    /// A relationship did not take the model.
    /// - `old`: the related model that a to-one kept.
    case link(of: any PersistentModel, _ slot: Int, old: (any PersistentModel)?)
    /// A new model refers to the model, which could not be inserted with it.
    case reachable(from: any PersistentModel)
    case insertion
    case deletion
  }

  let kind: Kind
  /// The model to refer to, to insert or to delete; nil if only its identifier is known.
  let model: (any PersistentModel)?
  let error: SwiftDataError
  /// Whether nothing is lost without the edit, so that only one save throws.
  let isHarmless: Bool
  fileprivate let serial: Int
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
