public import Foundation

extension ModelContext {
  /// Deletes the stored models that match, at once and without loading them where possible.
  ///
  /// Delete rules hold, all or nothing; the store applies them to its rows. Models are loaded, and
  /// deleted one by one, where the predicate has parts that SQL cannot express, where a partner has a
  /// minimum number of members, and with an undo manager, which then can bring them back.
  ///
  /// While changes of models that the deletion concerns are pending, it becomes part of the next save.
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
    if let store = store as? any DataStoreBatching,
      let concerned = entitiesConcerned(byDeletionOf: descriptor, in: store),
      !watchers.all.contains(where: \.needsEachDeletion), !changes.concern(concerned)
    {
      do {
        try store.delete(
          DataStoreBatchDeleteRequest(
            editingState: editingState, predicate: predicate,
            includeSubclasses: includeSubclasses))
        let note = SavedChanges(invalidatedEntities: concerned)
        if externalChanges.hasReaders { externalChanges.add(note) }
        for storage in ExternalChangeApplication(core: self).apply(note) {
          storage.becomeDetached()
        }
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
        changes.takeBackDeletion(of: model._$storage)
      }
      throw error
    }
  }

  /// The entities whose models a deletion in the store may change; nil when it has to load them.
  private func entitiesConcerned(
    byDeletionOf descriptor: _ModelDescriptor, in store: any DataStoreBatching
  ) -> Set<String>? {
    if let store = store as? any RuledDeleting {
      return store.entitiesConcerned(byDeletionOf: descriptor)
    }
    return needsRules(descriptor) ? nil : [descriptor.entityName]
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
}

extension ChangeTracker {
  /// Whether a pending change is one of a model of these entities, or of a class below them.
  fileprivate func concern(_ entities: Set<String>) -> Bool {
    [inserted, changed, deleted].contains { models in
      models.contains { storage in
        var descriptor: _ModelDescriptor? = storage.descriptor
        while let known = descriptor {
          if entities.contains(known.entityName) { return true }
          descriptor = known.superclass?._$descriptor
        }
        return false
      }
    }
  }
}
