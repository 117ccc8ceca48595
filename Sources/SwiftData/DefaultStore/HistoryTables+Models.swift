package import OpenSwiftDataStoreFormat

extension HistoryTables {
  /// The tables for the models of a new store.
  package init(for model: ModelDescription) {
    let counts = model.entities.map { entity in
      model.properties(of: entity.name).compactMap(\.attribute)
        .filter { $0.preservesValueOnDeletion && !$0.isTransient }
        .map(\.leaves.count).reduce(0, +)
    }
    self.init(tombstoneCount: counts.max() ?? 0)
  }
}
