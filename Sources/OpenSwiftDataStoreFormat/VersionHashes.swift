package import Foundation
import Synchronization

/// The hashes by which Apple's framework decides whether a file matches a model.
///
/// Strings are hashed as UTF-8 without a terminator, numbers as 32 bits, least significant byte
/// first. Default values, delete rules, renaming, indexes and class names are not included.
package struct VersionHashes: Equatable, Sendable {
  /// The 32-byte hash of each entity.
  package let byEntity: [String: Data]

  package init(_ model: ModelDescription) {
    var made: [String: Data] = [:]
    for root in model.roots {
      // A superentity comes before its subentities, whose hashes include its hash.
      for entity in model.subtree(of: root.name) {
        made[entity.name] = VersionHashes.hash(
          of: entity, in: model, superHash: entity.superName.flatMap { made[$0] })
      }
    }
    byEntity = made
  }

  /// `NSStoreModelVersionChecksumKey`.
  package var checksum: String {
    var bytes = Data()
    for name in sortedNames { bytes += byEntity[name] ?? Data() }
    return SHA256.hash(of: bytes).base64EncodedString()
  }

  /// `NSStoreModelVersionHashesDigest`.
  package var digest: String {
    var bytes = Data()
    for name in sortedNames {
      bytes += Data(name.utf8)
      bytes += byEntity[name] ?? Data()
    }
    return SHA512.hash(of: bytes).base64EncodedString()
  }

  private var sortedNames: [String] { Array(byEntity.keys).inCodePointOrder }

  private static func hash(
    of entity: EntityDescription, in model: ModelDescription, superHash: Data?
  ) -> Data {
    var bytes = Data(entity.name.utf8)
    bytes.append(entity.isAbstract ? 1 : 0)
    bytes += superHash ?? Data()
    for property in model.properties(of: entity.name) { bytes += hash(of: property) ?? Data() }
    let constraints = entity.uniqueConstraints.map { $0.joined(separator: ".") }
    for constraint in constraints.inCodePointOrder {
      bytes += Data(constraint.utf8)
    }
    bytes += Data((entity.versionHashModifier ?? "").utf8)
    return KnownHashes.hash(of: bytes)
  }

  private static func hash(of property: PropertyDescription) -> Data? {
    switch property {
    case .attribute(let attribute): hash(of: attribute)
    case .relationship(let relationship): hash(of: relationship)
    case .fetched: nil
    }
  }

  private static func hash(of attribute: AttributeDescription) -> Data? {
    if attribute.isTransient { return nil }
    if attribute.type == .composite {
      // The composite's own name and optionality are not included. Leaves with equal names keep
      // their order.
      let leaves = attribute.leaves.map(\.attribute)
      var bytes = Data()
      for place in leaves.map(\.name).codePointOrder { bytes += hash(of: leaves[place]) ?? Data() }
      return KnownHashes.hash(of: bytes)
    }
    var bytes = base(attribute.name, isOptional: attribute.isOptional)
    bytes += number(attribute.type.rawValue)
    if attribute.preservesValueOnDeletion { bytes.append(1) }
    bytes += Data((attribute.versionHashModifier ?? "").utf8)
    return KnownHashes.hash(of: bytes)
  }

  private static func hash(of relationship: RelationshipDescription) -> Data? {
    if relationship.isTransient { return nil }
    var bytes = base(relationship.name, isOptional: relationship.isOptional)
    bytes += Data(relationship.destination.utf8)
    bytes += Data((relationship.inverse ?? "").utf8)
    bytes += number(relationship.maximumCount)
    bytes += number(relationship.minimumCount)
    bytes += Data((relationship.versionHashModifier ?? "").utf8)
    return KnownHashes.hash(of: bytes)
  }

  private static func base(_ name: String, isOptional: Bool) -> Data {
    var bytes = Data(name.utf8)
    bytes.append(isOptional ? 1 : 0)
    bytes.append(0)
    return KnownHashes.hash(of: bytes)
  }

  private static func number(_ value: Int) -> Data {
    withUnsafeBytes(of: UInt32(truncatingIfNeeded: value).littleEndian) { Data($0) }
  }
}

/// Hashes that were made before. Versions of a model differ in few properties, and a process opens the same
/// models often, so most hashes are known.
private enum KnownHashes {
  private static let limit = 10_000
  private static let known = Mutex<[Data: Data]>([:])

  static func hash(of bytes: Data) -> Data {
    if let hash = known.withLock({ $0[bytes] }) { return hash }
    let hash = SHA256.hash(of: bytes)
    known.withLock { known in
      if known.count == limit { known.removeAll() }
      known[bytes] = hash
    }
    return hash
  }
}
