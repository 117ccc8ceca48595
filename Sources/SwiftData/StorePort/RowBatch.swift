import OpenSwiftDataRowStorage

/// The rows of one entity in the order of a fetch, without a reference count per row.
///
/// Used for fetches of many rows: each snapshot would be retained and released separately.
package struct RowBatch {
  /// A row and its primary key. The batch retains the page.
  struct Entry {
    let row: UnsafeRawPointer
    let key: Int64
    let page: Unmanaged<RowPage>
  }

  let descriptor: _ModelDescriptor
  let scope: IdentifierScope
  private(set) var entries = ContiguousArray<Entry>()
  private var pages: [RowPage] = []
  /// The state of the store in which the rows were read, if it is known.
  var state: StoreState?

  init(descriptor: _ModelDescriptor, scope: IdentifierScope) {
    self.descriptor = descriptor
    self.scope = scope
  }

  mutating func reserve(_ count: Int) { entries.reserveCapacity(count) }

  @inline(__always)
  mutating func append(_ row: UnsafeRawPointer, key: Int64, in page: RowPage) {
    let reference = Unmanaged.passUnretained(page)
    if entries.last?.page.toOpaque() != reference.toOpaque() { pages.append(page) }
    entries.append(Entry(row: row, key: key, page: reference))
  }

  func snapshot(at index: Int) -> DefaultSnapshot {
    let entry = entries[index]
    return DefaultSnapshot(
      persistentIdentifier: PersistentIdentifier(scope: scope, key: entry.key),
      descriptor: descriptor, page: entry.page.takeUnretainedValue(), row: entry.row)
  }

  var snapshots: [DefaultSnapshot] { entries.indices.map(snapshot(at:)) }
}
