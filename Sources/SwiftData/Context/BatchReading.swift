/// Reads the models of a fetch in batches: one statement for the rows of a batch, and one for each
/// relationship to prefetch.
///
/// The fetch has determined the rows. A row that was deleted since leaves a gap; a new row does not
/// appear.
struct BatchReading<T: PersistentModel> {
  let prefetcher: Prefetcher
  let descriptor: FetchDescriptor<T>
  let identifiers: FetchedIdentifiers

  /// The positions in batches of `size`; one batch if the size is less than 1.
  func batches(of size: Int) -> some Sequence<Range<Int>> {
    let count = identifiers.count
    return stride(from: 0, to: count, by: size > 0 ? size : max(1, count)).map {
      $0..<(size > 0 ? min($0 + size, count) : count)
    }
  }

  /// The positions in batches of up to 1000, each of which is twice as large as the one before.
  /// - Parameter size: The size of the first batch; `nil` for the largest one.
  func growingBatches(from size: Int?) -> some Sequence<Range<Int>> {
    let largest = 1000
    let first = min(size ?? largest, largest)
    return sequence(state: (start: 0, size: first)) { [count = identifiers.count] state in
      if state.start == count { return nil }
      let batch = state.start..<min(state.start + state.size, count)
      state = (batch.upperBound, min(2 * state.size, largest))
      return batch
    }
  }

  /// One model per position; `nil` if the row no longer exists, unless the context has an edited model of it.
  func models(at range: Range<Int>) throws -> [T?] {
    let prefetched = descriptor.relationshipKeyPathsForPrefetching
    guard !prefetched.isEmpty, let port else { return try unprefetchedModels(at: range) }
    // The transaction ends with the batch: the next one may be read much later.
    return try prefetcher.readingOneState(of: port) {
      let models = try unprefetchedModels(at: range)
      let tree = PrefetchTree(prefetched, of: T.self, in: prefetcher.stores.coordinator)
      prefetcher.prefetch(tree, of: models.compactMap(\.self))
      return models
    }
  }

  /// One model per position. If the row no longer exists, the model reports that it is deleted; if
  /// the store can't be read, the model is a fault.
  func modelsOrPlaceholders(at range: Range<Int>) -> [T] {
    let models = try? ReadInterruption.suspended { try self.models(at: range) }
    return range.map { position in
      if let model = models?[position - range.lowerBound] { return model }
      let identifier = identifiers[position]
      if let known = materializer.registered(identifier), let model = known.model as? T {
        if models != nil, !model.hasChanges { known.storage.loseRow() }
        return model
      }
      if models == nil, let fault = prefetcher.source._fault(for: identifier) as? T {
        return fault
      }
      return Materialization.makeModel(T.self, over: .withoutRow(identifier, T._$descriptor))
    }
  }

  private var materializer: Materializer { prefetcher.materializer }

  private var port: (any StorePort)? {
    prefetcher.stores.coordinator.port(forEntity: T._$descriptor.entityName)
  }

  private func unprefetchedModels(at range: Range<Int>) throws -> [T?] {
    guard let port else { return range.map { _ in nil } }
    let rows = try port.rows(
      at: identifiers, in: range, of: T._$descriptor, slots: descriptor.slotsToFetch,
      prefetcher.editingState)
    var models = materializer.materialize(
      rows, as: T.self, in: prefetcher.source, keepsRelated: true)[...]
    if models.count == range.count { return models.map(Optional.some) }
    return range.map { position in
      let identifier = identifiers[position]
      if identifier.isTemporary { return prefetcher.source._model(for: identifier) as? T }
      guard let next = models.first, next._$storage.knownIdentifier == identifier else {
        return editedModel(identifier)
      }
      return models.removeFirst()
    }
  }

  /// The context does not know yet that another container has deleted the row.
  private func editedModel(_ identifier: PersistentIdentifier) -> T? {
    guard descriptor.includePendingChanges, let known = materializer.registered(identifier),
      known.storage.flags.contains(.isChanged), !known.storage.flags.contains(.hasNoRow)
    else { return nil }
    return known.model as? T
  }
}
