/// Additional instances of one row in one context.
///
/// An upsert can turn a new model into an instance of a row that another instance already shows.
/// The identity registry finds the first instance; additional ones are found here, so that values
/// saved through one instance are read by the others, and a deletion affects all of them.
package struct DuplicateInstances {
  private struct Reference {
    weak var storage: _ModelStorage?
  }

  private var references: [PersistentIdentifier: [Reference]] = [:]
  /// At this number of rows, rows without an instance in memory are removed.
  private var sweepThreshold = 256
  /// The number of rows, and of instances of one row, that sweeps have visited.
  package private(set) var visits = 0

  package init() {}

  var isEmpty: Bool { references.isEmpty }

  subscript(identifier: PersistentIdentifier) -> [RetainedModel] {
    if references.isEmpty { return [] }
    return references[identifier]?.compactMap { $0.storage.flatMap(RetainedModel.init) } ?? []
  }

  package mutating func insert(_ storage: _ModelStorage, for identifier: PersistentIdentifier) {
    if references.count >= sweepThreshold { removeReleased() }
    references[identifier, default: []].append(Reference(storage: storage))
    // Released instances are removed from the list of a row each time that it has doubled.
    guard let count = references[identifier]?.count, count >= 16, count.nonzeroBitCount == 1 else {
      return
    }
    visits += count
    references[identifier]?.removeAll { $0.storage == nil }
  }

  mutating func remove(_ storage: _ModelStorage, for identifier: PersistentIdentifier) {
    references[identifier]?.removeAll { $0.storage === storage }
    if references[identifier]?.isEmpty == true { references[identifier] = nil }
  }

  var all: [(identifier: PersistentIdentifier, model: RetainedModel)] {
    references.keys.flatMap { identifier in self[identifier].map { (identifier, $0) } }
  }

  /// The next sweep waits until the number of rows has doubled, so that the cost per insertion
  /// stays constant, however many of the models stay in memory.
  private mutating func removeReleased() {
    visits += references.count
    references = references.compactMapValues { list in
      let living = list.filter { $0.storage != nil }
      return living.isEmpty ? nil : living
    }
    sweepThreshold = max(256, 2 * references.count)
  }
}
