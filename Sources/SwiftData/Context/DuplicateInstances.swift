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
    let instances =
      identities.duplicates(of: identifier) + [registered(identifier)].compactMap(\.self)
    for other in instances where other !== storage && other.model != nil { other.refault() }
  }
}
