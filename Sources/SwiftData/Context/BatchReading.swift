/// Where the models of a fetch are: by the keys of their rows, or by identifier.
enum FetchedPlaces {
  case keys(RowKeys)
  case identifiers([PersistentIdentifier])

  var count: Int {
    switch self {
    case .keys(let keys): keys.count
    case .identifiers(let identifiers): identifiers.count
    }
  }

  subscript(position: Int) -> PersistentIdentifier {
    switch self {
    case .keys(let keys): keys[position]
    case .identifiers(let identifiers): identifiers[position].resolved
    }
  }

  var identifiers: [PersistentIdentifier] {
    switch self {
    case .keys(let keys): keys.identifiers
    case .identifiers(let identifiers): identifiers
    }
  }
}

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
    let models: [T?]
    switch places {
    case .keys(let keys): models = try self.models(keys, at: range)
    case .identifiers: models = try self.models(identifiersAt: range)
    }
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
        if models != nil, !model.hasChanges { known.becomeLost() }
        return model
      }
      if models == nil, let fault = core.faults.fault(for: identifier) as? T { return fault }
      return Materialization.makeModel(T.self, over: .gone(identifier, T._$descriptor))
    }
  }

  private func models(_ keys: RowKeys, at range: Range<Int>) throws -> [T?] {
    guard
      let store = core.coordinator.store(forEntity: T._$descriptor.entityName)
        as? any KeyedFetching
    else { return range.map { _ in nil } }
    let rows = try store.rows(
      of: T._$descriptor, withKeys: range.lazy.map { keys.rowKey(at: $0) },
      slots: descriptor.slotsToFetch)
    var models = core.materialize(rows, as: T.self)[...]
    if models.count == range.count { return models.map(Optional.some) }
    return range.map { position in
      guard let next = models.first,
        next._$storage.knownIdentifier?.rowKey == keys.rowKey(at: position)
      else { return nil }
      return models.removeFirst()
    }
  }

  private func models(identifiersAt range: Range<Int>) throws -> [T?] {
    let identifiers = range.map { places[$0] }
    var byIdentifier: [PersistentIdentifier: T] = [:]
    let stored = identifiers.filter { !$0.isTemporary }
    if !stored.isEmpty, let store = core.coordinator.store(forEntity: T._$descriptor.entityName) {
      let snapshots = try StoreRequests(core: core).snapshots(for: stored, as: T.self, in: store)
      for model in core.materialize(.snapshots(snapshots), as: T.self) {
        byIdentifier[model.persistentModelID] = model
      }
    }
    return identifiers.map { identifier in
      byIdentifier[identifier]
        ?? (identifier.isTemporary ? core._model(for: identifier) as? T : nil)
    }
  }
}
