extension StoreCoordinator {
  /// The identifier that a text for URLs stands for.
  /// - Throws: `SwiftDataError.invalidIdentifier`.
  func identifier(urlText: String) throws -> PersistentIdentifier {
    guard let parts = IdentifierText(urlText) else {
      throw SwiftDataError.invalidIdentifier.with(
        "The text was truncated or changed, or is not an identifier.",
        because: .invalidIdentifier(.malformed))
    }
    guard ports.contains(where: { IdentifierText.storeTag($0.identifier) == parts.storeTag }) else {
      throw SwiftDataError.invalidIdentifier.with(
        "The identifier belongs to another store than \(storeNames).",
        because: .invalidIdentifier(.otherStore))
    }
    let names = schema.entities.map(\.name)
      .filter { IdentifierText.entityTag($0) == parts.entityTag }
    guard names.count == 1, let name = names.first, let port = port(forEntity: name) else {
      throw SwiftDataError.invalidIdentifier.with(
        "The container has no entity of the identifier. List the class in its schema; identifiers from "
          + "before an entity was renamed are not valid any more.",
        because: .invalidIdentifier(.unknownEntity))
    }
    guard IdentifierText.storeTag(port.identifier) == parts.storeTag else {
      throw SwiftDataError.invalidIdentifier.with(
        "The identifier belongs to a store of the container that does not keep this entity.",
        entity: name, because: .invalidIdentifier(.otherStore))
    }
    switch parts.key {
    case .row(let key):
      return PersistentIdentifier(
        storeIdentifier: port.identifier, entityName: name, primaryKey: "p\(key)")
    case .text(let key):
      return PersistentIdentifier(
        storeIdentifier: port.identifier, entityName: name, primaryKey: key)
    }
  }
}

extension ModelContext {
  /// The stored model with the identifier that a text stands for.
  ///
  /// ```swift
  /// // GET /trips/AQxw0v3kfPIBp2k5wQ
  /// let trip = try context.model(Trip.self, urlText: text)
  /// ```
  ///
  /// Texts come from ``PersistentIdentifier/urlText``. Any text may be passed: one that is no
  /// identifier of a `T` in this container is refused before a statement runs. The row is read with
  /// one statement. Not in Apple's framework.
  /// - Parameters:
  ///   - type: The class of the model; a superclass finds models of its subclasses.
  ///   - urlText: The text.
  /// - Throws: ``SwiftDataError/invalidIdentifier``, ``SwiftDataError/modelNotFound`` if there is no
  ///   such row any more, ``SwiftDataError/unknownSchema`` if the schema lacks the class, or the
  ///   store's error.
  public func model<T: PersistentModel>(_ type: T.Type, urlText: String) throws -> T {
    try existingModel(type, for: core.coordinator.identifier(urlText: urlText))
  }

  /// The stored model with an identifier, if its row still exists.
  ///
  /// ```swift
  /// let trip = try context.existingModel(Trip.self, for: identifier)
  /// ```
  ///
  /// Unlike ``model(for:)`` it reads the row, with one statement, and throws if there is none. A new
  /// model of this context is found without a statement. A model that the context has deleted counts
  /// as not existing. Unsaved values stay. Not in Apple's framework.
  /// - Parameters:
  ///   - type: The class of the model; a superclass finds models of its subclasses.
  ///   - identifier: The identifier, as in ``PersistentModel/persistentModelID``.
  /// - Throws: ``SwiftDataError/modelNotFound``; ``SwiftDataError/invalidIdentifier`` for a model of
  ///   another class or store; ``SwiftDataError/unknownSchema`` if the schema lacks the class; or
  ///   the store's error.
  public func existingModel<T: PersistentModel>(
    _ type: T.Type, for identifier: PersistentIdentifier
  ) throws -> T {
    let coordinator = core.coordinator
    _ = try coordinator.port(of: type)
    let identifier = identifier.resolved
    guard
      let descriptor = coordinator.modelType(forEntity: identifier.entityName)?._$descriptor,
      descriptor.isKind(of: type._$descriptor)
    else {
      throw SwiftDataError.invalidIdentifier.with(
        "The identifier belongs to \(identifier.entityName), not to \(type._$descriptor.entityName).",
        entity: type._$descriptor.entityName, because: .invalidIdentifier(.otherModel))
    }
    core.externalChanges.applyNew()
    let known = core.identities.model(for: identifier)
    if identifier.isTemporary {
      guard let model = known?.model as? T, !model.isDeleted else { throw notFound(identifier) }
      return model
    }
    guard
      coordinator.port(forEntity: identifier.entityName)?.identifier == identifier.storeIdentifier
    else {
      throw SwiftDataError.invalidIdentifier.with(
        "The identifier belongs to another store than \(coordinator.storeNames).",
        entity: identifier.entityName, because: .invalidIdentifier(.otherStore))
    }
    if let known, known.storage.flags.contains(.isDeleted) { throw notFound(identifier) }
    // The row of another class of the hierarchy may have the key by now.
    guard let row = try core.stores.snapshot(for: identifier),
      row.persistentIdentifier == identifier,
      let model = core.materializer.materialize(row, in: core) as? T
    else { throw notFound(identifier) }
    return model
  }

  private func notFound(_ identifier: PersistentIdentifier) -> SwiftDataError {
    .modelNotFound.with(
      "There is no row for \(identifier). It was deleted, or never stored.",
      entity: identifier.entityName, because: .notFound([identifier]))
  }
}
