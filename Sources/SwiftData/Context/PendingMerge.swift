import Foundation

/// Judges unsaved inserts, edits and deletions in memory and merges them into what the store found.
/// Called by `FetchOperation` while changes are pending.
///
/// 1. Pending models of the fetched entity are judged: new ones, and edited ones whatever the store
///    says of them. Of many only those that have the values that the predicate demands.
/// 2. Where predicate or order follow relationships, an edit of another model may concern rows that
///    are not pending themselves. Only a property that is read there matters, and only rows from
///    which stored relationships lead to the edited model: a row that reaches it in another way
///    reaches another edited model first. The store finds these rows, and they are judged too.
/// 3. The store answers for all others, and reads no more of them than the fetch asks for.
///
/// A store that cannot tell what a predicate reads leaves all rows to be judged.
struct PendingMerge<T: PersistentModel> {
  private let core: ContextCore
  private let descriptor: FetchDescriptor<T>
  private let port: any StorePort
  /// How many models of the fetched entity are pending.
  private let counts: (inserted: Int, changed: Int, deleted: Int)
  /// Properties that have one value in all models of the answer.
  private let values: [RequiredValue]
  /// Models with edits that the request reads.
  private let targets: [FollowedTargets]
  private let judgesEverything: Bool

  /// - Returns: nil when no pending change can touch the result.
  init?(core: ContextCore, descriptor: FetchDescriptor<T>, port: any StorePort) {
    let fetched = T._$descriptor
    self.core = core
    self.descriptor = descriptor
    self.port = port
    counts = core.changes.counts(of: fetched)
    let followsRelationships =
      !fetched.relationshipSlots.isEmpty
      && (descriptor.predicate != nil || !descriptor.sortBy.isEmpty)
    let hasMany = descriptor.predicate != nil && counts.inserted + counts.changed > 16
    let reads =
      followsRelationships || hasMany
      ? port.reads(of: PendingMerge.request(descriptor, core)) : nil
    values = reads?.equalities ?? []
    judgesEverything = followsRelationships && reads == nil
    targets = (reads?.paths ?? []).compactMap { path in
      let edited = core.changes.edited(related: path.destination, slots: path.reads)
      let identifiers = edited.compactMap(\.knownIdentifier)
      return identifiers.isEmpty ? nil : FollowedTargets(path: path, identifiers: identifiers)
    }
    if counts == (0, 0, 0), targets.isEmpty, !judgesEverything { return nil }
  }

  /// New models to judge.
  private var inserted: [T] {
    if counts.inserted == 0 { return [] }
    return core.changes.inserted(of: T._$descriptor, having: values).compactMap { $0.model as? T }
  }

  /// Edited models to judge. One that another context deleted stays among the changes until they are
  /// saved or discarded.
  private var changed: [T] {
    if counts.changed == 0 { return [] }
    return core.changes.changed(of: T._$descriptor, having: values)
      .filter { !$0.flags.contains(.isGone) }.compactMap { $0.model as? T }
  }

  /// Whether rows are read for judging, besides those that the store answers with.
  var readsOtherRows: Bool { judgesEverything || !targets.isEmpty }

  private static func request(
    _ descriptor: FetchDescriptor<T>, _ core: ContextCore
  ) -> DataStoreFetchRequest<T> {
    DataStoreFetchRequest(descriptor: descriptor, editingState: core.editingState)
  }

  /// The places of rows that may differ from what the store says of them.
  private func concernedPlaces() throws -> [PersistentIdentifier] {
    if targets.isEmpty { return [] }
    return try port.places(of: PendingMerge.request(descriptor, core), leadingTo: targets)
      .identifiers
  }

  /// The models of concerned rows that are not pending; those that are not at hand are read.
  private func concerned(
    at places: [PersistentIdentifier], found: Set<ObjectIdentifier>
  ) throws -> [T] {
    if places.isEmpty { return [] }
    var models: [T] = []
    var missing: [PersistentIdentifier] = []
    for identifier in places {
      let known = core.registered(identifier)
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
        core.editingState)
      models += core.materialize(rows, as: T.self)
    }
    core.prefetch(targets.map(\.path), of: models)
    return models
  }

  /// How many models match, by counting in the store.
  /// - Returns: nil where only memory can count.
  func count() throws -> Int? {
    if judgesEverything || !port.tellsReads { return nil }
    let concerned = try concerned(at: concernedPlaces(), found: [])
    guard let known = try countOfUntouched(concerned) else { return nil }
    guard descriptor.predicate != nil else { return known + counts.inserted }
    return try [changed, concerned, inserted].reduce(known) { count, models in
      try count + models.count(where: matches)
    }
  }

  /// How many rows match of those that need not be judged. Without a predicate an edit makes no
  /// difference.
  private func countOfUntouched(_ concerned: [T]) throws -> Int? {
    var request = descriptor
    (request.fetchLimit, request.fetchOffset, request.sortBy) = (nil, nil, [])
    let isAsked = descriptor.predicate != nil
    if (isAsked ? counts.changed : 0) + counts.deleted + concerned.count > PendingMergeLimit.named {
      guard let found = try port.places(PendingMerge.request(request, core)), found.rest.isEmpty
      else { return nil }
      let judged = Set(concerned.map(\.persistentModelID))
      return found.places.identifiers.count { identifier in
        !judged.contains(identifier)
          && core.registered(identifier)?.storage.flags
            .isDisjoint(with: isAsked ? .isPending : .isDeleted) ?? true
      }
    }
    guard let all = try port.count(PendingMerge.request(request, core)) else { return nil }
    let pending =
      (isAsked ? core.changes.changed(of: T._$descriptor) : [])
      + core.changes.deleted(of: T._$descriptor)
    let touched = Set(pending.compactMap(\.knownIdentifier) + concerned.map(\.persistentModelID))
    if touched.isEmpty { return all }
    let among = T.isOne(of: touched)
    request.predicate = descriptor.predicate.map { Predicate(all: [$0, among]) } ?? among
    return try port.count(PendingMerge.request(request, core)).map { all - $0 }
  }

  /// - Parameter stored: Fetches from the store.
  /// - Returns: The models that match, limit and offset applied.
  func merge(_ stored: (FetchDescriptor<T>) throws -> [T]) throws -> [T] {
    let places = try concernedPlaces()
    let (inserted, changed) = (inserted, changed)
    let replacedCount = counts.changed + counts.deleted + places.count
    var request = descriptor
    let range = descriptor.range
    request.fetchOffset = nil
    request.fetchLimit = judgesEverything ? nil : range.end(behind: replacedCount)
    if judgesEverything { request.predicate = nil }
    let judgesStored = judgesEverything || replacedCount > 0
    // What is judged in memory may read any property.
    if judgesStored || !inserted.isEmpty { request.propertiesToFetch = [] }
    let found = try stored(request)
    let sorts = !descriptor.sortBy.isEmpty
    var models: [T] = []
    var judged: [T] = []
    if judgesEverything {
      models = try found.filter { try !$0._$storage.flags.contains(.isDeleted) && matches($0) }
    } else if judgesStored {
      let concerned = try concerned(
        at: places, found: places.isEmpty ? [] : Set(found.map(ObjectIdentifier.init)))
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
    if judgesEverything {
      models += new
      ModelOrder(descriptor.sortBy).sort(&models)
    } else {
      ModelOrder(descriptor.sortBy).merge(judged + new, into: &models)
    }
    return range.isAll ? models : Array(range.slice(models))
  }

  private func matches(_ model: T) throws -> Bool {
    try descriptor.predicate?.matches(model) ?? true
  }
}

extension Predicate {
  /// Judges a model as the store would: where a step fails the condition is false, instead of
  /// failing the whole fetch.
  /// - Throws: `SwiftDataError.unsupportedPredicate` where a part of it throws something else.
  package func matches(_ input: repeat each Input) throws -> Bool {
    try judged { try evaluate(repeat each input) }
  }

  /// Judges what the store left to memory; the rest is known to be true.
  func matches(rest: InMemoryRest, _ input: repeat each Input) throws -> Bool {
    guard let conditions = rest.conditions else { return try matches(repeat each input) }
    let bindings = PredicateBindings(repeat (each variable, each input))
    return try judged { try conditions.allSatisfy { try $0.evaluate(bindings) } }
  }

  private func judged(_ condition: () throws -> Bool) throws -> Bool {
    do {
      return try falseOnFailure(condition)
    } catch {
      throw SwiftDataError.unsupportedPredicate.with(
        "A part of the predicate threw an error. Compare persisted properties with values captured "
          + "outside of the predicate.", doing: "evaluating the predicate in memory",
        underlying: error)
    }
  }
}

package enum PendingMergeLimit {
  /// A count asks the store about unsaved models by name as long as they are so few.
  @TaskLocal package static var named = 64
}
