import SwiftData

/// The values that a snapshot encodes, by name.
struct SnapshotValues {
  private let values: [String: EncodedValue]

  init(_ snapshot: some DataStoreSnapshot) throws {
    let node = EncodedValue.Node()
    try snapshot.encode(to: SnapshotEncoder(node: node))
    values = node.keyed ?? [:]
  }

  func text(_ name: String) -> String? { values[name]?.unwrapped(as: String.self) }

  /// The relationships, by name, that contain temporary identifiers.
  var temporaryLinks: [String] {
    values.keys.sorted().filter { name in
      guard name != "persistentIdentifier", let value = values[name], !value.isNil else {
        return false
      }
      if let identifier = value.unwrapped(as: PersistentIdentifier.self) {
        return identifier.isTemporary
      }
      return (value.identifiers ?? []).contains(where: \.isTemporary)
    }
  }
}
