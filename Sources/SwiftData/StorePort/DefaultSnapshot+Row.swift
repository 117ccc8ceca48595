import Foundation
import OpenSwiftDataRowStorage

extension DefaultSnapshot {
  /// The same values with the attributes in a row, as models read them; relationships are kept
  /// outside it.
  ///
  /// A snapshot that a store made contains all its values in cells, so an unset cell is null.
  var withRow: DefaultSnapshot {
    guard row == nil, let cells else { return self }
    var builder = RowBuilder(layout: descriptor.layout)
    builder.begin()
    for cell in descriptor.layout.kinds.indices { builder.set(value(cell), at: cell) }
    let index = builder.finish()
    var others = ContiguousArray<_SlotValue>(repeating: .unset, count: cells.count)
    for slot in descriptor.relationshipSlots { others[slot] = cells[slot] }
    return DefaultSnapshot(
      persistentIdentifier: persistentIdentifier, descriptor: descriptor, page: index.page,
      row: index.row, cells: others, toManys: toManys, changedSlots: changedSlots)
  }
}

extension RowBuilder {
  fileprivate mutating func set(_ value: SnapshotValue, at cell: Int) {
    switch value {
    case .integer(let value): setInteger(value, at: cell)
    case .real(let value): setReal(value, at: cell)
    case .text(let value):
      var text = value
      text.withUTF8 { setBytes(UnsafeRawBufferPointer($0), at: cell) }
    case .blob(let value): value.withUnsafeBytes { setBytes($0, at: cell) }
    case .uuid(let value): withUnsafeBytes(of: value.uuid) { setBytes($0, at: cell) }
    case .null, .identifier, .reference: setNull(at: cell)
    }
  }
}
