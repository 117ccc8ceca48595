/// Second and further instances of one row in one context.
///
/// An upsert can turn a new model into one of a row that another instance shows already. The
/// identity registry leads to the first instance; the new one is found here, so that what is saved through
/// one of them is read by the others.
struct DuplicateInstances {
  private struct Reference {
    weak var storage: _ModelStorage?
  }

  private var references: [PersistentIdentifier: [Reference]] = [:]

  var isEmpty: Bool { references.isEmpty }

  subscript(identifier: PersistentIdentifier) -> [_ModelStorage] {
    if references.isEmpty { return [] }
    return references[identifier]?.compactMap(\.storage) ?? []
  }

  mutating func insert(_ storage: _ModelStorage, for identifier: PersistentIdentifier) {
    if references.count > 256 { dropDead() }
    references[identifier, default: []].append(Reference(storage: storage))
  }

  mutating func remove(_ storage: _ModelStorage, for identifier: PersistentIdentifier) {
    references[identifier]?.removeAll { $0.storage === storage }
    if references[identifier]?.isEmpty == true { references[identifier] = nil }
  }

  var all: [(identifier: PersistentIdentifier, storage: _ModelStorage)] {
    references.flatMap { entry in
      entry.value.compactMap { reference in reference.storage.map { (entry.key, $0) } }
    }
  }

  private mutating func dropDead() {
    references = references.compactMapValues { list in
      let living = list.filter { $0.storage != nil }
      return living.isEmpty ? nil : living
    }
  }
}

extension ContextCore {
  /// Other instances of a row that was just saved through `storage` become faults.
  func refreshDuplicates(of storage: _ModelStorage) {
    guard identities.hasDuplicates, let identifier = storage.knownIdentifier else { return }
    for other in identities.instances(of: identifier, in: self)
    where other !== storage && other.model != nil { other.refault() }
  }
}
