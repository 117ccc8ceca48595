import Synchronization

/// Requests for a class that has subclasses.
///
/// A store should return the rows of subclasses too. Many stores return only the rows whose
/// identifiers have the name of the requested entity, so each subclass is fetched separately from
/// such a store, and predicate, order and limit are applied in memory.
extension SnapshotPort {
  /// Whether the store's answer to a request has the rows of subclasses, as far as there are any.
  func answersWithSubclasses<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> Bool {
    let key = ObjectIdentifier(T.self)
    if let known = knownAnswers.withLock({ $0[key] }) { return known == .withSubclasses }
    let subclasses = subclasses(of: T.self)
    let row = try subclasses.lazy.compactMap { subclass in
      try self.firstRow(of: subclass, request.editingState)
    }.first
    // Without rows of subclasses both kinds of stores give the same answer.
    guard subclasses.isEmpty || row != nil else { return true }
    let scope: AnswerScope =
      try row.map { row in
        try fetch([row.persistentIdentifier], as: T.self, request.editingState).isEmpty
          ? .classItself : .withSubclasses
      } ?? .withSubclasses
    knownAnswers.withLock { $0[key] = scope }
    return scope == .withSubclasses
  }

  /// The rows of the class and of each subclass, all of them; the rest is done in memory.
  func mergedAnswers<T: PersistentModel>(
    to request: DataStoreFetchRequest<T>
  ) throws -> FetchedModels {
    let descriptor = request.descriptor
    let rest = InMemoryRest(
      needsFilter: descriptor.predicate != nil, needsSort: !descriptor.sortBy.isEmpty)
    var found = try all(T.self, request.editingState)
    // Whoever does the rest applies limit and offset too.
    if rest.isEmpty { found = Array(descriptor.range.slice(found)) }
    return FetchedModels(rows: .snapshots(found), rest: rest)
  }

  /// The rows of a class and its subclasses. Each class is fetched separately too, because a store
  /// may return only the rows of the class itself.
  func all(
    _ type: any PersistentModel.Type, _ editingState: EditingState
  ) throws -> [DefaultSnapshot] {
    var known: Set<PersistentIdentifier> = []
    return try ([type] + subclasses(of: type)).flatMap {
      try rows(of: $0, limit: nil, editingState)
    }
    .filter { known.insert($0.persistentIdentifier).inserted }
  }

  private func firstRow(
    of type: any PersistentModel.Type, _ editingState: EditingState
  ) throws -> DefaultSnapshot? {
    try rows(of: type, limit: 1, editingState).first
  }

  private func rows(
    of type: any PersistentModel.Type, limit: Int?, _ editingState: EditingState
  ) throws -> [DefaultSnapshot] {
    func fetch<T: PersistentModel>(_ type: T.Type) throws -> [DefaultSnapshot] {
      var descriptor = FetchDescriptor<T>()
      descriptor.fetchLimit = limit
      return try answer(
        to: DataStoreFetchRequest(descriptor: descriptor, editingState: editingState)
      ).rows.snapshots
    }
    return try fetch(type)
  }

  private func subclasses(of type: any PersistentModel.Type) -> [any PersistentModel.Type] {
    let descriptor = type._$descriptor
    return types.values.filter { $0 != type && $0._$descriptor.isKind(of: descriptor) }
      .sorted { $0._$descriptor.entityName < $1._$descriptor.entityName }
  }
}

/// Which rows a store returns for a class that has subclasses.
enum AnswerScope {
  case classItself, withSubclasses
}
