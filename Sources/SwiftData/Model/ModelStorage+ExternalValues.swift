import Foundation
import OpenSwiftDataRowStorage

/// Values that the row names and does not have. Called by the getters that `@Model` writes; what was read
/// is not kept, so a model holds no more memory afterwards.
extension _ModelStorage {
  /// Whether the row that is shown names a value that is kept elsewhere.
  func isElsewhere(_ slot: Int) -> Bool { knownRow(for: slot)?.isElsewhere(slot) ?? false }

  /// The bytes of a value, which are read from where they are kept; nil where they are gone, and for a
  /// null that took their place.
  func externalContent(_ slot: Int) -> Data? {
    if let content = knownRow(for: slot)?.outsideContent(slot, page) { return content }
    // Somebody else may have replaced the value since the row was read.
    guard let source, !isGoing else { return nil }
    source._reread(self)
    guard let row = knownRow(for: slot) else { return nil }
    return row.isNull(slot) ? row.outsideContent(slot, page) : Data(row.bytes(slot))
  }

  /// A scalar that the row has elsewhere.
  @usableFromInline
  func externalScalar<V: _ScalarAttribute>(_ slot: Int) -> V? {
    if let content = externalContent(slot),
      let type = V.self as? any ScalarCoding.Type,
      let value = type.init(storedValue: descriptor.layout.stored(content, slot)) as? V
    {
      return value
    }
    noteUnreadable(slot)
    return nil
  }

  func knownRow(for slot: Int) -> RowReader? {
    if let reader { return reader }
    guard let partialRow, partialRowHas(slot) else { return nil }
    return RowReader(row: partialRow, cellsOffset: descriptor.cellsOffset)
  }

  /// Keeps the values that the row has elsewhere as long as the row is shown, though a save is about to
  /// delete them.
  func keepExternalValues() {
    if flags.contains(.isFault), overlay != nil { source?._fill(self) }
    guard let reader, let page, let outside = page.outside else { return }
    let names = descriptor.externalSlots.filter(reader.isElsewhere).map(reader.text)
    if !names.isEmpty { self.page = RowPage(page, outside: outside.keeping(names)) }
  }

  /// Lets go of values that a save put elsewhere; the next read brings the row that names them.
  func forgetStored(_ slots: SlotSet) {
    for slot in descriptor.externalSlots where slots.contains(slot) { overlay(.unset, at: slot) }
    show(page: nil, row: nil)
    expectRow()
  }
}

extension RowReader {
  /// The bytes of a value that the row has elsewhere; nil for one that the row has, and where the value
  /// is gone.
  func outsideContent(_ cell: Int, _ page: RowPage?) -> Data? {
    guard let outside = page?.outside, isElsewhere(cell) else { return nil }
    return outside.content(named: text(cell))
  }
}

extension RowLayout {
  /// Bytes that are kept outside of a row as the cell would hold them.
  func stored(_ content: Data, _ cell: Int) -> _StoredValue {
    kinds[cell] == .text ? .text(String(decoding: content, as: UTF8.self)) : .blob(content)
  }
}
