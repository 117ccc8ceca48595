import Foundation
import OpenSwiftDataRowStorage

/// Values that have to be decoded (composites, encoded and transformed ones), and values stored
/// outside the row, in files. Called by the getters that `@Model` generates.
///
/// Decoded values are kept in the overlay. Values stored outside the row are not kept, so a model
/// needs no more memory after they were read.
extension _ModelStorage {
  /// The value of a Codable property, decoded at the first access and kept in the overlay. A value
  /// that is stored outside the row is decoded at each access.
  static func decoded<V: Codable>(_ type: V.Type, slot: Int, of storage: _ModelStorage?) -> V {
    guard let storage else { return placeholderValue(for: type, slot: slot, of: nil) }
    if case .boxed(let box) = storage.overlaid(slot), let value = box.value(as: type) {
      return value
    }
    if case .null = storage.overlaid(slot) {
      return placeholderValue(for: type, slot: slot, of: storage)
    }
    guard let value = storage.decode(type, slot: slot) else {
      return placeholderValue(for: type, slot: slot, of: storage)
    }
    if storage.isExternal(slot) { return value }
    storage.overlay(.boxed(ValueBox(value)), at: slot)
    return value
  }

  /// Decodes a value from the row; `nil` if the row has none or it can't be decoded.
  func decode<V: Codable>(_ type: V.Type, slot: Int) -> V? {
    guard let row = readableRow(for: slot) else { return nil }
    let property = descriptor.properties[slot]
    let wrapped = unwrappedType(of: type) ?? type
    guard let decodable = wrapped as? any Decodable.Type else { return nil }
    let value: (any Decodable)?
    switch property.form {
    case .attribute(.composite(let leaves)):
      let values = property.leafCells.map { storedValue(row, cell: $0) }
      if values.allSatisfy({ if case .null = $0 { true } else { false } }), property.isOptional {
        return nil
      }
      value = ValueDecoding.completedComposite(decodable, leaves: leaves, values: values)
    case .attribute(.encoded):
      if row.isNull(slot) {
        guard let bytes = storedBytes(row, slot) else { return nil }
        value = ValueDecoding.encoded(decodable, bytes: bytes)
      } else {
        value = ValueDecoding.encoded(decodable, in: row.bytes(slot))
      }
    default:
      if row.isExternal(slot), let content = externalContent(slot) {
        value = ValueDecoding.scalar(decodable, descriptor.layout.stored(content, slot))
        break
      }
      if row.isNull(slot) { return nil }
      value = ValueDecoding.scalar(decodable, storedValue(row, cell: slot))
    }
    // Nil of an optional type would count as a decoded value.
    guard let value else { return nil }
    return value as? V
  }

  /// The value of a transformed property, through the transformer that its attribute names.
  static func transformed<V>(_ type: V.Type, slot: Int, of storage: _ModelStorage?) -> V {
    if let storage {
      if case .boxed(let box) = storage.overlaid(slot), let value = box.value(as: type) {
        return value
      }
      if case .unset = storage.overlaid(slot), let row = storage.readableRow(for: slot),
        let bytes = storage.storedBytes(row, slot),
        let value = ValueDecoding.transformed(
          type, property: storage.descriptor.properties[slot], bytes: bytes)
      {
        if storage.isExternal(slot) { return value }
        storage.overlay(.boxed(ValueBox(value)), at: slot)
        return value
      }
    }
    return placeholderValue(for: type, slot: slot, of: storage)
  }

  /// The bytes of an encoded or transformed value, in the row or outside it; nil if there are none.
  func storedBytes(_ row: RowReader, _ slot: Int) -> Data? {
    if row.isNull(slot) { return row.isExternal(slot) ? externalContent(slot) : nil }
    return Data(row.bytes(slot))
  }

  /// The value of a cell in the form from which composites are restored.
  func storedValue(_ row: RowReader, cell: Int) -> _StoredValue {
    if row.isNull(cell) { return .null }
    return switch descriptor.layout.kinds[cell] {
    case .integer: .integer(row.integer(cell))
    case .real: .real(row.real(cell))
    case .text: .text(row.text(cell))
    case .blob: .blob(Data(row.bytes(cell)))
    }
  }

  // MARK: Values stored outside the row

  /// Whether the shown row has the name of a value that is stored outside it.
  func isExternal(_ slot: Int) -> Bool { knownRow(for: slot)?.isExternal(slot) ?? false }

  /// Whether the whole row that is shown has names of values that are stored outside it.
  var showsExternalValues: Bool {
    guard !descriptor.externalSlots.isEmpty, let reader else { return false }
    return descriptor.externalSlots.contains(where: reader.isExternal)
  }

  /// Whether the whole row that is shown has names of outside values that another row of the model lacks.
  func showsExternalValues(besides row: UnsafeRawPointer) -> Bool {
    guard showsExternalValues, let reader else { return false }
    let other = RowReader(row: row, cellsOffset: descriptor.cellsOffset)
    return descriptor.externalSlots.contains { slot in
      reader.isExternal(slot)
        && !(other.isExternal(slot) && other.text(slot) == reader.text(slot))
    }
  }

  /// Throws if a value that the model shows is stored outside its row, and does not exist any more or can't be
  /// read: a new row would not get it.
  func requireExternalValues() throws {
    guard showsExternalValues, let reader else { return }
    for slot in descriptor.externalSlots where reader.isExternal(slot) {
      guard case .unset = overlaid(slot) else { continue }
      var cause: (any Error)?
      do {
        if try reader.externalContent(slot, page) != nil { continue }
      } catch {
        cause = error
      }
      let name = descriptor.properties[slot].name
      throw SwiftDataError.storeReadFailure.with(
        "\(descriptor.entityName).\(name) of a new model has the value of a row that does not exist any more, and "
          + "the file of the value \(cause == nil ? "was removed" : "can't be read"). Nothing was saved. "
          + "Set the property, or roll back.",
        doing: "saving", entity: descriptor.entityName, property: name, underlying: cause,
        because: cause == nil ? nil : .unavailable)
    }
  }

  /// The bytes of a value stored outside the row; nil if they no longer exist, if a null has replaced them, or
  /// if they can't be read now, which is noted.
  func externalContent(_ slot: Int) -> Data? {
    do {
      if let content = try knownRow(for: slot)?.externalContent(slot, page) { return content }
      // Another writer may have replaced the value since the row was read.
      guard let source, !isDeinitialising else { return nil }
      source._reread(self)
      guard let row = knownRow(for: slot) else { return nil }
      return try row.isNull(slot) ? row.externalContent(slot, page) : Data(row.bytes(slot))
    } catch {
      source?._noteFailedRead(error)
      noteUnreadableStore(slot)
      return nil
    }
  }

  /// A scalar that is stored outside the row.
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
}

extension RowReader {
  /// The bytes of a value stored outside the row; nil for a value in the row, and if the value no
  /// longer exists.
  func externalContent(_ cell: Int, _ page: RowPage?) throws -> Data? {
    guard let outside = page?.outside, isExternal(cell) else { return nil }
    return try outside.content(named: text(cell))
  }
}

extension RowLayout {
  /// Bytes stored outside a row, in the form that the cell would have.
  func stored(_ content: Data, _ cell: Int) -> _StoredValue {
    kinds[cell] == .text ? .text(String(decoding: content, as: UTF8.self)) : .blob(content)
  }
}
