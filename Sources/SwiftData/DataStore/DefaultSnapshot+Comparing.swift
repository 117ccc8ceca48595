import Foundation
import OpenSwiftDataRowStorage

/// Whether a model has other values than a row of its store. Called by a context that looks for changes by
/// other writers (`ConflictCheck`).
extension DefaultSnapshot {
  /// Whether an attribute has the value of a row.
  ///
  /// The values of this snapshot may be in the form in which the model was given them, or encoded
  /// again. Equal values may have different encodings, for example sets, so the bytes of both rows
  /// decide about a value that was only read. `==` decides about a value that was saved since, and for
  /// types of the standard library and Foundation; other types may compare by an identifier only.
  func hasValue(of row: DefaultSnapshot, at slot: Int) -> Bool {
    let property = descriptor.properties[slot]
    let differing = ([slot] + property.leafCells).filter { cell in
      !cellAgrees(cell, with: row, property.scalarType(ofCell: cell))
    }
    if differing.isEmpty { return true }
    if property.scalarType(ofCell: slot) != nil { return false }
    guard case .boxed(let mine)? = decodedValue(slot),
      case .boxed(let stored)? = row.decodedValue(slot)
    else { return false }
    guard let old = rowCells.reader, let new = row.rowCells.reader else {
      return mine.isEqual(to: stored)
    }
    if mine.isOfSystemTypes, mine.isEqual(to: stored) { return true }
    return wasOnlyRead(mine, differing, slot: slot)
      ? differing.allSatisfy { descriptor.layout.agrees($0, old, new) }
      : mine.isEqual(to: stored)
  }

  /// Whether a value is, as far as can be told, that of the row in memory.
  private func wasOnlyRead(_ mine: _ValueBox, _ cells: [Int], slot: Int) -> Bool {
    let property = descriptor.properties[slot]
    let read = DefaultSnapshot(
      persistentIdentifier: persistentIdentifier, descriptor: descriptor, page: page, row: row)
    if cells.allSatisfy({ cellAgrees($0, with: read, property.scalarType(ofCell: $0)) }) {
      return true
    }
    if case .boxed(let known)? = read.decodedValue(slot), mine.isEqual(to: known) { return true }
    // `==` says nothing about values of this type.
    if case .boxed(let copy)? = decodedValue(slot) { return !mine.isEqual(to: copy) }
    return false
  }

  private func cellAgrees(
    _ cell: Int, with row: DefaultSnapshot, _ type: ScalarType?
  ) -> Bool {
    if let old = rowCells.nameOutside(cell) {
      // Its file may not exist any more, and a value that can't be read is not null.
      if let new = row.rowCells.nameOutside(cell), old.elementsEqual(new) { return true }
      if case .null = value(cell) { return false }
    } else if case .null = value(cell), row.rowCells.nameOutside(cell) != nil {
      return false
    }
    let kind = descriptor.layout.kinds[cell]
    let (mine, stored) = (value(cell), row.value(cell))
    return mine.stored(as: kind).isSame(as: stored.stored(as: kind))
      || type?.isStoredAlike(mine.stored, stored.stored) == true
  }
}

extension ModelProperty {
  /// The type of the values in a cell of the property; nil for values that are encoded, and for
  /// relationships.
  fileprivate func scalarType(ofCell cell: Int) -> ScalarType? {
    switch form {
    case .attribute(.scalar(let type)), .attribute(.rawValue(let type)): return type
    case .attribute(.composite(let leaves)):
      guard leafCells.contains(cell) else { return nil }
      switch leaves[cell - leafCells.lowerBound].form {
      case .scalar(let type), .rawValue(let type): return type
      case .encoded, .enumCase: return nil
      }
    case .attribute(.encoded), .transformable, .toOne, .toMany: return nil
    }
  }
}

extension ScalarType {
  /// Whether a database may return one number for the other: null for NaN, 0 for -0, and a decimal
  /// with other digits.
  fileprivate func isStoredAlike(_ value: _StoredValue, _ other: _StoredValue) -> Bool {
    func number(_ value: _StoredValue) -> Double? { value.real.flatMap { $0.isNaN ? nil : $0 } }
    switch traits.column {
    case .real, .date: return number(value) == number(other)
    case .decimal:
      guard let value = Decimal(storedValue: value) else { return false }
      return value == Decimal(storedValue: other)
    case .integer, .boolean, .text, .uri, .uuid, .binary: return false
    }
  }
}

extension _ValueBox {
  /// Whether the type and those of its elements are from the standard library or Foundation.
  fileprivate var isOfSystemTypes: Bool {
    let modules: Set<Substring> = ["Swift", "Foundation", "FoundationEssentials"]
    return String(reflecting: type(of: anyValue)).split { "<>,()? ".contains($0) }
      .allSatisfy { modules.contains($0.prefix { $0 != "." }) }
  }

  /// Whether `==` of the values' type says that they are equal; false for types without `==`.
  fileprivate func isEqual(to other: _ValueBox) -> Bool {
    func isEqual<V: Equatable>(_ value: V) -> Bool { value == other.anyValue as? V }
    guard let value = anyValue as? any Equatable else { return false }
    return isEqual(value)
  }
}
