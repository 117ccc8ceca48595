/// Finds models of a save that another writer has changed or deleted, for a context that refuses
/// conflicts. `SavePreparation` calls it under the write lock.
///
/// 1. `SavePreparation` applies changes saved by other contexts of the container, as before each
///    fetch. Properties that another writer stores under unsaved edits are recorded, with the values that the
///    context had read (`ExternalChangeFeed.externalChanges`).
/// 2. The rows of edited and deleted models are read again, one statement per entity, to find
///    changes by other containers and processes.
/// 3. What was found goes to the feed, so that a rollback gives the models the stored values.
final class ConflictCheck {
  private let changes: ChangeTracker
  private let stores: ContextStores
  private let feed: ExternalChangeFeed

  init(_ changes: ChangeTracker, _ stores: ContextStores, _ feed: ExternalChangeFeed) {
    self.changes = changes
    self.stores = stores
    self.feed = feed
  }

  /// - Parameter deleted: One model for each row to delete.
  /// - Throws: `SwiftDataError.saveConflict`, or the store's error.
  func run(deleted: [_ModelStorage]) throws {
    let pending = Array(changes.changed) + deleted
    var conflicts: [SaveConflict] = []
    var found = SavedChanges()
    for (name, storages) in Dictionary(grouping: pending, by: \.descriptor.entityName)
      .sorted(by: { $0.key < $1.key })
    {
      conflicts += try self.conflicts(of: storages, entity: name, &found)
    }
    conflicts = SaveConflict.merged(conflicts)
    guard let first = conflicts.first else { return }
    feed.putBack(found)
    throw SwiftDataError.saveConflict.with(
      "Nothing was saved. \(advice(conflicts))", entity: first.identifier.entityName,
      property: first.properties.isEmpty
        ? nil : first.properties.map(\.name).joined(separator: ", "),
      underlying: SaveConflicts(all: conflicts))
  }

  private func advice(_ conflicts: [SaveConflict]) -> String {
    let later = "set conflictPolicy to .laterSaveWins and save again"
    let gone = conflicts.count { $0.isDeleted }
    guard gone > 0 else { return "Roll back and make the changes again, or \(later)." }
    let drops = "\(later), which drops changes of deleted rows"
    if gone < conflicts.count {
      return
        "Roll back and make the changes again, except those of the rows that were deleted; or \(drops)."
    }
    return
      "Another writer has deleted the \(gone == 1 ? "row" : "rows"), so the changes can't be made any more. "
      + "Roll back, and insert a new model if it is still needed; or \(drops)."
  }

  /// Called when a fetch puts a row under the unsaved changes of a model, which would hide changes
  /// by other writers. Does nothing if the context does not refuse conflicts.
  func note(_ row: DefaultSnapshot, under storage: _ModelStorage) {
    guard feed.conflictPolicy == .refuse,
      let port = stores.port(of: storage), let identifier = storage.knownIdentifier
    else { return }
    let read = changes.savedSnapshot(of: storage)
    feed.recordExternalChange(identifier, differingSlots(read, row, port), read: read)
  }

  /// The attributes and to-one relationships that have other values in a row than in a snapshot of what the
  /// context last read or saved.
  func differingSlots(
    _ read: DefaultSnapshot, _ row: DefaultSnapshot, _ port: any StorePort
  ) -> SlotSet {
    var slots = SlotSet()
    for (slot, property) in row.descriptor.properties.enumerated()
    where !property.isToMany && !property.isEphemeral && differs(slot, read, row, port) {
      slots.insert(slot)
    }
    return slots
  }

  private func conflicts(
    of storages: [_ModelStorage], entity: String, _ found: inout SavedChanges
  ) throws -> [SaveConflict] {
    guard let port = stores.coordinator.port(forEntity: entity),
      let descriptor = storages.first?.descriptor
    else { return [] }
    let rows = try stores.rows(of: storages.compactMap(\.knownIdentifier), descriptor, in: port)
    return storages.compactMap { storage in
      guard let identifier = storage.knownIdentifier else { return nil }
      guard let row = rows[identifier] else {
        found.deleted.append(identifier)
        return SaveConflict(identifier: identifier, isDeleted: true, properties: [])
      }
      return conflict(of: storage, row, port, &found)
    }
  }

  private func conflict(
    of storage: _ModelStorage, _ row: DefaultSnapshot, _ port: any StorePort,
    _ found: inout SavedChanges
  ) -> SaveConflict? {
    // Reads the rest of a partial row, and records what has changed in it.
    let shown = changes.savedSnapshot(of: storage)
    let known = feed.externalChanges[storage.identifier]
    let unsaved = DefaultSnapshot(lenient: storage)
    var properties: [SaveConflict.Property] = []
    var slots = SlotSet()
    for (slot, property) in storage.descriptor.properties.enumerated()
    where !property.isToMany && !property.isEphemeral {
      // Since it was recorded the model may show what other writers have stored.
      let recorded = known?.read(slot)
      let read = recorded ?? shown
      let isChanged = storage.changedSlots.contains(slot)
      guard
        hasValue(of: slot, read)
          ? differs(slot, read, row, port) : recorded != nil && isChanged
      else { continue }
      slots.insert(slot)
      properties.append(
        SaveConflict.Property(
          name: property.name, storedValue: value(of: slot, row, port),
          unsavedValue: value(of: slot, isChanged ? unsaved : read, port), isChanged: isChanged))
    }
    if properties.isEmpty { return nil }
    found.updated.append((storage.identifier, slots))
    return SaveConflict(
      identifier: storage.identifier, isDeleted: false, properties: properties)
  }

  /// Whether a snapshot has the value of a property, which was never read otherwise.
  private func hasValue(of slot: Int, _ read: DefaultSnapshot) -> Bool {
    read.row != nil || read.changedValue(slot) != nil
  }

  /// Whether the row has another value than the context last read or saved. A value that was never
  /// read is not compared.
  private func differs(
    _ slot: Int, _ read: DefaultSnapshot, _ row: DefaultSnapshot, _ port: any StorePort
  ) -> Bool {
    let property = row.descriptor.properties[slot]
    guard hasValue(of: slot, read) else { return false }
    if property.isToOne {
      return identifier(slot, read, port) != identifier(slot, row, port)
    }
    return !read.hasValue(of: row, at: slot)
  }

  private func identifier(
    _ slot: Int, _ snapshot: DefaultSnapshot, _ port: any StorePort
  ) -> PersistentIdentifier? {
    switch snapshot.value(slot) {
    case .identifier(let identifier): identifier.resolved
    case .integer(let key): port.destination(of: snapshot.descriptor, slot: slot, key: key)
    case .null, .real, .text, .blob, .uuid, .reference: nil
    }
  }

  private func value(
    of slot: Int, _ snapshot: DefaultSnapshot, _ port: any StorePort
  ) -> (any Sendable)? {
    let property = snapshot.descriptor.properties[slot]
    let value = snapshot.value(slot)
    switch property.form {
    case .toOne: return identifier(slot, snapshot, port)
    case .attribute(.scalar(let type)), .attribute(.rawValue(let type)):
      if case .null = value { return nil }
      return type.swiftType.init(storedValue: value.stored)
    case .attribute, .transformable, .toMany: return nil
    }
  }
}
