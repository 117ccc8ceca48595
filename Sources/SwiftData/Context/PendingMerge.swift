import Foundation

/// Evaluates unsaved inserts, edits and deletions in memory and merges them into the store's
/// result. Called by `FetchOperation` while changes are pending.
///
/// 1. Pending models of the fetched entity are evaluated: new ones, and edited ones whatever the
///    store returns for them. If there are many, only those that may have the values that the
///    predicate requires.
/// 2. If predicate or order follow relationships, an edit of another model may concern rows that
///    are not pending themselves. Only properties that the request reads there matter, and only
///    rows from which stored relationships lead to the edited model: a row that reaches it in
///    another way reaches another edited model first. The store finds these rows, and they are
///    evaluated too.
/// 3. The store answers for all other rows, and reads no more of them than the fetch asks for.
///
/// If a store cannot report what a predicate reads, all rows are evaluated in memory.
struct PendingMerge<T: PersistentModel> {
  private let prefetcher: Prefetcher
  private let descriptor: FetchDescriptor<T>
  private let port: any StorePort
  /// The number of pending models of the fetched entity.
  private let counts: (inserted: Int, changed: Int, deleted: Int)
  /// Values that the request requires of all matching models.
  private let values: [RequiredValue]
  /// Models with edits of properties that the request reads.
  private let targets: [RelationshipPathTargets]
  private let evaluatesEverything: Bool
  /// What many models are judged by, where the predicate looks for a value in a long list.
  private let conditions: [PredicateCondition]?

  /// - Returns: nil if no pending change can affect the result.
  init?(prefetcher: Prefetcher, descriptor: FetchDescriptor<T>, port: any StorePort) {
    let fetched = T._$descriptor
    self.prefetcher = prefetcher
    let changes = prefetcher.materializer.changes
    self.descriptor = descriptor
    self.port = port
    counts = changes.counts(of: fetched)
    let followsRelationships =
      prefetcher.stores.coordinator.links.lead(from: fetched.entityName)
      && (descriptor.predicate != nil || !descriptor.sortBy.isEmpty)
    let hasMany = descriptor.predicate != nil && counts.inserted + counts.changed > 16
    let reads =
      followsRelationships || hasMany
      ? port.reads(of: PendingMerge.request(descriptor, prefetcher)) : nil
    values = reads?.equalities ?? []
    conditions = hasMany ? reads?.hashedConditions?() : nil
    evaluatesEverything = followsRelationships && reads == nil
    targets = (reads?.paths ?? []).compactMap { path in
      let edited = changes.edited(related: path.destination, slots: path.reads)
      let identifiers = edited.compactMap(\.knownIdentifier)
      return identifiers.isEmpty
        ? nil : RelationshipPathTargets(path: path, identifiers: identifiers)
    }
    if counts == (0, 0, 0), targets.isEmpty, !evaluatesEverything { return nil }
  }

  /// New models to evaluate.
  private var inserted: [T] {
    if counts.inserted == 0 { return [] }
    return changes.inserted(of: T._$descriptor, having: values).compactMap { $0.model as? T }
  }

  /// Edited models to evaluate, one for each row. A model that another context deleted stays among the
  /// changes until they are saved or discarded. If another container has deleted its row, the context does not
  /// know it yet: until then every fetch has the model.
  private var changed: [T] {
    if counts.changed == 0 { return [] }
    var edited = changes.changed(of: T._$descriptor, having: values)
      .filter { !$0.flags.contains(.hasNoRow) }
    let identities = materializer.identities
    if identities.hasDuplicates {
      edited.removeAll { storage in
        guard let row = storage.knownIdentifier else { return false }
        return identities.shownInstance(of: row).map { $0.storage !== storage } ?? false
      }
    }
    return edited.compactMap { $0.model as? T }
  }

  /// Whether more than one statement is needed, for rows that are evaluated or the keys before a page.
  var readsOtherRows: Bool { evaluatesEverything || !targets.isEmpty || readsKeysBeforePage }

  private var readsKeysBeforePage: Bool {
    // Without an order, a statement that reads keys only may list the rows in another one.
    !descriptor.sortBy.isEmpty && descriptor.range.offset >= PendingMergeLimit.skipped
      && (counts.changed + counts.deleted > 0 || !targets.isEmpty)
  }

  private var materializer: Materializer { prefetcher.materializer }

  private var changes: ChangeTracker { materializer.changes }

  private static func request(
    _ descriptor: FetchDescriptor<T>, _ prefetcher: Prefetcher
  ) -> DataStoreFetchRequest<T> {
    DataStoreFetchRequest(descriptor: descriptor, editingState: prefetcher.editingState)
  }

  /// The identifiers of rows that may differ from the store's result.
  private func affectedIdentifiers() throws -> [PersistentIdentifier] {
    if targets.isEmpty { return [] }
    return try port.identifiers(
      of: PendingMerge.request(descriptor, prefetcher), leadingTo: targets
    )
    .identifiers
  }

  /// The models of affected rows that are not pending; missing ones are read.
  private func concerned(
    at identifiers: [PersistentIdentifier], found: Set<ObjectIdentifier>
  ) throws -> [T] {
    if identifiers.isEmpty { return [] }
    var models: [T] = []
    var missing: [PersistentIdentifier] = []
    for identifier in identifiers {
      let known = materializer.identities.shownInstance(of: identifier)
      if let known, !known.storage.flags.isDisjoint(with: .isPending) { continue }
      if let model = known?.model as? T, found.contains(ObjectIdentifier(model)) {
        models.append(model)
      } else {
        missing.append(identifier)
      }
    }
    if !missing.isEmpty {
      let rows = try port.rows(
        at: .identifiers(missing), in: missing.indices, of: T._$descriptor, slots: nil,
        prefetcher.editingState)
      models += materializer.materialize(rows, as: T.self, in: prefetcher.source)
    }
    prefetcher.prefetch(targets.map(\.path), of: models)
    return models
  }

  /// The number of matching models, counted in the store.
  /// - Parameter countMatches: Counts the rows that match, where the store leaves a part of the predicate
  ///   to memory.
  /// - Returns: nil if all models are needed to count them.
  func count(
    _ countMatches: (FetchedIdentifiers, InMemoryRest) throws -> Int
  ) throws -> Int? {
    if evaluatesEverything || !port.reportsReads { return nil }
    let concerned = try concerned(at: affectedIdentifiers(), found: [])
    guard let known = try countOfUnaffected(concerned, countMatches) else { return nil }
    guard descriptor.predicate != nil else {
      return try countOfMissing().map { known + $0 + counts.inserted }
    }
    return try [changed, concerned, inserted].reduce(known) { count, models in
      try count + models.count(where: matches)
    }
  }

  /// The number of edited models whose rows another container has deleted. Asks only for those that were not known
  /// to have rows in this state of the store.
  private func countOfMissing() throws -> Int? {
    if counts.changed == 0 { return 0 }
    let state = try port.state(for: prefetcher.editingState)
    let unknown = changes.changed(of: T._$descriptor, unknownIn: state)
      .filter { !$0.flags.contains(.hasNoRow) }.compactMap(\.knownIdentifier)
    guard try countOfMissing(among: unknown) != 0 else {
      if let state, !unknown.isEmpty { changes.noteRowsOfChanged(of: T._$descriptor, in: state) }
      return 0
    }
    return try countOfMissing(among: changed.map(\.persistentModelID))
  }

  private func countOfMissing(among identifiers: [PersistentIdentifier]) throws -> Int? {
    if identifiers.isEmpty { return 0 }
    let rows = Set(identifiers)
    let among = FetchDescriptor<T>(predicate: T.isOne(of: rows))
    return try port.count(PendingMerge.request(among, prefetcher)).map { rows.count - $0 }
  }

  /// The number of matching rows among those that need no evaluation. Without a predicate an edit
  /// makes no difference.
  private func countOfUnaffected(
    _ concerned: [T], _ countMatches: (FetchedIdentifiers, InMemoryRest) throws -> Int
  ) throws -> Int? {
    var request = descriptor
    (request.fetchLimit, request.fetchOffset, request.sortBy) = (nil, nil, [])
    let isAsked = descriptor.predicate != nil
    let affected = (isAsked ? counts.changed : 0) + counts.deleted + concerned.count
    guard affected <= PendingMergeLimit.named,
      let all = try port.count(PendingMerge.request(request, prefetcher))
    else {
      guard let found = try port.identifiers(PendingMerge.request(request, prefetcher)) else {
        return nil
      }
      let judged = Set(concerned.map(\.persistentModelID))
      let unaffected = (0..<found.identifiers.count).filter { position in
        let identifier = found.identifiers[position]
        return !judged.contains(identifier)
          && materializer.identities.shownInstance(of: identifier)?.storage.flags
            .isDisjoint(with: isAsked ? .isPending : .isDeleted) ?? true
      }
      if found.rest.isEmpty { return unaffected.count }
      return try countMatches(found.identifiers.picking(unaffected), found.rest)
    }
    let pending =
      (isAsked ? changes.changed(of: T._$descriptor) : [])
      + changes.deleted(of: T._$descriptor)
    let touched = Set(pending.compactMap(\.knownIdentifier) + concerned.map(\.persistentModelID))
    if touched.isEmpty { return all }
    let among = T.isOne(of: touched)
    request.predicate = descriptor.predicate.map { Predicate(all: [$0, among]) } ?? among
    return try port.count(PendingMerge.request(request, prefetcher)).map { all - $0 }
  }

  /// - Parameter stored: Fetches from the store.
  /// - Returns: The models that match, after limit and offset.
  func merge(_ stored: (FetchDescriptor<T>) throws -> [T]) throws -> [T] {
    let identifiers = try affectedIdentifiers()
    let (inserted, changed) = (inserted, changed)
    let replacedCount = counts.changed + counts.deleted + identifiers.count
    var request = descriptor
    let before = try rowsBeforePage(
      replacing: identifiers, judgedCount: inserted.count + changed.count + identifiers.count)
    let range = descriptor.range.dropping(before.unaffected)
    request.fetchOffset = before.stored
    request.fetchLimit =
      evaluatesEverything
      ? nil : descriptor.range.dropping(before.stored).end(behind: replacedCount)
    if evaluatesEverything { request.predicate = nil }
    let evaluatesStored = evaluatesEverything || replacedCount > 0
    // Evaluation in memory may read any property.
    if evaluatesStored || !inserted.isEmpty { request.propertiesToFetch = [] }
    let found = try materializer.shown(stored(request))
    let sorts = !descriptor.sortBy.isEmpty
    var models: [T] = []
    var judged: [T] = []
    if evaluatesEverything {
      let seen = changed.isEmpty ? [] : Set(found.map(ObjectIdentifier.init))
      let late = changed.filter { !seen.contains(ObjectIdentifier($0)) }
      models = try (found + late).filter {
        try !$0._$storage.flags.contains(.isDeleted) && matches($0)
      }
    } else if evaluatesStored {
      let concerned = try concerned(
        at: identifiers, found: identifiers.isEmpty ? [] : Set(found.map(ObjectIdentifier.init)))
      let waiting = Set(concerned.map(ObjectIdentifier.init))
      var seen = Set<ObjectIdentifier>()
      models.reserveCapacity(found.count)
      for model in found {
        let flags = model._$storage.flags
        if flags.contains(.isDeleted) { continue }
        guard flags.contains(.isChanged) || waiting.contains(ObjectIdentifier(model)) else {
          models.append(model)
          continue
        }
        seen.insert(ObjectIdentifier(model))
        guard try matches(model) else { continue }
        if sorts { judged.append(model) } else { models.append(model) }
      }
      let late = try (changed + concerned).filter {
        try !seen.contains(ObjectIdentifier($0)) && matches($0)
      }
      judged += late
    } else {
      models = found
    }
    let new = try inserted.filter(matches)
    if evaluatesEverything {
      models += new
      ModelOrder(descriptor.sortBy).sort(&models)
    } else {
      ModelOrder(descriptor.sortBy).merge(judged + new, into: &models)
    }
    return range.isAll ? models : Array(range.slice(models))
  }

  /// The first rows of the store's result that are not part of the page whatever is judged in memory:
  /// at most `judgedCount` models come before each of them, and they need not become models.
  /// - Parameter affected: Rows that are judged, besides those of pending models.
  /// - Returns: Their number, and how many of them no change replaces.
  private func rowsBeforePage(
    replacing affected: [PersistentIdentifier], judgedCount: Int
  ) throws -> (stored: Int, unaffected: Int) {
    let count = descriptor.range.offset - judgedCount
    if evaluatesEverything || count <= 0 { return (0, 0) }
    if counts.changed + counts.deleted + affected.count == 0 { return (count, count) }
    guard readsKeysBeforePage else { return (0, 0) }
    let pending = changes.changed(of: T._$descriptor) + changes.deleted(of: T._$descriptor)
    let replaced = Set(pending.compactMap(\.knownIdentifier) + affected)
    var request = descriptor
    request.fetchOffset = nil
    request.fetchLimit = RowRange(limit: count, offset: 0).end(behind: replaced.count)
    guard let found = try port.identifiers(PendingMerge.request(request, prefetcher)),
      found.rest.isEmpty
    else { return (0, 0) }
    var unaffected = 0
    for position in 0..<found.identifiers.count {
      if unaffected == count { return (position, unaffected) }
      if !replaced.contains(found.identifiers[position]) { unaffected += 1 }
    }
    return (found.identifiers.count, unaffected)
  }

  private func matches(_ model: T) throws -> Bool {
    guard let predicate = descriptor.predicate else { return true }
    guard let conditions else { return try predicate.matches(model) }
    return try predicate.matches(conditions, model)
  }
}

extension Predicate {
  /// Evaluates a model as the store would: if a step fails, the condition is false, instead of
  /// failing the whole fetch.
  /// - Throws: `SwiftDataError.unsupportedPredicate` if a part of it throws another error.
  package func matches(_ input: repeat each Input) throws -> Bool {
    try judged { try evaluate(repeat each input) }
  }

  /// Evaluates the conditions that the store left to memory; the others are known to be true.
  func matches(rest: InMemoryRest, _ input: repeat each Input) throws -> Bool {
    guard let conditions = rest.conditions else { return try matches(repeat each input) }
    let bindings = PredicateBindings(repeat (each variable, each input))
    return try judged { try conditions.allSatisfy { try $0.evaluate(bindings) } }
  }

  /// Evaluates conditions that stand for the predicate.
  fileprivate func matches(
    _ conditions: [PredicateCondition], _ input: repeat each Input
  ) throws -> Bool {
    let bindings = PredicateBindings(repeat (each variable, each input))
    return try judged { try conditions.allSatisfy { try $0(bindings) } }
  }

  private func judged(_ condition: () throws -> Bool) throws -> Bool {
    do {
      return try falseOnFailure(condition)
    } catch {
      // Compared by their texts: `==` of Foundation for Linux never returns for this error.
      let text = (error as? PredicateError)?.debugDescription
      let advice =
        text == PredicateError.undefinedVariable.debugDescription
        ? "The predicate uses a variable of another predicate. Join predicates with "
          + "Predicate(all:), Predicate(any:) or evaluate(_:)."
        : "An expression of the predicate threw an error. Compare persisted properties with values captured "
          + "outside of the predicate."
      throw SwiftDataError.unsupportedPredicate.with(
        advice, doing: "evaluating the predicate in memory", underlying: error)
    }
  }
}

package enum PendingMergeLimit {
  /// Up to this number, a count asks the store about unsaved models by identifier.
  @TaskLocal package static var named = 64
  /// From this offset on, rows before a page are found by their keys.
  @TaskLocal package static var skipped = 128
}
