import Foundation
package import OpenSwiftDataStoreFormat

/// A version of the models in the form for recognition: the description that a store of the version
/// contains. Its parts are made on demand; opening a store usually needs few of them.
package final class ModelVersion {
  package let identifier: Schema.Version
  package private(set) lazy var model: ModelDescription = makeModel()
  /// The version hashes by entity.
  package private(set) lazy var hashes: [String: Data] = makeHashes()

  /// The attributes whose values may be in files, which version hashes ignore: `Photo.data`.
  private(set) lazy var externalAttributes: Set<String> = listExternalAttributes()

  /// The Swift types of integers, which version hashes ignore too.
  private(set) lazy var integerTypes: [String: String] = listIntegerTypes()

  /// How composites are stored, which version hashes ignore too.
  private(set) lazy var compositeForms: CompositeForms = makeForms()

  private let makeModel: () -> ModelDescription
  private let makeHashes: () -> [String: Data]
  private let makeForms: () -> CompositeForms
  private let listExternalAttributes: () -> Set<String>
  private let listIntegerTypes: () -> [String: String]

  package init(
    _ identifier: Schema.Version, _ model: ModelDescription, externalAttributes: Set<String> = [],
    integerTypes: [String: String] = [:]
  ) {
    self.identifier = identifier
    makeModel = { model }
    makeHashes = { VersionHashes(model).byEntity }
    makeForms = { CompositeForms(model) }
    listExternalAttributes = { externalAttributes }
    listIntegerTypes = { integerTypes }
  }

  package convenience init(_ schema: Schema) { self.init(DescribedSchema(schema)) }

  package init(_ models: DescribedSchema) {
    identifier = models.schema.version
    makeModel = { models.model }
    makeHashes = { models.hashes }
    makeForms = { models.compositeForms }
    listExternalAttributes = { Set(models.descriptors.values.flatMap(\.externalAttributes)) }
    listIntegerTypes = {
      models.descriptors.values.reduce(into: [:]) { types, descriptor in
        types.merge(descriptor.integerTypes, uniquingKeysWith: { $1 })
      }
    }
  }

  /// The name in errors and files: `2.0.0`.
  package var name: String { "\(identifier)" }

  private(set) lazy var entityNames = Set(model.entities.map(\.name))

  /// The names that the entities have in this version, and their former names.
  var currentAndFormerNames: Set<String> {
    entityNames.union(model.entities.compactMap(\.renamingIdentifier))
  }

  /// The hashes of some entities.
  func hashes(of names: Set<String>?) -> [String: Data] {
    guard let names else { return hashes }
    return hashes.filter { names.contains($0.key) }
  }

  /// The model with some of its entities.
  func model(of names: Set<String>?) -> ModelDescription {
    guard let names else { return model }
    return ModelDescription(
      entities: model.entities.filter { names.contains($0.name) },
      versionIdentifiers: model.versionIdentifiers)
  }
}

extension _ModelDescriptor {
  /// The attributes that the class itself declares.
  fileprivate var externalAttributes: [String] {
    properties.dropFirst(superclass?._$descriptor.slotCount ?? 0).filter(\.isExternallyStored)
      .map { "\(entityName).\($0.name)" }
  }
}

extension ModelDescription {
  /// Whether delete rules, former names and default values are the same, which version hashes
  /// ignore. Defaults that differ at each launch (times and identifiers) do not count.
  func declaresTheSame(as other: ModelDescription) -> Bool {
    entities.allSatisfy { entity in
      guard let theirs = other[entity.name],
        entity.formerName == theirs.formerName
      else { return false }
      return entity.properties.allSatisfy { property in
        theirs[property.name].map(property.declaresTheSame) ?? false
      }
    }
  }
}

extension EntityDescription {
  fileprivate var formerName: String { renamingIdentifier ?? name }
}

extension PropertyDescription {
  fileprivate func declaresTheSame(as other: PropertyDescription) -> Bool {
    switch (self, other) {
    case (.attribute(let own), .attribute(let theirs)):
      own.renamingIdentifier ?? own.name == theirs.renamingIdentifier ?? theirs.name
        && own.hasStableDefault(of: theirs)
    case (.relationship(let own), .relationship(let theirs)):
      own.renamingIdentifier ?? own.name == theirs.renamingIdentifier ?? theirs.name
        && own.deleteRule == theirs.deleteRule
    case (.fetched, .fetched): true
    default: false
    }
  }
}

extension AttributeDescription {
  fileprivate func hasStableDefault(of other: AttributeDescription) -> Bool {
    // Files contain no defaults of decimal numbers.
    if type == .decimal, defaultValue == nil || other.defaultValue == nil { return true }
    return stableDefault == other.stableDefault
  }

  private var stableDefault: ModelValue? {
    switch defaultValue {
    // Files of earlier releases contain no defaults of arrays and composites.
    case .uuid?, .date?, .object?, .array?, .dictionary?: nil
    default: defaultValue
    }
  }
}
