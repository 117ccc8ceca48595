/// Which changes can alter the answer of a query; made once from the request, and asked for each change.
///
/// | what has changed                                          | matters when                                  |
/// |-----------------------------------------------------------|-----------------------------------------------|
/// | a model of the fetched class is new or gone               | always                                        |
/// | a property of a model of the fetched class                | predicate, order or sections read it          |
/// | a model at the end of a relationship that is read         | it is new or gone, its side of the            |
/// |                                                           | relationship changes, or what is read there   |
/// | anything else                                             | never                                         |
/// | anything, where it cannot be told what the request reads  | always                                        |
///
/// What it lets through may still leave the answer as it was.
struct QueryInterest {
  /// What changes can do to an answer.
  struct Concern {
    /// The models of the fetched class that have changed.
    var models = NamedModels()
    /// Whether others have saved some of them.
    var haveFreshRows = false
    /// Whether only they can come, go, or change places.
    var isAboutModels = false
  }

  private let fetched: _ModelDescriptor
  private struct Part {
    let descriptor: _ModelDescriptor
    var slots: SlotSet
    /// Whether models that are new or gone matter.
    var wantsComingAndGoing: Bool
  }

  private var parts: [Part] = []
  /// Whether every change matters.
  private(set) var isUnlimited = false
  /// Whether a model is in the answer, and where, is told by its own attributes.
  private(set) var readsOwnAttributesOnly = false

  /// - Parameters:
  ///   - fetched: The class of the fetched models.
  ///   - reads: What the request reads; `nil` where that cannot be told.
  ///   - sections: The property that sections are made of.
  ///   - wantsAll: Whether each change of a fetched model matters.
  ///   - inverse: The other side of a relationship, and the class there.
  init(
    _ fetched: _ModelDescriptor, reads: RequestReads?, sections: Int? = nil,
    wantsAll: Bool = false,
    inverse: (_ModelDescriptor, Int) -> (destination: _ModelDescriptor, slot: Int?)?
  ) {
    self.fetched = fetched
    guard let reads, !reads.mayReadMore else {
      isUnlimited = true
      return
    }
    var own = reads.ownSlots
    if let sections { own.insert(sections) }
    add(fetched, own, wantsComingAndGoing: true)
    for path in reads.paths { add(path.destination, path.reads, wantsComingAndGoing: false) }
    readsOwnAttributesOnly =
      reads.paths.isEmpty && !fetched.relationshipSlots.contains(where: own.contains)
    // Relationships change at their other side too.
    for part in parts {
      for slot in part.descriptor.relationshipSlots where part.slots.contains(slot) {
        guard let (destination, inverse) = inverse(part.descriptor, slot) else { continue }
        var slots = SlotSet()
        if let inverse { slots.insert(inverse) }
        add(destination, slots, wantsComingAndGoing: true)
      }
    }
    if wantsAll { add(fetched, .all, wantsComingAndGoing: true) }
  }

  private mutating func add(
    _ descriptor: _ModelDescriptor, _ slots: SlotSet, wantsComingAndGoing: Bool
  ) {
    if let known = parts.firstIndex(where: { $0.descriptor === descriptor }) {
      parts[known].slots.formUnion(slots)
      parts[known].wantsComingAndGoing = parts[known].wantsComingAndGoing || wantsComingAndGoing
    } else {
      parts.append(
        Part(descriptor: descriptor, slots: slots, wantsComingAndGoing: wantsComingAndGoing))
    }
  }

  /// - Returns: `nil` where the answer stays as it is.
  func concern(in touched: TouchedModels) -> Concern? {
    var concern = Concern()
    if touched.isEverything {
      concern.models.insertUnnamed()
      return concern
    }
    let kinds = touched.kinds.values.filter { isUnlimited || concerns($0) }
    if kinds.isEmpty { return nil }
    for kind in kinds where kind.descriptor.isKind(of: fetched) {
      concern.models.formUnion(kind.models)
      concern.haveFreshRows = concern.haveFreshRows || kind.haveFreshRows
    }
    concern.isAboutModels = readsOwnAttributesOnly && !concern.models.areIncomplete
    return concern
  }

  private func concerns(_ kind: TouchedModels.Kind) -> Bool {
    parts.contains { part in
      guard kind.descriptor.isKind(of: part.descriptor) else { return false }
      return kind.haveComeOrGone && part.wantsComingAndGoing
        || !kind.slots.intersection(part.slots).isEmpty
    }
  }
}
