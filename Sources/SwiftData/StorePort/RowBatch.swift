import OpenSwiftDataRowStorage

/// Rows of one entity in the order of a fetch, without a reference count per row.
///
/// A fetch of many rows hands them over in this form; as snapshots they would be retained and
/// released one by one.
package struct RowBatch {
  /// A row and its primary key. The batch keeps the page alive.
  struct Place {
    let row: UnsafeRawPointer
    let key: Int64
    let page: Unmanaged<RowPage>
  }

  let descriptor: _ModelDescriptor
  let scope: IdentifierScope
  private(set) var places = ContiguousArray<Place>()
  private var pages: [RowPage] = []

  init(descriptor: _ModelDescriptor, scope: IdentifierScope) {
    self.descriptor = descriptor
    self.scope = scope
  }

  mutating func reserve(_ count: Int) { places.reserveCapacity(count) }

  mutating func append(page: RowPage, row: UnsafeRawPointer, key: Int64) {
    if pages.last !== page { pages.append(page) }
    places.append(Place(row: row, key: key, page: Unmanaged.passUnretained(page)))
  }

  func snapshot(at index: Int) -> DefaultSnapshot {
    let place = places[index]
    return DefaultSnapshot(
      persistentIdentifier: PersistentIdentifier(scope: scope, key: place.key),
      descriptor: descriptor, page: place.page.takeUnretainedValue(), row: place.row)
  }

  var snapshots: [DefaultSnapshot] { places.indices.map(snapshot(at:)) }
}
