public import Foundation

extension ModelContext {
  /// Deletes the stored models that match, at once and without loading them where possible.
  ///
  /// Delete rules hold: a model with relationships is loaded and deleted by the rules, all or
  /// nothing. While other changes are pending, that deletion becomes part of the next save.
  /// - Parameters:
  ///   - model: The class of the models.
  ///   - predicate: Which of them; `nil` for all.
  ///   - includeSubclasses: Whether models of subclasses are deleted too.
  /// - Throws: The store's error, or a violated rule; nothing is deleted then.
  public func delete<T>(
    model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
  ) throws where T: PersistentModel {
    try core.deleteBatch(model, where: predicate, includeSubclasses: includeSubclasses)
  }
}

extension ContextCore {
  func deleteBatch<T: PersistentModel>(
    _ type: T.Type, where predicate: Predicate<T>?, includeSubclasses: Bool
  ) throws {
    let descriptor = T._$descriptor
    guard let store = coordinator.store(forEntity: descriptor.entityName) else {
      throw SwiftDataError.unknownSchema.with(
        "The class \(type) is not in the schema of this container.", entity: descriptor.entityName)
    }
    if !needsRules(descriptor), changes.isEmpty,
      let store = store as? any DataStoreBatching
    {
      do {
        try store.delete(
          DataStoreBatchDeleteRequest(
            editingState: editingState, predicate: predicate,
            includeSubclasses: includeSubclasses))
        if savesElsewhere.hasReaders {
          savesElsewhere.add(SaveJournal.Note(swept: [descriptor.entityName]))
        }
        markGone(descriptor, in: store)
        return
      } catch is DataStoreError {}
    }
    let models = try FetchOperation(core: self, descriptor: FetchDescriptor(predicate: predicate))
      .models().filter { includeSubclasses || $0._$storage.descriptor === descriptor }
    try deleteThroughGraph(models)
  }

  /// Deletes models by the rules. They are saved at once, unless other changes are pending: then the
  /// deletion is part of the next save.
  private func deleteThroughGraph<T: PersistentModel>(_ models: [T]) throws {
    let savesAtOnce = changes.isEmpty
    for model in models { delete(model._$storage) }
    guard savesAtOnce else { return }
    do {
      try save()
    } catch {
      for model in models where model._$storage.flags.contains(.isDeleted) {
        changes.insert(model._$storage)
      }
      throw error
    }
  }

  /// Whether a deletion concerns other rows: those it names, and those that name it.
  private func needsRules(_ descriptor: _ModelDescriptor) -> Bool {
    if !descriptor.relationshipSlots.isEmpty { return true }
    if coordinator.hasSubclassesWithRelationships(descriptor) { return true }
    return coordinator.schema.entities.contains { entity in
      entity.relationships.contains { relationship in
        guard let type = coordinator.modelType(forEntity: relationship.destination) else {
          return false
        }
        return type._$descriptor.isKind(of: descriptor) || descriptor.isKind(of: type._$descriptor)
      }
    }
  }

  /// Registered models whose rows are gone say so.
  private func markGone(_ descriptor: _ModelDescriptor, in store: any DataStore) {
    var candidates: [_ModelStorage] = []
    identities.forEach { if $0.descriptor.isKind(of: descriptor) { candidates.append($0) } }
    guard !candidates.isEmpty else { return }
    let identifiers = candidates.compactMap(\.knownIdentifier).filter { !$0.isTemporary }
    let alive = Set(
      ((try? StoreRequests(core: self).snapshots(for: identifiers, in: store)) ?? [])
        .map(\.persistentIdentifier))
    for storage in candidates {
      guard let identifier = storage.knownIdentifier, !alive.contains(identifier) else { continue }
      unregister(storage)
      storage.flags.remove(.isFault)
      storage.flags.insert(.isGone)
      storage.source = nil
    }
  }
}
