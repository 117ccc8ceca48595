/// Models of rows whose class is not known statically.
extension Materializer {
  /// The models of the rows of whole models, one for each row, in order. Called by `Prefetcher` with
  /// the members of relationships; a row may occur several times.
  /// - Parameter shown: Models that keep their relationships if the row has no other values: the same
  ///   operation has read them.
  func members(
    of rows: FetchedRows, in source: any _FaultSource, shown: Set<ObjectIdentifier> = []
  ) -> [any PersistentModel] {
    defer { identities._invariantCheck() }
    if case .batch(let batch) = rows, let table = identities.table(of: batch.scope) {
      return members(of: batch, in: table, source, shown)
    }
    return rows.snapshots.map { materialize($0, in: source, shown: shown) }
  }

  private func members(
    of batch: RowBatch, in table: IdentityTable, _ source: any _FaultSource,
    _ shown: Set<ObjectIdentifier>
  ) -> [any PersistentModel] {
    let descriptor = batch.descriptor
    func make<M: PersistentModel>(_ type: M.Type) -> [any PersistentModel] {
      if batch.entries.count > 64 { table.reserve(batch.entries.count) }
      var models: [any PersistentModel] = []
      models.reserveCapacity(batch.entries.count)
      var backing: any BackingData<M> = _ManagedBackingData<M>(_ModelStorage(descriptor))
      forEachRow(of: batch, in: table) {
        makeStorage(of: $0, in: batch, source)
      } _: { index, storage, known in
        guard known != nil, let model = storage.persistentModel else {
          return models.append(
            Materialization.makeModel(type, over: storage, passing: &backing))
        }
        update(storage, with: batch.snapshot(at: index), shown: shown)
        models.append(model)
      }
      return models
    }
    return make(descriptor.type)
  }
}
