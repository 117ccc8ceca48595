package import Foundation

/// The dictionary of a file's `Z_METADATA`: which model the rows are of.
package struct StoreMetadata: Sendable {
  /// The version of the model, as its author names it: `1.0.0`.
  package let versionIdentifiers: [String]
  /// By entity; empty where the file has none.
  package let versionHashes: [String: Data]
  package let digest: String?
  package let checksum: String?
  /// The version of the framework that wrote the file.
  package let frameworkVersion: Int?
  /// The attributes whose values have tags, because they may lie in files: `Photo.data`. `nil` where the
  /// file does not tell; files of Apple's framework do not.
  package let externalAttributes: [String]?
  /// Entities that the history has changes of and the model does not have any more, by the numbers that
  /// stand for them there.
  package let removedEntities: [Int: String]
  /// The names of all keys.
  package let keys: Set<String>

  private enum Key {
    static let versionIdentifiers = "NSStoreModelVersionIdentifiers"
    static let hashes = "NSStoreModelVersionHashes"
    static let hashesVersion = "NSStoreModelVersionHashesVersion"
    static let digest = "NSStoreModelVersionHashesDigest"
    static let checksum = "NSStoreModelVersionChecksumKey"
    static let frameworkVersion = "NSPersistenceFrameworkVersion"
    static let storeType = "NSStoreType"
    static let autoVacuum = "_NSAutoVacuumLevel"
    // Ours.
    static let externalAttributes = "OpenSwiftDataExternalAttributes"
    static let removedEntities = "OpenSwiftDataRemovedEntities"
  }

  /// The version of Apple's framework whose form the files have that are made here.
  package static let writtenFrameworkVersion = 1447

  /// - Returns: `nil` for data that is no dictionary.
  package init?(_ data: Data) {
    guard let plist = StoreMetadata.dictionary(data) else { return nil }
    versionIdentifiers = plist[Key.versionIdentifiers] as? [String] ?? []
    versionHashes = plist[Key.hashes] as? [String: Data] ?? [:]
    digest = plist[Key.digest] as? String
    checksum = plist[Key.checksum] as? String
    frameworkVersion = plist[Key.frameworkVersion] as? Int
    externalAttributes = plist[Key.externalAttributes] as? [String]
    let removed = plist[Key.removedEntities] as? [String: String] ?? [:]
    removedEntities = Dictionary(
      removed.compactMap { number, name in Int(number).map { ($0, name) } },
      uniquingKeysWith: { first, _ in first })
    keys = Set(plist.keys)
  }

  /// The dictionary for a file of a model.
  /// - Parameters:
  ///   - existing: What a file has already; what belongs to no model stays.
  ///   - externalAttributes: The attributes whose values have tags.
  ///   - removedEntities: Entities that the history has besides; `nil` leaves those of the file.
  package static func data(
    _ model: ModelDescription, replacing existing: Data? = nil, externalAttributes: [String] = [],
    removedEntities: [Int: String]? = nil
  ) throws -> Data {
    var plist = existing.flatMap(dictionary) ?? [:]
    let hashes = VersionHashes(model)
    plist[Key.storeType] = "SQLite"
    plist[Key.versionIdentifiers] = model.versionIdentifiers
    plist[Key.hashes] = hashes.byEntity
    plist[Key.hashesVersion] = 3
    plist[Key.digest] = hashes.digest
    plist[Key.checksum] = hashes.checksum
    plist[Key.frameworkVersion] = writtenFrameworkVersion
    plist[Key.autoVacuum] = "2"
    plist[Key.externalAttributes] = externalAttributes.sorted()
    if let removedEntities {
      let entries = removedEntities.map { ("\($0.key)", $0.value) }
      plist[Key.removedEntities] =
        entries.isEmpty ? nil : Dictionary(entries, uniquingKeysWith: { first, _ in first })
    }
    return try PropertyListSerialization.data(fromPropertyList: plist, format: .binary, options: 0)
  }

  private static func dictionary(_ data: Data) -> [String: Any]? {
    let plist = try? PropertyListSerialization.propertyList(from: data, format: nil)
    return plist as? [String: Any]
  }
}
