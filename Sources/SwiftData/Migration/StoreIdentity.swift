import Foundation
package import OpenSwiftDataStoreFormat

/// What a file says about the models that wrote it, as far as it distinguishes versions.
package final class StoreIdentity {
  /// Version hashes by entity; empty if the file has none.
  let hashes: [String: Data]
  /// The version names in the file: `["1.0.0"]`.
  let versionIdentifiers: [String]
  /// The attributes whose values have tags; `nil` if the file does not say.
  let externalAttributes: Set<String>?
  /// The Swift types of integers that columns do not tell; `nil` if the file does not say.
  let integerTypes: [String: String]?
  /// How composites are stored, as far as hashes leave it out; `nil` if the file does not say.
  let compositeForms: [String: String]?
  /// The types of lists of scalars; `nil` if the file does not say.
  let listTypes: [String: String]?
  /// The superentity by entity, from the table of entities.
  let superNames: [String: String]
  /// The model in the cache, if the file has one. It is decoded only if hashes do not decide.
  private(set) lazy var model: ModelDescription? = readModel()
  /// Whether the model in the file can't be read.
  private(set) lazy var lacksModel: Bool = isModelMissing()
  /// The entities of the file, without those of the history.
  private(set) lazy var entityNames: Set<String> = listEntities(model)

  private let readModel: () -> ModelDescription?
  private let isModelMissing: () -> Bool
  private let listEntities: (ModelDescription?) -> Set<String>

  package init(
    hashes: [String: Data], model: ModelDescription?, versionIdentifiers: [String],
    entityNames: Set<String>, externalAttributes: Set<String>? = nil,
    integerTypes: [String: String]? = nil, compositeForms: [String: String]? = nil,
    listTypes: [String: String]? = nil, superNames: [String: String] = [:]
  ) {
    self.hashes = hashes
    self.externalAttributes = externalAttributes
    self.integerTypes = integerTypes
    self.compositeForms = compositeForms
    self.listTypes = listTypes
    self.superNames = superNames
    self.versionIdentifiers = versionIdentifiers.filter { !$0.isEmpty }
    readModel = { model }
    isModelMissing = { false }
    listEntities = { _ in entityNames }
  }

  package init(_ stored: StoredSchema) {
    let metadata = stored.modelMetadata
    let reserved = Set(
      stored.entities.filter { !EntityNumbering.isValid($0.number) }.map(\.name))
    hashes = metadata?.versionHashes ?? [:]
    versionIdentifiers = (metadata?.versionIdentifiers ?? []).filter { !$0.isEmpty }
    externalAttributes = metadata?.externalAttributes.map(Set.init)
    integerTypes = metadata?.integerTypes
    compositeForms = metadata?.compositeForms
    listTypes = metadata?.listTypes
    let byNumber = stored.entitiesByNumber
    superNames = Dictionary(
      stored.entities.filter { EntityNumbering.isValid($0.number) }.compactMap { entity in
        byNumber[entity.superNumber].map { (entity.name, $0.name) }
      }, uniquingKeysWith: { first, _ in first })
    readModel = { stored.model }
    isModelMissing = { stored.lacksModel }
    listEntities = { model in
      let named = (model.map(stored.renamed) ?? stored).entities.map(\.name)
      return Set(named + (model?.entities.map(\.name) ?? [])).subtracting(reserved)
    }
  }

  /// The entities that inherit from one of the given ones and are not among them.
  func subentities(beside names: Set<String>) -> Set<String> {
    let found = superNames.keys.filter { entity in
      var next = names.contains(entity) ? nil : superNames[entity]
      // The number of iterations is limited, because superentities may form a cycle in a faulty
      // file.
      for _ in superNames {
        guard let name = next else { return false }
        if names.contains(name) { return true }
        next = superNames[name]
      }
      return false
    }
    // Older frameworks left the old name of a renamed entity in their table; the model has the new
    // name.
    return found.isEmpty ? [] : Set(found.filter { model?[$0] != nil })
  }

  /// Whether the file describes its models.
  var describesModels: Bool { !hashes.isEmpty || model != nil }

  /// The version of the file, for messages.
  package var versionText: String {
    versionIdentifiers.isEmpty ? "an unnamed version" : versionIdentifiers.joined(separator: ", ")
  }

  /// The version names of the file as versions; `nil` if there are none, or if one is not a
  /// version.
  var versions: [Schema.Version]? {
    let versions = versionIdentifiers.compactMap(Schema.Version.init(text:))
    return versions.isEmpty || versions.count < versionIdentifiers.count ? nil : versions
  }
}

extension Schema.Version {
  /// Parses `1.0.0`.
  package init?(text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 3, let major = parts[0], let minor = parts[1], let patch = parts[2]
    else { return nil }
    self.init(major, minor, patch)
  }
}
