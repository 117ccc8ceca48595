import Foundation

/// Updates the results of a request after changes of a few models, without reading the others.
///
/// It needs a request for which a model's own attributes determine whether it matches and at which
/// position, and results in which all other models are as a fetch would return them.
/// 1. Changed models are removed from the results.
/// 2. Those in memory are evaluated there, as a fetch evaluates pending models. The store is asked
///    for the others, in one statement.
/// 3. Those that match are inserted in the order of a fetch.
///
/// Limited results do not contain the models after their end. If one of these might move up, the
/// patch is not sufficient.
struct ResultsPatch<Element: PersistentModel> {
  let descriptor: FetchDescriptor<Element>
  let context: ContextIdentity
  let identities: IdentityRegistry
  /// Fetches in the context.
  let fetch: (FetchDescriptor<Element>) throws -> [Element]

  /// The new results, and how they differ from the old ones.
  struct Result {
    var elements: [Element]
    /// The positions of removed models, in the old results.
    var taken: [Int]
    /// The positions of inserted models, in the new results. The other models keep their order.
    var put: [Int]
  }

  /// Whether a request can be patched, judged by its descriptor alone.
  static func isPossible(_ descriptor: FetchDescriptor<Element>) -> Bool {
    descriptor.includePendingChanges && descriptor.range.offset == 0
      && descriptor.relationshipKeyPathsForPrefetching.isEmpty
  }

  /// - Returns: `nil` if the patch is not sufficient.
  func applied(to elements: [Element], _ changed: ChangedModelSet) throws -> Result? {
    // The identity map alone does not tell which one of several instances of a row is in the
    // results.
    if changed.areIncomplete || identities.hasDuplicates { return nil }
    let judgement = try judgement(of: changed)
    var new = Result(elements: [], taken: indices(of: judgement.judged, in: elements), put: [])
    new.elements.reserveCapacity(elements.count + judgement.matching.count)
    var start = 0
    for index in new.taken {
      new.elements += elements[start..<index]
      start = index + 1
    }
    new.elements += elements[start...]
    checkInvariants(new.elements)
    new.put = ModelOrder(descriptor.sortBy).merge(judgement.matching, into: &new.elements)
    guard let limit = descriptor.range.limit else { return new }
    if elements.count >= limit, knownCount(in: new) < limit { return nil }
    shorten(&new, to: limit, from: elements.count)
    return new
  }

  /// Compares references only: in a long list, reading each model would access distant memory.
  private func indices(of models: Set<ObjectIdentifier>, in elements: [Element]) -> [Int] {
    let wanted = Set(models.map { UInt(bitPattern: $0) })
    let few = Array(wanted.prefix(8))
    return ObjectWords.read(of: elements) { words in
      elements.indices.filter { index in
        let reference = words.load(
          fromByteOffset: index * MemoryLayout<UInt>.stride, as: UInt.self)
        return wanted.count <= few.count ? few.contains(reference) : wanted.contains(reference)
      }
    }
  }

  private func checkInvariants(_ kept: [Element]) {
    #if OPENSWIFTDATA_INVARIANTS
      precondition(
        kept.allSatisfy { context.has($0._$storage) || $0._$storage.flags.contains(.hasNoRow) },
        "A deleted model is still in the results.")
    #endif
  }

  /// How many models are known to be the first of all that match: up to the last one not inserted.
  private func knownCount(in answer: Result) -> Int {
    var count = answer.elements.count
    var put = answer.put[...]
    while put.last == count - 1, count > 0 {
      put.removeLast()
      count -= 1
    }
    return count
  }

  private func shorten(_ answer: inout Result, to limit: Int, from oldCount: Int) {
    var taken = Set(answer.taken)
    var last = oldCount - 1
    while answer.elements.count > limit {
      answer.elements.removeLast()
      if answer.put.last == answer.elements.count {
        answer.put.removeLast()
      } else {
        while taken.contains(last) { last -= 1 }
        taken.insert(last)
        answer.taken.append(last)
      }
    }
  }

  private struct MatchEvaluation {
    var judged: Set<ObjectIdentifier> = []
    var matching: [Element] = []
    /// Models that the store has to evaluate.
    var unread: [PersistentIdentifier] = []
  }

  private func judgement(of changed: ChangedModelSet) throws -> MatchEvaluation {
    var judgement = MatchEvaluation()
    for storage in changed.storages.values {
      if let model = storage.persistentModel {
        try judge(model, in: &judgement)
      } else if let identifier = storage.knownIdentifier {
        try judge(identifier, in: &judgement)
      }
    }
    for identifier in changed.identifiers { try judge(identifier, in: &judgement) }
    if judgement.unread.isEmpty { return judgement }
    for model in try stored(among: judgement.unread) where context.has(model._$storage) {
      judgement.judged.insert(ObjectIdentifier(model))
      judgement.matching.append(model)
    }
    return judgement
  }

  private func judge(_ identifier: PersistentIdentifier, in judgement: inout MatchEvaluation) throws
  {
    if let model = identities.model(for: identifier)?.storage.persistentModel {
      try judge(model, in: &judgement)
    } else if !identifier.isTemporary {
      judgement.unread.append(identifier)
    }
  }

  private func judge(_ model: any PersistentModel, in judgement: inout MatchEvaluation) throws {
    let storage = model._$storage
    guard let model = model as? Element,
      judgement.judged.insert(ObjectIdentifier(model)).inserted, context.has(storage)
    else { return }
    if storage.flags.contains(.isFault) {
      judgement.unread.append(storage.identifier)
    } else if try descriptor.predicate?.matches(model) ?? true {
      judgement.matching.append(model)
    }
  }

  /// Those of some models that match in the store; none of them is pending.
  private func stored(among identifiers: [PersistentIdentifier]) throws -> [Element] {
    let among = Element.isOne(of: Set(identifiers))
    var request = FetchDescriptor(
      predicate: descriptor.predicate.map { Predicate(all: [$0, among]) } ?? among)
    request.includePendingChanges = false
    return try fetch(request)
  }
}
