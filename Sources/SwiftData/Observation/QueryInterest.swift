/// Which changes can affect the results of a query. Created once from the request, and used for
/// each change.
///
/// | what has changed                                   | matters if                              |
/// |----------------------------------------------------|-----------------------------------------|
/// | a model of the fetched class is new or deleted     | always                                  |
/// | a property of a model of the fetched class         | predicate, order or sections read it    |
/// | such a property is saved by the context itself     | the request leaves pending changes out  |
/// | a model at the end of a relationship that is read  | it is new or deleted, its side of the   |
/// |                                                    | relationship, or what is read, changes  |
/// | anything else                                      | never                                   |
/// | anything, if it is unknown what the request reads  | always                                  |
///
/// A change that matters may still leave the results as they were.
struct QueryInterest {
  /// How changes can affect the results.
  struct Concern {
    /// The models of the fetched class that have changed.
    var models = ChangedModelSet()
    /// Whether other contexts, containers or processes have saved some of them.
    var haveNewRows = false
    /// Whether only they can be inserted, removed or moved.
    var isAboutModels = false
  }

  private let fetched: _ModelDescriptor
  private struct Part {
    let descriptor: _ModelDescriptor
    var slots: SlotSet
    /// Whether new and deleted models matter.
    var wantsInsertionsAndDeletions: Bool
  }

  private var parts: [Part] = []
  /// Whether every change matters.
  private(set) var isUnlimited = false
  /// Whether a model's own attributes determine whether it matches, and its position.
  private(set) var readsOwnAttributesOnly = false
  private let includesPendingChanges: Bool

  /// - Parameters:
  ///   - fetched: The class of the fetched models.
  ///   - reads: What the request reads; `nil` if that is unknown.
  ///   - sections: The property of the section titles.
  ///   - includesPendingChanges: Whether an edit matters when it is made, and not again when it is saved.
  ///   - wantsAllChanges: Whether each change of a fetched model matters.
  ///   - inverse: The other side of a relationship, and the class there.
  init(
    _ fetched: _ModelDescriptor, reads: RequestReads?, sections: Int? = nil,
    includesPendingChanges: Bool = true, wantsAllChanges: Bool = false,
    inverse: (_ModelDescriptor, Int) -> (destination: _ModelDescriptor, slot: Int?)?
  ) {
    self.fetched = fetched
    self.includesPendingChanges = includesPendingChanges
    guard let reads, !reads.mayReadMore else {
      isUnlimited = true
      return
    }
    var own = reads.ownSlots
    if let sections { own.insert(sections) }
    add(fetched, own, wantsInsertionsAndDeletions: true)
    for path in reads.paths {
      add(path.destination, path.reads, wantsInsertionsAndDeletions: false)
    }
    var relationships = reads.relationships
    if let sections, fetched.relationshipSlots.contains(sections) {
      relationships.insert(RelationshipPath.Step(owner: fetched, slot: sections))
    }
    readsOwnAttributesOnly = relationships.isEmpty
    // Relationships are changed from their other side too.
    for relationship in relationships {
      guard let (destination, inverse) = inverse(relationship.owner, relationship.slot) else {
        continue
      }
      var slots = SlotSet()
      if let inverse { slots.insert(inverse) }
      add(destination, slots, wantsInsertionsAndDeletions: true)
    }
    if wantsAllChanges { add(fetched, .all, wantsInsertionsAndDeletions: true) }
  }

  private mutating func add(
    _ descriptor: _ModelDescriptor, _ slots: SlotSet, wantsInsertionsAndDeletions: Bool
  ) {
    if let known = parts.firstIndex(where: { $0.descriptor === descriptor }) {
      parts[known].slots.formUnion(slots)
      parts[known].wantsInsertionsAndDeletions =
        parts[known].wantsInsertionsAndDeletions || wantsInsertionsAndDeletions
    } else {
      parts.append(
        Part(
          descriptor: descriptor, slots: slots,
          wantsInsertionsAndDeletions: wantsInsertionsAndDeletions))
    }
  }

  /// - Returns: `nil` if the results stay as they are.
  func concern(in touched: ChangedModels) -> Concern? {
    var concern = Concern()
    if touched.isEverything {
      concern.models.markIncomplete()
      return concern
    }
    let kinds = touched.kinds.values.filter { isUnlimited || concerns($0) }
    if kinds.isEmpty { return nil }
    for kind in kinds where kind.descriptor.isKind(of: fetched) {
      concern.models.formUnion(kind.models)
      concern.haveNewRows = concern.haveNewRows || kind.haveNewRows
    }
    concern.isAboutModels = readsOwnAttributesOnly && !concern.models.areIncomplete
    return concern
  }

  private func concerns(_ kind: ChangedModels.Kind) -> Bool {
    var slots = kind.slots
    if !includesPendingChanges { slots.formUnion(kind.savedSlots) }
    return parts.contains { part in
      guard kind.descriptor.isKind(of: part.descriptor) else { return false }
      return kind.haveInsertionsOrDeletions && part.wantsInsertionsAndDeletions
        || !slots.intersection(part.slots).isEmpty
    }
  }
}
