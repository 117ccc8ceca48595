package import Foundation
package import OpenSwiftDataStoreFormat

/// What a file says of the models that wrote it, as far as it tells one version from another.
package struct StoreIdentity {
  /// Version hashes by entity; empty where the file has none.
  let hashes: [String: Data]
  /// The model of the cache, where the file has one.
  let model: ModelDescription?
  /// As the file names its version: `["1.0.0"]`.
  let versionIdentifiers: [String]
  /// The entities that have rows in the file, those of the history left out.
  let entityNames: Set<String>

  package init(
    hashes: [String: Data], model: ModelDescription?, versionIdentifiers: [String],
    entityNames: Set<String>
  ) {
    self.hashes = hashes
    self.model = model
    self.versionIdentifiers = versionIdentifiers.filter { !$0.isEmpty }
    self.entityNames = entityNames
  }

  package init(_ stored: StoredSchema) {
    let metadata = stored.modelMetadata
    let model = stored.model
    let stored = model.map(stored.renamed) ?? stored
    let reserved = Set(
      stored.entities.filter { !EntityNumbering.isValid($0.number) }.map(\.name))
    let named = stored.entities.map(\.name) + (model?.entities.map(\.name) ?? [])
    self.init(
      hashes: (metadata?.versionHashes ?? [:]).filter { !reserved.contains($0.key) },
      model: model, versionIdentifiers: metadata?.versionIdentifiers ?? [],
      entityNames: Set(named).subtracting(reserved))
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
