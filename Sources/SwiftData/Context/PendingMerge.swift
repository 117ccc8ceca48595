import Foundation

/// Judges unsaved inserts, edits and deletions in memory and merges them into what the store found.
/// Called by `FetchOperation` while changes are pending.
///
/// A predicate that follows relationships can be changed by an edit of any model, so then all rows
/// are judged in memory; otherwise only the pending models of the fetched entity are.
struct PendingMerge<T: PersistentModel> {
  private let core: ContextCore
  private let descriptor: FetchDescriptor<T>
  private let inserted: [T]
  private let changed: [T]
  private let judgesEverything: Bool
  /// Whether the sort keys may follow relationships to models that were changed.
  private let sortsAnew: Bool

  /// - Returns: nil when no pending change can touch the result.
  init?(core: ContextCore, descriptor: FetchDescriptor<T>) {
    let fetched = T._$descriptor
    var inserted: [T] = []
    var changed: [T] = []
    var touches = false
    var relatedChanges = false
    for storage in core.changes.inserted {
      if let model = storage.model as? T { inserted.append(model) } else { relatedChanges = true }
    }
    // A model that another context deleted stays among the changes until they are saved or discarded.
    for storage in core.changes.changed where !storage.flags.contains(.isGone) {
      if let model = storage.model as? T { changed.append(model) } else { relatedChanges = true }
    }
    for storage in core.changes.deleted {
      if storage.descriptor.isKind(of: fetched) { touches = true } else { relatedChanges = true }
    }
    let followsRelationships =
      !fetched.relationshipSlots.isEmpty
      && (descriptor.predicate != nil || !descriptor.sortBy.isEmpty)
    judgesEverything =
      followsRelationships && descriptor.predicate != nil
      && (relatedChanges || !changed.isEmpty || !inserted.isEmpty || touches)
    if inserted.isEmpty && changed.isEmpty && !touches && !(followsRelationships && relatedChanges)
    {
      return nil
    }
    sortsAnew = followsRelationships && relatedChanges
    self.core = core
    self.descriptor = descriptor
    self.inserted = inserted
    self.changed = changed
  }

  /// - Parameter stored: Fetches from the store, without limit and offset.
  func merge(_ stored: (FetchDescriptor<T>) throws -> [T]) throws -> [T] {
    var request = descriptor
    if judgesEverything { request.predicate = nil }
    let needsSort = !inserted.isEmpty || !changed.isEmpty || judgesEverything || sortsAnew
    // What is judged in memory may read any property.
    if needsSort { request.propertiesToFetch = [] }
    var models = try stored(request).filter { !$0._$storage.flags.contains(.isDeleted) }
    if judgesEverything {
      models = try models.filter(matches)
    } else if !changed.isEmpty {
      let pending = Set(changed.map(ObjectIdentifier.init))
      var seen = Set<ObjectIdentifier>()
      models = try models.filter { model in
        guard pending.contains(ObjectIdentifier(model)) else { return true }
        seen.insert(ObjectIdentifier(model))
        return try matches(model)
      }
      models += try changed.filter { try !seen.contains(ObjectIdentifier($0)) && matches($0) }
    }
    models += try inserted.filter(matches)
    if needsSort { ModelOrder(descriptor.sortBy, inserted: inserted).sort(&models) }
    return models
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
