import Foundation
import SwiftData

/// A snapshot of a store that does not use `DefaultSnapshot`: values by the names of their properties.
///
/// `@unchecked`: the values of attributes are sendable, but a type of unknown values cannot say so.
struct NamedSnapshot: DataStoreSnapshot, @unchecked Sendable {
  let persistentIdentifier: PersistentIdentifier
  /// The value of each property that the model has; `nil` inside for nil.
  var values: [String: (any Codable)?]

  init(_ persistentIdentifier: PersistentIdentifier, _ values: [String: (any Codable)?]) {
    self.persistentIdentifier = persistentIdentifier
    self.values = values
  }

  init(
    from: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) {
    let snapshot = DefaultSnapshot(from: from, relatedBackingDatas: &relatedBackingDatas)
    self.init(snapshot.persistentIdentifier, snapshot.namedValues)
  }

  /// Rows stay in memory.
  init(from decoder: any Decoder) throws { throw DataStoreError.unsupportedFeature }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
    for (name, value) in values {
      let key = DataStoreSnapshotCodingKey.modeledProperty(name)
      if let value {
        try container.encode(value, forKey: key)
      } else {
        try container.encodeNil(forKey: key)
      }
    }
  }

  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> NamedSnapshot {
    guard let map = remappedIdentifiers else { return NamedSnapshot(persistentIdentifier, values) }
    let remapped = values.mapValues { value -> (any Codable)? in
      switch value {
      case let other as PersistentIdentifier: map[other] ?? other
      case let others as [PersistentIdentifier]: others.map { map[$0] ?? $0 }
      default: value
      }
    }
    return NamedSnapshot(persistentIdentifier, remapped)
  }
}

extension DataStoreSnapshot {
  /// What the snapshot encodes, by name.
  var namedValues: [String: (any Codable)?] {
    if let named = self as? NamedSnapshot { return named.values }
    let encoder = ValueCollector()
    try? encode(to: encoder)
    return encoder.values
  }
}

/// Keeps the values that are encoded into its keyed container, as they are.
private final class ValueCollector: Encoder {
  var values: [String: (any Codable)?] = [:]
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Keyed<Key>(collector: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { fatalError("A snapshot is no list.") }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    fatalError("A snapshot is no single value.")
  }

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let collector: ValueCollector
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { collector.values.updateValue(nil, forKey: key.stringValue) }

    func encode<T: Encodable>(_ value: T, forKey key: Key) {
      if key.stringValue == "persistentIdentifier" { return }
      collector.values.updateValue(
        value as? any Codable, forKey: key.stringValue)
    }

    func nestedContainer<K: CodingKey>(
      keyedBy type: K.Type, forKey key: Key
    ) -> KeyedEncodingContainer<K> { collector.container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      collector.unkeyedContainer()
    }

    func superEncoder() -> any Encoder { collector }

    func superEncoder(forKey key: Key) -> any Encoder { collector }
  }
}
