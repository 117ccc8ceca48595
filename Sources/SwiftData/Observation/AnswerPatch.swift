import Foundation

/// Brings the answer of a request up to date with changes of a few models, without asking for the others.
///
/// It needs a request in which a model's own attributes tell whether it is in the answer and where, and an answer
/// that all other models are in as a fetch would have them.
/// 1. Changed models leave the answer.
/// 2. Those that are in memory are judged there, as a fetch judges pending models. The store is asked for
///    the others, in one statement.
/// 3. Those that match are put in by the order of a fetch.
///
/// An answer of limited length knows nothing of what lies behind its end. Where that might move up, the patch is not
/// enough.
struct AnswerPatch<Element: PersistentModel> {
  let core: ContextCore
  let descriptor: FetchDescriptor<Element>

  /// The new answer, and how it came from the old one.
  struct Result {
    var elements: [Element]
    /// The places that models left, in the old answer.
    var taken: [Int]
    /// The places that models were put in, in the new answer. The others stand in the order in which they stood.
    var put: [Int]
  }

  /// Whether a request can be patched, as far as it tells by itself.
  static func isPossible(_ descriptor: FetchDescriptor<Element>) -> Bool {
    descriptor.includePendingChanges && descriptor.range.offset == 0
      && descriptor.relationshipKeyPathsForPrefetching.isEmpty
  }

  /// - Returns: `nil` where the patch is not enough.
  func applied(to elements: [Element], _ changed: NamedModels) throws -> Result? {
    // Which of several models stands for a row, the identity map alone does not tell.
    if changed.areIncomplete || core.identities.hasDuplicates { return nil }
    let judgement = try judgement(of: changed)
    var new = Result(elements: [], taken: places(of: judgement.judged, in: elements), put: [])
    new.elements.reserveCapacity(elements.count + judgement.matching.count)
    var start = 0
    for place in new.taken {
      new.elements += elements[start..<place]
      start = place + 1
    }
    new.elements += elements[start...]
    checkInvariants(new.elements)
    new.put = ModelOrder(descriptor.sortBy).merge(judgement.matching, into: &new.elements)
    guard let limit = descriptor.range.limit else { return new }
    if elements.count >= limit, knownCount(in: new) < limit { return nil }
    shorten(&new, to: limit, from: elements.count)
    return new
  }

  /// Looks at the references only: in a long list each model would be a look at memory far away.
  private func places(of models: Set<ObjectIdentifier>, in elements: [Element]) -> [Int] {
    let wanted = Set(models.map { UInt(bitPattern: $0) })
    let few = Array(wanted.prefix(8))
    return elements.withUnsafeBytes { bytes in
      elements.indices.filter { place in
        let reference = bytes.load(
          fromByteOffset: place * MemoryLayout<UInt>.stride, as: UInt.self)
        return wanted.count <= few.count ? few.contains(reference) : wanted.contains(reference)
      }
    }
  }

  private func checkInvariants(_ kept: [Element]) {
    #if OPENSWIFTDATA_INVARIANTS
      precondition(
        kept.allSatisfy { core.has($0._$storage) || $0._$storage.flags.contains(.isGone) },
        "A deleted model stayed in an answer.")
    #endif
  }

  /// How many models are known to come first of all that match: no further than the last one that stayed.
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

  private struct Judgement {
    var judged: Set<ObjectIdentifier> = []
    var matching: [Element] = []
    /// The store has to judge these.
    var unread: [PersistentIdentifier] = []
  }

  private func judgement(of changed: NamedModels) throws -> Judgement {
    var judgement = Judgement()
    for storage in changed.storages.values {
      if let model = storage.persistentModel {
        try judge(model, in: &judgement)
      } else if let identifier = storage.knownIdentifier {
        try judge(identifier, in: &judgement)
      }
    }
    for identifier in changed.identifiers { try judge(identifier, in: &judgement) }
    if judgement.unread.isEmpty { return judgement }
    for model in try stored(among: judgement.unread) where core.has(model._$storage) {
      judgement.judged.insert(ObjectIdentifier(model))
      judgement.matching.append(model)
    }
    return judgement
  }

  private func judge(_ identifier: PersistentIdentifier, in judgement: inout Judgement) throws {
    if let model = core.registered(identifier)?.storage.persistentModel {
      try judge(model, in: &judgement)
    } else if !identifier.isTemporary {
      judgement.unread.append(identifier)
    }
  }

  private func judge(_ model: any PersistentModel, in judgement: inout Judgement) throws {
    let storage = model._$storage
    guard let model = model as? Element,
      judgement.judged.insert(ObjectIdentifier(model)).inserted, core.has(storage)
    else { return }
    if storage.flags.contains(.isFault) {
      judgement.unread.append(storage.identifier)
    } else if try descriptor.predicate?.matches(model) ?? true {
      judgement.matching.append(model)
    }
  }

  /// Which of some models match that are not pending.
  private func stored(among identifiers: [PersistentIdentifier]) throws -> [Element] {
    let among = Element.isOne(of: Set(identifiers))
    var request = FetchDescriptor(
      predicate: descriptor.predicate.map { Predicate(all: [$0, among]) } ?? among)
    request.includePendingChanges = false
    return try FetchOperation(core: core, descriptor: request).models()
  }
}
