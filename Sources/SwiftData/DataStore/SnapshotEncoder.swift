/// A value that a snapshot has encoded for a key, with its original type.
///
/// The only way to read a store's snapshot is to let it encode itself. Values are not converted to
/// bytes.
package enum EncodedValue {
  case null
  case value(any Encodable)
  /// Nested containers of the snapshot, or the encoding of a value of another type.
  case node(Node)

  /// The values that were encoded into one container.
  package final class Node {
    package var keyed: [String: EncodedValue]?
    var list: [EncodedValue]?
    var single: EncodedValue?

    package init() {}
  }

  package var isNil: Bool {
    switch self {
    case .null: true
    case .value(let value): (value as? any OptionalValue)?.isNil ?? false
    case .node(let node): node.single?.isNil ?? false
    }
  }

  /// The value as a type; also if a wrapper encodes it as its single value.
  package func unwrapped<V>(as type: V.Type) -> V? {
    var current = self
    for _ in 0..<8 {
      switch current {
      case .null: return nil
      case .value(let value):
        if let value = value as? V { return value }
        let node = Node()
        guard (try? value.encode(to: SnapshotEncoder(node: node))) != nil, let single = node.single
        else { return nil }
        current = single
      case .node(let node):
        guard let single = node.single else { return nil }
        current = single
      }
    }
    return nil
  }

  /// The identifiers of a to-many relationship's members.
  package var identifiers: [PersistentIdentifier]? {
    if isNil { return [] }
    if let identifiers = unwrapped(as: [PersistentIdentifier].self) { return identifiers }
    if let identifiers = unwrapped(as: Set<PersistentIdentifier>.self) {
      return identifiers.sorted()
    }
    guard case .node(let node) = self, let list = node.list else { return nil }
    let identifiers = list.compactMap { $0.unwrapped(as: PersistentIdentifier.self) }
    return identifiers.count == list.count ? identifiers : nil
  }
}

package struct SnapshotEncoder: Encoder {
  let node: EncodedValue.Node

  package init(node: EncodedValue.Node) { self.node = node }

  package var codingPath: [any CodingKey] { [] }
  package var userInfo: [CodingUserInfoKey: Any] { [:] }

  package func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if node.keyed == nil { node.keyed = [:] }
    return KeyedEncodingContainer(KeyedContainer<Key>(node: node))
  }

  package func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if node.list == nil { node.list = [] }
    return ListContainer(node: node)
  }

  package func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleContainer(node: node)
  }
}

private struct KeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: EncodedValue.Node

  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) { node.keyed?[key.stringValue] = .null }

  func encode<T: Encodable>(_ value: T, forKey key: Key) {
    node.keyed?[key.stringValue] = .value(value)
  }

  // Without these the standard library throws.

  func encode(_ value: Int128, forKey key: Key) { node.keyed?[key.stringValue] = .value(value) }
  func encode(_ value: UInt128, forKey key: Key) { node.keyed?[key.stringValue] = .value(value) }

  func nestedContainer<K: CodingKey>(
    keyedBy type: K.Type, forKey key: Key
  ) -> KeyedEncodingContainer<K> {
    superEncoder(forKey: key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    superEncoder(forKey: key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { SnapshotEncoder(node: node) }

  func superEncoder(forKey key: Key) -> any Encoder {
    let child = EncodedValue.Node()
    node.keyed?[key.stringValue] = .node(child)
    return SnapshotEncoder(node: child)
  }
}

private struct ListContainer: UnkeyedEncodingContainer {
  let node: EncodedValue.Node

  var codingPath: [any CodingKey] { [] }
  var count: Int { node.list?.count ?? 0 }

  func encodeNil() { node.list?.append(.null) }

  func encode<T: Encodable>(_ value: T) { node.list?.append(.value(value)) }
  func encode(_ value: Int128) { node.list?.append(.value(value)) }
  func encode(_ value: UInt128) { node.list?.append(.value(value)) }

  func nestedContainer<K: CodingKey>(keyedBy keyType: K.Type) -> KeyedEncodingContainer<K> {
    superEncoder().container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    superEncoder().unkeyedContainer()
  }

  func superEncoder() -> any Encoder {
    let child = EncodedValue.Node()
    node.list?.append(.node(child))
    return SnapshotEncoder(node: child)
  }
}

private struct SingleContainer: SingleValueEncodingContainer {
  let node: EncodedValue.Node

  var codingPath: [any CodingKey] { [] }

  func encodeNil() { node.single = .null }

  /// If a snapshot encodes a dictionary, the dictionary's entries become the snapshot's entries.
  func encode<T: Encodable>(_ value: T) throws {
    node.single = .value(value)
    if value is any StringKeyed { try value.encode(to: SnapshotEncoder(node: node)) }
  }

  func encode(_ value: Int128) { node.single = .value(value) }
  func encode(_ value: UInt128) { node.single = .value(value) }
}

private protocol StringKeyed {}

extension Dictionary: StringKeyed where Key == String {}
