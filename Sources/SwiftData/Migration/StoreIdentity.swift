import Foundation
package import OpenSwiftDataStoreFormat

/// What a file says of the models that wrote it, as far as it tells one version from another.
package final class StoreIdentity {
  /// Version hashes by entity; empty where the file has none.
  let hashes: [String: Data]
  /// As the file names its version: `["1.0.0"]`.
  let versionIdentifiers: [String]
  /// The attributes whose values have tags; `nil` where the file does not tell.
  let externalAttributes: Set<String>?
  /// The Swift types of integers that columns do not tell; `nil` where the file does not tell.
  let integerTypes: [String: String]?
  /// The superentity by entity, as the table of entities tells.
  let superNames: [String: String]
  /// The model of the cache, where the file has one. It is decoded when hashes do not settle the matter.
  private(set) lazy var model: ModelDescription? = readModel()
  /// The entities that have rows in the file, those of the history left out.
  private(set) lazy var entityNames: Set<String> = listEntities(model)

  private let readModel: () -> ModelDescription?
  private let listEntities: (ModelDescription?) -> Set<String>

  package init(
    hashes: [String: Data], model: ModelDescription?, versionIdentifiers: [String],
    entityNames: Set<String>, externalAttributes: Set<String>? = nil,
    integerTypes: [String: String]? = nil, superNames: [String: String] = [:]
  ) {
    self.hashes = hashes
    self.externalAttributes = externalAttributes
    self.integerTypes = integerTypes
    self.superNames = superNames
    self.versionIdentifiers = versionIdentifiers.filter { !$0.isEmpty }
    readModel = { model }
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
    let byNumber = stored.entitiesByNumber
    superNames = Dictionary(
      stored.entities.filter { EntityNumbering.isValid($0.number) }.compactMap { entity in
        byNumber[entity.superNumber].map { (entity.name, $0.name) }
      }, uniquingKeysWith: { first, _ in first })
    readModel = { stored.model }
    listEntities = { model in
      let named = (model.map(stored.renamed) ?? stored).entities.map(\.name)
      return Set(named + (model?.entities.map(\.name) ?? [])).subtracting(reserved)
    }
  }

  /// The entities that inherit from one of the given ones and are none of them.
  func subentities(beside names: Set<String>) -> Set<String> {
    let found = superNames.keys.filter { entity in
      var next = names.contains(entity) ? nil : superNames[entity]
      // The count ends the walk in a file whose superentities form a circle.
      for _ in superNames {
        guard let name = next else { return false }
        if names.contains(name) { return true }
        next = superNames[name]
      }
      return false
    }
    // Older frameworks left the old name of a renamed entity in their table: the model has another one.
    return found.isEmpty ? [] : Set(found.filter { model?[$0] != nil })
  }

  /// Whether the file tells its models by itself.
  var tellsModels: Bool { !hashes.isEmpty || model != nil }

  /// The version of the file in people's words.
  var versionText: String {
    versionIdentifiers.isEmpty ? "an unnamed version" : versionIdentifiers.joined(separator: ", ")
  }

  /// The identifiers of the file as versions; `nil` where it has none, or others.
  var versions: [Schema.Version]? {
    let versions = versionIdentifiers.compactMap(Schema.Version.init(text:))
    return versions.isEmpty || versions.count < versionIdentifiers.count ? nil : versions
  }
}

extension Schema.Version {
  /// Reads `1.0.0`.
  package init?(text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 3, let major = parts[0], let minor = parts[1], let patch = parts[2]
    else { return nil }
    self.init(major, minor, patch)
  }
}
