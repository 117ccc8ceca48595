import Foundation
package import OpenSwiftDataStoreFormat

/// A validated schema with the descriptions that files contain of it, each made once, at its first
/// use.
///
/// Made for one opening of a store, which compares them with the file and maps the models. It must
/// not be used longer: the app may change the entities of a schema.
package final class DescribedSchema {
  package let schema: Schema
  /// The descriptors of the classes by entity name.
  package let descriptors: [String: _ModelDescriptor]
  package private(set) lazy var model = ModelDescription(schema, descriptors: descriptors)
  /// The version hashes by entity.
  package private(set) lazy var hashes: [String: Data] = VersionHashes(model).byEntity

  /// How composites are stored, which hashes leave out.
  package private(set) lazy var compositeForms = CompositeForms(
    model, optionalParts: Set(descriptors.values.flatMap(\.optionalParts)))

  package init(_ schema: Schema, descriptors: [String: _ModelDescriptor]) {
    self.schema = schema
    self.descriptors = descriptors
  }

  package convenience init(_ schema: Schema) {
    self.init(schema, descriptors: schema.descriptors)
  }
}
