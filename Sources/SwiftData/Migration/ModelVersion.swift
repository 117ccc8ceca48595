import Foundation
package import OpenSwiftDataStoreFormat

/// A version of the models as recognition sees it: what a store of the version says about itself. It is
/// made when it is first asked for; most stores are opened without most of it.
package final class ModelVersion {
  package let identifier: Schema.Version
  package private(set) lazy var model: ModelDescription = makeModel()
  /// The version hashes by entity.
  package private(set) lazy var hashes: [String: Data] = VersionHashes(model).byEntity

  /// The attributes whose values may lie in files, which version hashes leave out: `Photo.data`.
  private(set) lazy var externalAttributes: Set<String> = listExternalAttributes()

  /// The Swift types of integers, which version hashes leave out too.
  private(set) lazy var integerTypes: [String: String] = listIntegerTypes()

  private let makeModel: () -> ModelDescription
  private let listExternalAttributes: () -> Set<String>
  private let listIntegerTypes: () -> [String: String]

  package init(
    _ identifier: Schema.Version, _ model: ModelDescription, externalAttributes: Set<String> = [],
    integerTypes: [String: String] = [:]
  ) {
    self.identifier = identifier
    makeModel = { model }
    listExternalAttributes = { externalAttributes }
    listIntegerTypes = { integerTypes }
  }

  package init(_ schema: Schema) {
    identifier = schema.version
    makeModel = { ModelDescription(schema, descriptors: schema.descriptors) }
    listExternalAttributes = { Set(schema.descriptors.values.flatMap(\.externalAttributes)) }
    listIntegerTypes = {
      schema.descriptors.values.reduce(into: [:]) { types, descriptor in
        types.merge(descriptor.integerTypes, uniquingKeysWith: { $1 })
      }
    }
  }

  /// As errors and files name it: `2.0.0`.
  package var name: String { "\(identifier)" }

  var entityNames: Set<String> { Set(hashes.keys) }

  /// The names that the entities have in this version, or had in one before it.
  var namesAndFormerNames: Set<String> {
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
  /// Those that the class itself declares.
  fileprivate var externalAttributes: [String] {
    properties.dropFirst(superclass?._$descriptor.slotCount ?? 0).filter(\.isExternallyStored)
      .map { "\(entityName).\($0.name)" }
  }
}

extension ModelDescription {
  /// Whether delete rules, names of before and default values are the same, which version hashes leave
  /// out. Defaults that are new with each launch, times and identifiers, do not count.
  func declaresTheSame(as other: ModelDescription) -> Bool {
    entities.allSatisfy { entity in
      guard let theirs = other[entity.name],
        entity.nameOfBefore == theirs.nameOfBefore
      else { return false }
      return entity.properties.allSatisfy { property in
        theirs[property.name].map(property.declaresTheSame) ?? false
      }
    }
  }
}

extension EntityDescription {
  fileprivate var nameOfBefore: String { renamingIdentifier ?? name }
}

extension PropertyDescription {
  fileprivate func declaresTheSame(as other: PropertyDescription) -> Bool {
    switch (self, other) {
    case (.attribute(let own), .attribute(let theirs)):
      own.renamingIdentifier ?? own.name == theirs.renamingIdentifier ?? theirs.name
        && own.lastingDefault == theirs.lastingDefault
    case (.relationship(let own), .relationship(let theirs)):
      own.renamingIdentifier ?? own.name == theirs.renamingIdentifier ?? theirs.name
        && own.deleteRule == theirs.deleteRule
    case (.fetched, .fetched): true
    default: false
    }
  }
}

extension AttributeDescription {
  fileprivate var lastingDefault: ModelValue? {
    switch defaultValue {
    // Files of earlier releases have no defaults of arrays and composites.
    case .uuid?, .date?, .object?, .array?, .dictionary?: nil
    default: defaultValue
    }
  }
}
