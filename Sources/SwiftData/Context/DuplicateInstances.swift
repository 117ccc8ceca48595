/// Second and further instances of one row in one context.
///
/// An upsert can turn a new model into one of a row that another instance shows already. The
/// identity registry leads to the first instance; the new one is found here, so that what is saved through
/// one of them is read by the others, and a deletion concerns all of them.
package struct DuplicateInstances {
  private struct Reference {
    weak var storage: _ModelStorage?
  }

  private var references: [PersistentIdentifier: [Reference]] = [:]
  /// With so many rows, those without an instance in memory are dropped.
  private var sweepsAt = 256
  /// How many rows sweeps have looked at.
  package private(set) var visits = 0

  package init() {}

  var isEmpty: Bool { references.isEmpty }

  subscript(identifier: PersistentIdentifier) -> [LiveModel] {
    if references.isEmpty { return [] }
    return references[identifier]?.compactMap { $0.storage.flatMap(LiveModel.init) } ?? []
  }

  package mutating func insert(_ storage: _ModelStorage, for identifier: PersistentIdentifier) {
    if references.count >= sweepsAt { dropDead() }
    references[identifier, default: []].append(Reference(storage: storage))
  }

  mutating func remove(_ storage: _ModelStorage, for identifier: PersistentIdentifier) {
    references[identifier]?.removeAll { $0.storage === storage }
    if references[identifier]?.isEmpty == true { references[identifier] = nil }
  }

  var all: [(identifier: PersistentIdentifier, model: LiveModel)] {
    references.keys.flatMap { identifier in self[identifier].map { (identifier, $0) } }
  }

  /// The next sweep waits until there are twice as many, so that each insertion pays for a few looks
  /// however many of the models stay in memory.
  private mutating func dropDead() {
    visits += references.count
    references = references.compactMapValues { list in
      let living = list.filter { $0.storage != nil }
      return living.isEmpty ? nil : living
    }
    sweepsAt = max(256, 2 * references.count)
  }
}

extension ContextCore {
  /// Other instances of a row that was just saved through `storage` become faults.
  func refreshDuplicates(of storage: _ModelStorage) {
    for other in otherInstances(of: storage) { other.storage.refault() }
  }

  /// The other models of the context that show the row of `storage`.
  func otherInstances(of storage: _ModelStorage) -> [LiveModel] {
    guard identities.hasDuplicates, let identifier = storage.knownIdentifier else { return [] }
    return identities.instances(of: identifier, in: self).filter { $0.storage !== storage }
  }
}
