import Foundation
import OpenSwiftDataRowStorage

/// The cells of one row: those of the row in memory, under the changed ones.
///
/// The part of a `DefaultSnapshot` that becomes columns. A save also makes it directly from the
/// storage of a new model (`NewModels`), whose values need no copy.
struct RowCells {
  let descriptor: _ModelDescriptor
  let page: RowPage?
  let row: UnsafeRawPointer?
  /// One value per cell of the layout; `.unset` if the row has the value.
  let changed: ContiguousArray<_SlotValue>?

  /// The row in memory.
  var reader: RowReader? {
    row.map { RowReader(row: $0, cellsOffset: descriptor.layout.cellsOffset) }
  }

  /// The value of a cell, from the changes or from the row; null if its file can't be read.
  func value(_ cell: Int) -> SnapshotValue { (try? requiredValue(cell)) ?? .null }

  /// The value of a cell, from the changes or from the row.
  /// - Throws: The error of a file that can't be read now.
  func requiredValue(_ cell: Int) throws -> SnapshotValue {
    if let changed = changedValue(cell) { return changed }
    guard let reader else { return .null }
    if reader.isNull(cell) {
      return try reader.externalContent(cell, page)
        .map { SnapshotValue(descriptor.layout.stored($0, cell)) } ?? .null
    }
    return switch descriptor.layout.kinds[cell] {
    case .integer: .integer(reader.integer(cell))
    case .real: .real(reader.real(cell))
    case .text: .text(reader.text(cell))
    case .blob: .blob(Data(reader.bytes(cell)))
    }
  }

  /// The name of a value that is stored outside the row; nil for other values, and for a changed one.
  func nameOutside(_ cell: Int) -> UnsafeRawBufferPointer? {
    guard let reader, reader.isExternal(cell), changedValue(cell) == nil else { return nil }
    return reader.bytes(cell)
  }

  /// The changed value of a cell; nil if the row has the value.
  func changedValue(_ cell: Int) -> SnapshotValue? {
    guard let changed, cell < changed.count else { return nil }
    return switch changed[cell] {
    case .unset: nil
    case .null: .null
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .text(let value): .text(value)
    case .blob(let value): .blob(value)
    case .uuid(let value): .uuid(value)
    case .identifier(let identifier): .identifier(identifier)
    case .boxed(let box): box.value(as: StoredReference.self).map { .reference($0.name) } ?? .null
    // Converted when the snapshot was created; a value that could not be converted is left out.
    case .model, .toMany, .weakReferences: .null
    }
  }
}

extension RowCells {
  /// The cells of a model whose values in memory are those of a row.
  init(_ storage: _ModelStorage) {
    self.init(
      descriptor: storage.descriptor, page: storage.page, row: storage.row,
      changed: storage.overlay.values)
  }
}

extension DefaultSnapshot {
  var rowCells: RowCells {
    RowCells(descriptor: descriptor, page: page, row: row, changed: cells)
  }

  /// The value of a cell, from the changes or from the row.
  func value(_ cell: Int) -> SnapshotValue { rowCells.value(cell) }

  /// The changed value of a cell; nil if the row has the value.
  func changedValue(_ cell: Int) -> SnapshotValue? { rowCells.changedValue(cell) }
}
