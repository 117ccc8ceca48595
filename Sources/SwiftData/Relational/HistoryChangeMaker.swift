import Foundation
import OpenSwiftDataRowStorage

/// Makes the public value of a change, with the entity's current class and key paths of that class.
///
/// Made once per entity and store. Thread-safe, because it is immutable.
final class HistoryChangeMaker: Sendable {
  private let make: @Sendable (ChangeRow, PersistentIdentifier) -> HistoryChange

  /// - Parameter entity: `nil` for an entity that is not in the schema.
  init(_ entity: EntityMapping?) {
    func changes<M: PersistentModel>(
      _ type: M.Type
    ) -> @Sendable (ChangeRow, PersistentIdentifier) -> HistoryChange {
      let changes = TypedChanges<M>(entity)
      return { changes.change($0, $1) }
    }
    let type: any PersistentModel.Type = entity?.descriptor.type ?? UnknownModel.self
    make = changes(type)
  }

  /// - Parameter identifier: The identifier of the changed model.
  func change(_ row: ChangeRow, of identifier: PersistentIdentifier) -> HistoryChange {
    make(row, identifier)
  }
}

/// The key paths and preserved attributes of one class.
///
/// `@unchecked`: key paths are immutable, and only lack the conformance.
private struct TypedChanges<Model: PersistentModel>: @unchecked Sendable {
  private typealias Property = PartialKeyPath<Model> & Sendable

  private let columns: ChangedColumns?
  /// By slot; `nil` if the class has no key path for it.
  private let keyPaths: [(any Property)?]
  private let preserved: [Preserved]

  /// A preserved attribute, and the indices of its values among the preserved values.
  private struct Preserved {
    let property: ModelProperty
    let keyPath: PartialKeyPath<Model>
    let positions: Range<Int>
  }

  init(_ entity: EntityMapping?) {
    columns = entity.map(ChangedColumns.init)
    let properties = entity?.descriptor.properties ?? []
    // The macro writes the key paths of inherited properties for each class; see
    // `SchemaMetadataExpansion`. A class that conforms by hand may have those of its superclass.
    let paths = properties.map { $0.keyPath as? PartialKeyPath<Model> }
    keyPaths = paths.map { path in path.flatMap { castIfSameSize($0, to: (any Property).self) } }
    var preserved: [Preserved] = []
    var position = 0
    for (property, columns) in entity?.preservedProperties ?? [] {
      let positions = position..<(position + columns.count)
      position = positions.upperBound
      guard let keyPath = paths[property.slot] else { continue }
      preserved.append(
        Preserved(property: properties[property.slot], keyPath: keyPath, positions: positions))
    }
    self.preserved = preserved
  }

  func change(_ row: ChangeRow, _ identifier: PersistentIdentifier) -> HistoryChange {
    switch row.type {
    case .inserted:
      .insert(
        DefaultHistoryInsert<Model>(
          changeIdentifier: row.number, transactionIdentifier: row.transaction,
          changedPersistentIdentifier: identifier))
    case .updated:
      .update(
        DefaultHistoryUpdate<Model>(
          changeIdentifier: row.number, transactionIdentifier: row.transaction,
          changedPersistentIdentifier: identifier,
          updatedAttributes: row.columns.map(updatedProperties) ?? []))
    case .deleted:
      .delete(
        DefaultHistoryDelete<Model>(
          changeIdentifier: row.number, transactionIdentifier: row.transaction,
          changedPersistentIdentifier: identifier, tombstone: tombstone(row.preserved)))
    }
  }

  /// In the order of the properties.
  private func updatedProperties(_ bits: Data) -> [any Property] {
    guard let columns else { return [] }
    let slots = columns.slots(of: bits)
    return keyPaths.indices.compactMap { slots.contains($0) ? keyPaths[$0] : nil }
  }

  private func tombstone(_ values: [_StoredValue]) -> HistoryTombstone<Model> {
    HistoryTombstone(
      preserved.compactMap { preserved in
        guard preserved.positions.upperBound <= values.count,
          let value = PreservedValue.value(of: preserved.property, values[preserved.positions]),
          // Attribute values contain no references to shared mutable state. `as Any` prevents the
          // value from being opened as an existential.
          let sendable = castIfSameSize(value as Any, to: (any Sendable).self)
        else { return nil }
        return (preserved.keyPath, sendable)
      })
  }
}

/// Converts preserved values of a deleted row to attribute values.
enum PreservedValue {
  /// - Returns: `nil` if no value was preserved, or it does not match the type of the property.
  static func value(of property: ModelProperty, _ stored: ArraySlice<_StoredValue>) -> Any? {
    guard stored.contains(where: { !$0.isNull }),
      let first = property.isExternallyStored ? stored.first.flatMap(untagged) : stored.first
    else { return nil }
    switch (property.form, first) {
    case (.attribute(.scalar(.string)), .blob(let bytes)),
      (.attribute(.scalar(.url)), .blob(let bytes)):
      // Text that may be stored outside the row is stored as bytes.
      return decoded(property.valueType) {
        ValueDecoding.scalar($0, .text(String(decoding: bytes, as: UTF8.self)))
      }
    case (.attribute(.scalar), _):
      return decoded(property.valueType) { ValueDecoding.scalar($0, first) }
    case (.attribute(.rawValue), _): return rawValue(property.valueType, first)
    case (.attribute(.composite(let leaves)), _):
      return decoded(property.valueType) {
        ValueDecoding.composite($0, leaves: leaves, values: Array(stored))
      }
    case (.attribute(.encoded), .blob(let bytes)):
      return decoded(property.valueType) { ValueDecoding.encoded($0, bytes: bytes) }
    case (.transformable, .blob(let bytes)):
      func transformed<V>(_ type: V.Type) -> Any? {
        ValueDecoding.transformed(type, property: property, bytes: bytes)
      }
      return _openExistential(property.valueType, do: transformed)
    case (.attribute(.encoded), _), (.transformable, _), (.toOne, _), (.toMany, _): return nil
    }
  }

  private static func decoded(
    _ type: any Any.Type, _ decode: (any Decodable.Type) -> (any Decodable)?
  ) -> Any? { (type as? any Decodable.Type).flatMap(decode) }

  private static func rawValue(_ type: any Any.Type, _ stored: _StoredValue) -> Any? {
    func value<R: RawRepresentable>(_ type: R.Type) -> Any? {
      func raw<S: ScalarCoding>(_ scalar: S.Type) -> R? {
        (S(storedValue: stored) as? R.RawValue).flatMap(R.init(rawValue:))
      }
      return (R.RawValue.self as? any ScalarCoding.Type).flatMap { raw($0) }
    }
    return (type as? any RawRepresentable.Type).flatMap { value($0) }
  }

  /// A value in a file was deleted with its row.
  private static func untagged(_ stored: _StoredValue) -> _StoredValue? {
    guard case .blob(let data) = stored else { return stored }
    return data.withUnsafeBytes { bytes in
      switch TaggedValue(bytes) {
      case .value(let value): .blob(Data(value))
      case .name: nil
      }
    }
  }
}
