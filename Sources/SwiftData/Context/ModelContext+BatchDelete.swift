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
  ///   - model: The class of the models. A variable of the type `Animal.Type` may contain a subclass: then models
  ///     of that subclass are deleted.
  ///   - predicate: Which of them; `nil` for all.
  ///   - includeSubclasses: Whether models of subclasses are deleted too.
  /// - Throws: The store's error, or the violation of a rule; nothing is deleted then.
  public func delete<T>(
    model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
  ) throws where T: PersistentModel {
    // An array `[Dog.self, Cat.self]` and `type(of: animal)` have the metatype of the superclass.
    if model != T.self {
      let subclass: any PersistentModel.Type = model
      return try deleteBatch(ofSubclass: subclass, where: predicate, includeSubclasses)
    }
    try deleteBatch(model, where: predicate, includeSubclasses: includeSubclasses)
  }

  private func deleteBatch<T: PersistentModel, Subclass: PersistentModel>(
    ofSubclass subclass: Subclass.Type, where predicate: Predicate<T>?, _ includeSubclasses: Bool
  ) throws {
    typealias Model = PredicateExpressions.ForceCast<PredicateExpressions.Variable<Subclass>, T>
    let narrowed = predicate.map { predicate in
      Predicate<Subclass> { PredicateExpressions.build_evaluate(predicate, Model($0)) }
    }
    try deleteBatch(subclass, where: narrowed, includeSubclasses: includeSubclasses)
  }

  private func deleteBatch<T: PersistentModel>(
    _ type: T.Type, where predicate: Predicate<T>?, includeSubclasses: Bool
  ) throws {
    try core.stores.requireIdle()
    let descriptor = T._$descriptor
    let port = try core.coordinator.port(of: type)
    if let concerned = port.entitiesConcerned(byDeletionOf: descriptor),
      !core.watchers.all.contains(where: \.needsEachDeletion),
      !core.changes.concern(concerned)
    {
      var note = SavedChanges(invalidatedEntities: concerned)
      let feed = core.externalChanges.feed
      var announced: Int?
      do {
        try port.delete(
          DataStoreBatchDeleteRequest(
            editingState: core.stores.editingState, predicate: predicate,
            includeSubclasses: includeSubclasses)
        ) { receipt in
          // An attempt before this one may have had another receipt.
          note =
            receipt.map { SavedChanges($0) } ?? SavedChanges(invalidatedEntities: concerned)
          announced.map(feed.withdraw)
          // A transaction announces all of its changes when it commits.
          announced =
            core.transaction == nil && feed.hasReaders && !note.isEmpty ? feed.announce(note) : nil
        }
        if note.isEmpty { return }
        if let transaction = core.transaction {
          transaction.note(note)
        } else if let announced {
          feed.complete(announced, with: note)
        } else if feed.hasReaders {
          // A context that was created meanwhile.
          feed.add(note)
        }
        for storage in core.externalChanges.apply(note) {
          core.transaction?.note(deleted: storage)
          storage.becomeDetached()
        }
        if core.transaction == nil { core.coordinator.commits.fire() }
        return
      } catch {
        announced.map(feed.withdraw)
        guard error is DataStoreError else { throw error }
      }
    }
    let models = try fetch(FetchDescriptor(predicate: predicate)).filter {
      includeSubclasses || $0._$storage.descriptor === descriptor
    }
    try deleteThroughGraph(models)
  }

  /// Deletes models with their delete rules. They are saved immediately, unless other changes are
  /// pending: then the deletion is part of the next save.
  private func deleteThroughGraph<T: PersistentModel>(_ models: [T]) throws {
    guard core.changes.isEmpty else {
      for model in models { delete(model) }
      return
    }
    core.watchers.endEvent()
    let recorder = undoRecorder
    recorder?.holdsSteps = true
    defer {
      recorder?.holdsSteps = false
      core.watchers.endEvent()
    }
    for model in models { delete(model) }
    do {
      try save()
    } catch {
      for model in models where model._$storage.flags.contains(.isDeleted) {
        core.recorder.undoDeletion(of: model._$storage)
      }
      // The failed save has notified queries while the models were marked as deleted.
      core.watchers.didProcessPendingChanges()
      throw error
    }
  }
}

extension SavedChanges {
  fileprivate init(_ receipt: BatchDeletionReceipt) {
    self.init()
    deleted = receipt.deleted
    updated = receipt.nullified.map { ($0.identifier, SlotSet($0.slot)) }
    insert(listsOf: receipt.changedLists)
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
