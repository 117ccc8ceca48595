package import Foundation

/// The dictionary in a file's `Z_METADATA`, which identifies the model of the rows.
package struct StoreMetadata: Hashable, Sendable {
  /// The version identifiers of the model, such as `1.0.0`.
  package let versionIdentifiers: [String]
  /// The version hashes by entity; empty if the file has none.
  package let versionHashes: [String: Data]
  package let digest: String?
  package let checksum: String?
  /// The version of the framework that wrote the file.
  package let frameworkVersion: Int?
  /// The attributes whose values have tags because they may be stored in files: `Photo.data`. `nil`
  /// if the file has no such entry, as files of Apple's framework.
  package let externalAttributes: [String]?
  /// The Swift types of integers whose column type is ambiguous: `["Trip.code": "UInt64"]`. `nil`
  /// if the file has no such entry, as files of Apple's framework.
  package let integerTypes: [String: String]?
  /// The parts of composites that may themselves be nil; `nil` if the file does not record them.
  package var optionalParts: Set<String>? { compositeForms.map(CompositeForms.optionalParts) }
  /// How composites are stored, as far as hashes leave it out (`CompositeForms.texts`). `nil` if
  /// the file has no such entry, as files of Apple's framework.
  package let compositeForms: [String: String]?
  /// The types of lists, sets and dictionaries of scalars, which hashes leave out:
  /// `["Trip.days": "Array<Int>"]`. `nil` if the file has no such entry, as files of Apple's framework.
  package let listTypes: [String: String]?
  /// Entities that occur in the history but no longer in the model, by their numbers in the
  /// history.
  package let removedEntities: [Int: String]
  /// The last assigned keys of entities whose names no entity of the model continues: of removed and
  /// renamed ones.
  package let lastKeysOfEarlierEntities: [String: Int64]
  /// The lowest key in identifiers of deleted rows; 0 if no migration has given them other keys.
  package let lowestKeyOfDeletedRows: Int64
  /// All keys of the dictionary.
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
    // Keys of this library.
    static let externalAttributes = "OpenSwiftDataExternalAttributes"
    static let integerTypes = "OpenSwiftDataIntegerTypes"
    static let compositeForms = "OpenSwiftDataCompositeForms"
    static let listTypes = "OpenSwiftDataListTypes"
    static let removedEntities = "OpenSwiftDataRemovedEntities"
    static let lastKeysOfEarlierEntities = "OpenSwiftDataLastKeysOfEarlierEntities"
    static let lowestKeyOfDeletedRows = "OpenSwiftDataLowestKeyOfDeletedRows"
  }

  /// The version of Apple's framework whose format new files have.
  package static let writtenFrameworkVersion = 1447

  /// - Returns: `nil` if the data is not a dictionary.
  package init?(_ data: Data) {
    guard let plist = StoreMetadata.dictionary(data) else { return nil }
    versionIdentifiers = plist[Key.versionIdentifiers]?.array?.compactMap(\.string) ?? []
    versionHashes = (plist[Key.hashes]?.dictionary ?? [:]).compactMapValues(\.data)
    digest = plist[Key.digest]?.string
    checksum = plist[Key.checksum]?.string
    frameworkVersion = plist[Key.frameworkVersion]?.integer.flatMap(Int.init(exactly:))
    externalAttributes = plist[Key.externalAttributes]?.array?.compactMap(\.string)
    integerTypes = plist[Key.integerTypes]?.dictionary?.compactMapValues(\.string)
    compositeForms = plist[Key.compositeForms]?.dictionary?.compactMapValues(\.string)
    listTypes = plist[Key.listTypes]?.dictionary?.compactMapValues(\.string)
    let removed = (plist[Key.removedEntities]?.dictionary ?? [:]).compactMapValues(\.string)
    removedEntities = Dictionary(
      removed.compactMap { number, name in Int(number).map { ($0, name) } },
      uniquingKeysWith: { first, _ in first })
    lastKeysOfEarlierEntities =
      plist[Key.lastKeysOfEarlierEntities]?.dictionary?.compactMapValues(\.integer) ?? [:]
    lowestKeyOfDeletedRows = plist[Key.lowestKeyOfDeletedRows]?.integer ?? 0
    keys = Set(plist.keys)
  }

  /// Makes the dictionary for a file with the given model.
  /// - Parameters:
  ///   - existing: The existing dictionary of the file; entries that do not depend on the model are
  ///     kept.
  ///   - externalAttributes: The attributes whose values have tags.
  ///   - integerTypes: The Swift types of integers whose column type is ambiguous.
  ///   - optionalParts: The parts of composites with one column that may themselves be nil.
  ///   - recordsForm: Whether the form of a composite is known: `Trip.place`. Others are not recorded.
  ///   - recordsList: Whether the type of a list is known: `Trip.days`. Others are not recorded.
  ///   - removedEntities: Removed entities that occur in the history; `nil` keeps those of the
  ///     file.
  ///   - lastKeysOfEarlierEntities: The last keys of entities whose names no entity continues; `nil`
  ///     keeps those of the file.
  ///   - lowestKeyOfDeletedRows: The lowest key in identifiers of deleted rows; `nil` keeps that of the file.
  package static func data(
    _ model: ModelDescription, replacing existing: Data? = nil, externalAttributes: [String] = [],
    integerTypes: [String: String] = [:], optionalParts: Set<String> = [],
    recordsForm: (String) -> Bool = { _ in true }, recordsList: (String) -> Bool = { _ in true },
    removedEntities: [Int: String]? = nil, lastKeysOfEarlierEntities: [String: Int64]? = nil,
    lowestKeyOfDeletedRows: Int64? = nil
  ) throws(FormatError) -> Data {
    var plist = existing.flatMap(dictionary) ?? [:]
    let hashes = VersionHashes(model)
    plist[Key.storeType] = .string("SQLite")
    plist[Key.versionIdentifiers] = .array(model.versionIdentifiers.map(PropertyList.string))
    plist[Key.hashes] = .dictionary(hashes.byEntity.mapValues(PropertyList.data))
    plist[Key.hashesVersion] = .integer(3)
    plist[Key.digest] = .string(hashes.digest)
    plist[Key.checksum] = .string(hashes.checksum)
    plist[Key.frameworkVersion] = .integer(Int64(writtenFrameworkVersion))
    plist[Key.autoVacuum] = .string("2")
    plist[Key.externalAttributes] = .array(externalAttributes.sorted().map(PropertyList.string))
    plist[Key.integerTypes] = .dictionary(integerTypes.mapValues(PropertyList.string))
    plist[Key.compositeForms] = .dictionary(
      CompositeForms(model, optionalParts: optionalParts).texts.filter { recordsForm($0.key) }
        .mapValues(PropertyList.string))
    plist[Key.listTypes] = .dictionary(
      model.listTypes.filter { recordsList($0.key) }.mapValues(PropertyList.string))
    if let removedEntities {
      let entries = removedEntities.map { ("\($0.key)", PropertyList.string($0.value)) }
      plist[Key.removedEntities] =
        entries.isEmpty
        ? nil : .dictionary(Dictionary(entries, uniquingKeysWith: { first, _ in first }))
    }
    if let lastKeysOfEarlierEntities {
      plist[Key.lastKeysOfEarlierEntities] =
        lastKeysOfEarlierEntities.isEmpty
        ? nil : .dictionary(lastKeysOfEarlierEntities.mapValues(PropertyList.integer))
    }
    if let lowestKeyOfDeletedRows {
      plist[Key.lowestKeyOfDeletedRows] =
        lowestKeyOfDeletedRows == 0 ? nil : .integer(lowestKeyOfDeletedRows)
    }
    return try BinaryPlist.encode(.dictionary(plist))
  }

  /// A dictionary with the hashes of another one. How the values of a file are stored, its other entries tell.
  package static func data(
    _ existing: Data, withHashesOf other: Data
  ) throws(FormatError) -> Data {
    guard var plist = dictionary(existing), let source = dictionary(other) else { return other }
    for key in [Key.hashes, Key.hashesVersion, Key.digest, Key.checksum] {
      plist[key] = source[key]
    }
    return try BinaryPlist.encode(.dictionary(plist))
  }

  /// Foundation's parser stops the program on some damaged lists; this one does not.
  private static func dictionary(_ data: Data) -> [String: PropertyList]? {
    (try? BinaryPlist.decode(data))?.dictionary
  }
}
