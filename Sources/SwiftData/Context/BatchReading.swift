/// Reads the models of a fetch a batch at a time: one statement for the rows of a batch, and one for
/// each relationship to prefetch.
///
/// Which rows there are was settled by the fetch. A row that was deleted since leaves a gap, a new one
/// does not turn up.
struct BatchReading<T: PersistentModel> {
  let core: ContextCore
  let descriptor: FetchDescriptor<T>
  let places: FetchedPlaces

  /// The positions in batches of a size; in one batch for a size below 1.
  func batches(of size: Int) -> some Sequence<Range<Int>> {
    let count = places.count
    return stride(from: 0, to: count, by: size > 0 ? size : max(1, count)).map {
      $0..<(size > 0 ? min($0 + size, count) : count)
    }
  }

  /// One model per position; `nil` where the row is gone.
  func models(at range: Range<Int>) throws -> [T?] {
    let models = try unprefetchedModels(at: range)
    if !descriptor.relationshipKeyPathsForPrefetching.isEmpty {
      core.prefetch(
        descriptor.relationshipKeyPathsForPrefetching, of: models.compactMap(\.self))
    }
    return models
  }

  /// One model per position. Where the row is gone it says so; where the store can't be read it is
  /// a fault.
  func modelsOrPlaceholders(at range: Range<Int>) -> [T] {
    let models = try? models(at: range)
    return range.map { position in
      if let model = models?[position - range.lowerBound] { return model }
      let identifier = places[position]
      if let known = core.registered(identifier), let model = known.model as? T {
        if models != nil, !model.hasChanges { known.storage.becomeLost() }
        return model
      }
      if models == nil, let fault = core.faults.fault(for: identifier) as? T { return fault }
      return Materialization.makeModel(T.self, over: .gone(identifier, T._$descriptor))
    }
  }

  private func unprefetchedModels(at range: Range<Int>) throws -> [T?] {
    guard let port = core.coordinator.port(forEntity: T._$descriptor.entityName) else {
      return range.map { _ in nil }
    }
    let rows = try port.rows(
      at: places, in: range, of: T._$descriptor, slots: descriptor.slotsToFetch,
      core.editingState)
    var models = core.materialize(rows, as: T.self)[...]
    if models.count == range.count { return models.map(Optional.some) }
    return range.map { position in
      let identifier = places[position]
      if identifier.isTemporary { return core._model(for: identifier) as? T }
      guard let next = models.first, next._$storage.knownIdentifier == identifier else {
        return nil
      }
      return models.removeFirst()
    }
  }
}
