import Foundation
import OpenSwiftDataStoreFormat
import Testing

struct ModelCacheTests {
  /// A model with everything that a model of SwiftData may have.
  static var model: ModelDescription {
    var id = AttributeDescription(name: "id", type: .uuid)
    id.isIndexed = true
    id.preservesValueOnDeletion = true
    id.defaultValue = .uuid(UUID())
    var tags = AttributeDescription(name: "tags", type: .transformable)
    tags.valueClassName = "Array<String>"
    tags.transformerName = "NSSecureUnarchiveFromData"
    tags.defaultValue = .array([.string("new")])
    var phase = AttributeDescription(name: "phase", type: .composite)
    phase.isEnumeration = true
    phase.enumerationCases = ["open", "done"]
    phase.elements = ["open", "done"].map {
      AttributeDescription(name: $0, type: .string, isOptional: true)
    }
    var inner = AttributeDescription(name: "inner", type: .composite, isOptional: true)
    inner.elements = [AttributeDescription(name: "high", type: .integer64, isOptional: true)]
    phase.elements.append(inner)
    var since = AttributeDescription(name: "since", type: .date, isOptional: true)
    since.renamingIdentifier = "start"
    since.defaultValue = .date(7)
    var scratch = AttributeDescription(name: "scratch", type: .double)
    scratch.isTransient = true
    let author = RelationshipDescription(
      name: "author", destination: "Person", inverse: "works", isOptional: true, maximumCount: 1)
    let works = RelationshipDescription(
      name: "works", destination: "Work", inverse: "author", maximumCount: 0, deleteRule: .cascade)
    return ModelDescription(
      entities: [
        EntityDescription(
          name: "Work", isAbstract: true,
          properties: [
            .attribute(id), .attribute(tags), .attribute(phase), .attribute(since),
            .attribute(scratch), .relationship(author),
          ],
          uniqueConstraints: [["id"], ["author", "since"]],
          indexes: [
            IndexDescription(
              name: "SwiftDataIndexOnBinaryidauthor",
              elements: [.init("id"), .init("author", isAscending: false)]),
            IndexDescription(name: "Place", elements: [.init("since")], isSpatial: true),
          ]),
        EntityDescription(
          name: "Book", superName: "Work",
          properties: [.attribute(AttributeDescription(name: "pages", type: .integer64))]),
        EntityDescription(
          name: "Person", className: "App.Person", properties: [.relationship(works)],
          renamingIdentifier: "Author"),
      ],
      versionIdentifiers: ["1.0.0"])
  }

  /// The description with what the archive adds where nothing was said.
  private static func complete(_ model: ModelDescription) -> ModelDescription {
    func complete(_ attribute: AttributeDescription) -> AttributeDescription {
      var attribute = attribute
      attribute.renamingIdentifier = attribute.renamingIdentifier ?? attribute.name
      attribute.valueClassName = attribute.valueClassName ?? attribute.type.valueClassName
      attribute.elements = attribute.elements.map(complete)
      return attribute
    }
    return ModelDescription(
      entities: model.entities.map { entity in
        let properties: [PropertyDescription] = entity.properties.map { property in
          switch property {
          case .attribute(let attribute): return .attribute(complete(attribute))
          case .relationship(var relationship):
            relationship.renamingIdentifier = relationship.name
            return .relationship(relationship)
          case .fetched: return property
          }
        }
        return EntityDescription(
          name: entity.name, className: entity.className, isAbstract: entity.isAbstract,
          superName: entity.superName, properties: properties,
          uniqueConstraints: entity.uniqueConstraints, indexes: entity.indexes,
          renamingIdentifier: entity.renamingIdentifier ?? entity.name)
      }, versionIdentifiers: model.versionIdentifiers)
  }

  @Test func aModelIsReadAsItWasWritten() throws {
    let model = Self.model
    let read = try ModelCache.decode(ModelCache.encode(model))
    #expect(read == Self.complete(model))
    #expect(VersionHashes(read) == VersionHashes(model))
    #expect(try ModelCache.decode(ModelCache.encode(read)) == read)
  }

  /// The fields that each class has in files of Apple's framework.
  @Test func theArchiveHasTheFieldsOfAppleFramework() throws {
    let archive = try KeyedArchive(Deflate.inflate(ModelCache.encode(Self.model)))
    let root = try object(archive.root)
    #expect(archive.className(of: root) == "NSManagedObjectModel")
    #expect(
      archive.keys(of: root)
        == [
          "NSEntities", "NSFetchRequestTemplates", "NSVersionIdentifiers", "NSConfigurations",
        ])
    let entities = try object(archive[root, "NSEntities"])
    #expect(archive.keys(of: entities) == ["values", "searchMapping", "emptyToken", "version"])
    #expect(
      archive[try object(archive[entities, "searchMapping"]), "length"] == .plain(.integer(3)))
    let work = try find("Work", in: archive.entries(of: archive[root, "NSEntities"]), archive)
    let common: Set = [
      "NSEntityName", "NSClassNameForEntity", "NSProperties", "NSSubentities", "NSSuperentity",
      "NSUserInfo", "NSVersionHashModifier", "NSRenamingIdentifier", "NSManagedObjectModel",
    ]
    #expect(
      archive.keys(of: work)
        == common.union([
          "NSIsAbstract", "NSUniqueTuples", "NSFetchIndexDescriptions", "NSCompoundIndexes",
        ]))
    let book = try find("Book", in: archive.entries(of: archive[work, "NSSubentities"]), archive)
    #expect(archive.keys(of: book) == common)
    #expect(archive[book, "NSSuperentity"] == .object(work))
    #expect(archive[book, "NSManagedObjectModel"] == archive.root)

    let properties = archive.entries(of: archive[book, "NSProperties"])
    let attribute: Set = [
      "NSPropertyName", "NSAttributeType", "NSAttributeValueClassName", "NSDefaultValue",
      "NSValueTransformerName", "NSFlagsKey", "NSRenamingIdentifier", "NSEntity", "_P",
    ]
    for (name, flags, extra) in [
      ("pages", 0xF1, []), ("id", 0xF1, ["NSIsIndexed"]), ("since", 0xF3, ["NSIsOptional"]),
      ("scratch", 0xF9, ["NSIsTransient"]),
      ("phase", 0xB1, ["NSUserInfo", "NSCompositeElements"]),
    ] as [(String, Int64, Set<String>)] {
      let property = try find(name, in: properties, archive)
      #expect(archive.keys(of: property) == attribute.union(extra), "\(name)")
      #expect(archive[property, "_P"] == .plain(.integer(flags)), "\(name)")
      // Inherited properties are copied for each entity.
      #expect(archive[property, "NSEntity"] == .object(book))
    }
    let author = try find("author", in: properties, archive)
    #expect(
      archive.keys(of: author)
        == [
          "NSPropertyName", "NSDestinationEntity", "_NSDestinationEntityName",
          "NSInverseRelationship", "_NSInverseRelationshipName", "NSDeleteRule", "NSMinCount",
          "NSMaxCount", "NSRenamingIdentifier", "NSEntity", "NSIsOptional", "_P",
        ])
    let inverse = try object(archive[author, "NSInverseRelationship"])
    #expect(
      try object(archive[inverse, "NSInverseRelationship"])
        == find("author", in: archive.entries(of: archive[work, "NSProperties"]), archive))
    let index = try object(
      #require(archive.elements(of: archive[work, "NSFetchIndexDescriptions"])?.first))
    #expect(
      archive.keys(of: index)
        == ["NSIndexName", "NSPartialIndexPredicate", "NSIndexElements", "NSEntity"])
  }

  @Test func whatIsNoModelIsRefused() throws {
    #expect(throws: FormatError.self) { try ModelCache.decode(Data()) }
    #expect(throws: FormatError.self) { try ModelCache.decode(Data("no cache".utf8)) }
    var writer = KeyedArchiveWriter()
    let root = writer.value(.string("text"))
    let text = try Deflate.deflate(writer.data(root: root))
    #expect(throws: FormatError.self) { try ModelCache.decode(text) }
    let bytes = try Deflate.inflate(ModelCache.encode(Self.model))
    for place in stride(from: 8, to: bytes.count, by: 5) {
      var changed = bytes
      changed[place] = changed[place] &+ 3
      _ = try? ModelCache.decode(Deflate.deflate(changed))
    }
  }

  private func object(_ value: KeyedArchive.Value) throws -> KeyedArchive.Object {
    guard case .object(let object) = value else { throw FormatError("There is no object.") }
    return object
  }

  private func find(
    _ name: String, in entries: [(key: KeyedArchive.Value, value: KeyedArchive.Value)]?,
    _ archive: KeyedArchive
  ) throws -> KeyedArchive.Object {
    let entry = try #require(entries?.first { archive.string($0.key) == name })
    return try object(entry.value)
  }
}
