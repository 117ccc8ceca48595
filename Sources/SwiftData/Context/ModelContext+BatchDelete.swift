public import Foundation

extension ModelContext {
  /// Deletes the stored models that match, immediately and without loading them where possible.
  ///
  /// The store applies the delete rules to its rows, all or nothing. Models are loaded and deleted
  /// one by one if the predicate has parts that SQL cannot express, and if an undo manager is set,
  /// which can then restore them.
  ///
  /// If changes of affected models are pending, the deletion becomes part of the next save.
  /// - Parameters:
  ///   - model: The class of the models.
  ///   - predicate: Which of them; `nil` for all.
  ///   - includeSubclasses: Whether models of subclasses are deleted too.
  /// - Throws: The store's error, or the violation of a rule; nothing is deleted then.
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
    try requireNoSnapshot()
    let descriptor = T._$descriptor
    let port = try coordinator.port(of: descriptor)
    if let concerned = port.entitiesConcerned(byDeletionOf: descriptor),
      !watchers.all.contains(where: \.needsEachDeletion), !changes.concern(concerned)
    {
      do {
        try port.delete(
          DataStoreBatchDeleteRequest(
            editingState: editingState, predicate: predicate,
            includeSubclasses: includeSubclasses))
        let note = SavedChanges(invalidatedEntities: concerned)
        if let transaction {
          transaction.note(note)
        } else if externalChanges.hasReaders {
          externalChanges.add(note)
        }
        for storage in ExternalChangeApplication(core: self).apply(note) {
          transaction?.note(deleted: storage)
          storage.becomeDetached()
        }
        if transaction == nil { coordinator.commits.fire() }
        return
      } catch is DataStoreError {}
    }
    let models = try fetchOperation(FetchDescriptor(predicate: predicate))
      .models().filter { includeSubclasses || $0._$storage.descriptor === descriptor }
    try deleteThroughGraph(models)
  }

  /// Deletes models with their delete rules. They are saved immediately, unless other changes are
  /// pending: then the deletion is part of the next save.
  private func deleteThroughGraph<T: PersistentModel>(_ models: [T]) throws {
    let savesAtOnce = changes.isEmpty
    for model in models { delete(model._$storage) }
    guard savesAtOnce else { return }
    do {
      try save()
    } catch {
      for model in models where model._$storage.flags.contains(.isDeleted) {
        restoreDeleted(model._$storage)
      }
      throw error
    }
  }
}

extension ChangeTracker {
  /// Whether a pending change concerns a model of these entities or of their subclasses.
  fileprivate func concern(_ entities: Set<String>) -> Bool {
    [inserted, changed, deleted].contains { models in
      models.contains { $0.descriptor.lineage.contains { entities.contains($0.entityName) } }
    }
  }
}
