import OpenSwiftDataStoreFormat
import Testing

/// Names, types and order of columns, as real files have them.
@Suite struct StoreLayoutTests {
  private func attribute(_ name: String, _ type: AttributeType) -> PropertyDescription {
    .attribute(AttributeDescription(name: name, type: type))
  }

  private func struct_(_ name: String, _ parts: [(String, AttributeType)]) -> PropertyDescription {
    var composite = AttributeDescription(name: name, type: .composite)
    composite.elements = parts.map { AttributeDescription(name: $0.0, type: $0.1) }
    return .attribute(composite)
  }

  private func link(
    _ name: String, to destination: String, inverse: String? = nil, isToMany: Bool = false
  ) -> PropertyDescription {
    .relationship(
      RelationshipDescription(
        name: name, destination: destination, inverse: inverse, maximumCount: isToMany ? 0 : 1))
  }

  private func layout(
    _ entities: [EntityDescription], tables: Set<String> = []
  ) -> StoreLayout {
    let model = ModelDescription(entities: entities)
    return StoreLayout(model, numbers: model.freshNumbers, knownTables: tables)
  }

  @Test func columnsStandInGroupsAndClashesAreNumberedInTheOrderOfNames() throws {
    let made = layout([
      EntityDescription(
        name: "Task",
        properties: [
          attribute("title", .string), attribute("done", .boolean), attribute("due", .date),
          struct_("b", [("hour", .integer64), ("key", .integer64)]),
          struct_("a", [("hour", .integer64), ("key", .string)]), link("next", to: "Task"),
          attribute("tags", .transformable), attribute("photo", .binary), attribute("id", .uuid),
          attribute("price", .decimal), attribute("site", .uri),
        ])
    ])
    #expect(
      made.tables[0].columns.map { "\($0.name) \($0.type.rawValue)" } == [
        "ZHOUR INTEGER", "ZHOUR1 INTEGER", "ZKEY1 INTEGER", "ZDONE INTEGER", "ZNEXT INTEGER",
        "ZDUE TIMESTAMP", "ZPRICE DECIMAL", "ZKEY VARCHAR", "ZTITLE VARCHAR", "ZSITE VARCHAR",
        "ZID BLOB", "ZTAGS BLOB", "ZPHOTO BLOB",
      ])
    #expect(made.column("b", of: "Task", .leaf(["hour"]))?.name == "ZHOUR1")
  }

  @Test func aHierarchyIsWalkedFromTheRootForIntegersAndAsAWholeForTheRest() {
    let made = layout([
      EntityDescription(
        name: "Book", properties: [attribute("count", .integer32), attribute("title", .string)]),
      EntityDescription(
        name: "Novel", superName: "Book",
        properties: [attribute("isColoured", .boolean), attribute("artist", .string)]),
      EntityDescription(name: "Page", properties: [link("book", to: "Book")]),
      EntityDescription(
        name: "Shelf", properties: [link("books", to: "Book", isToMany: true)]),
    ])
    #expect(
      made.tables.map { $0.columns.map(\.name) } == [
        ["ZCOUNT", "ZISCOLOURED", "Z4BOOKS", "ZTITLE", "ZARTIST"], ["ZBOOK", "Z1_BOOK"], [],
      ])
    #expect(
      made.indexes.map(\.name) == [
        "ZBOOK_Z4BOOKS_INDEX", "ZBOOK_Z_ENT_INDEX", "ZPAGE_ZBOOK_INDEX",
      ])
  }

  @Test func aTableOfPairsIsNamedByTheSmallerNumber() {
    let made = layout([
      EntityDescription(
        name: "Quote", properties: [link("tags", to: "Tag", inverse: "quotes", isToMany: true)]),
      EntityDescription(
        name: "Tag", properties: [link("quotes", to: "Quote", inverse: "tags", isToMany: true)]),
    ])
    #expect(made.joinTables.map(\.name) == ["Z_1TAGS"])
    #expect(made.joinTables[0].columns == ["Z_1QUOTES", "Z_2TAGS"])
    #expect(made.joinSide("quotes", of: "Tag")?.ownerColumn == "Z_2TAGS")
    #expect(made.indexes.map(\.name) == ["Z_1TAGS_Z_2TAGS_INDEX"])
  }

  @Test func ofPairsOfOneEntityTheNameOfTheFileCounts() {
    let entity = EntityDescription(
      name: "User",
      properties: [
        link("blocking", to: "User", inverse: "blockedBy", isToMany: true),
        link("blockedBy", to: "User", inverse: "blocking", isToMany: true),
      ])
    #expect(layout([entity]).joinTables.map(\.name) == ["Z_1BLOCKING"])
    #expect(layout([entity]).joinTables.map(\.columns) == [["Z_1BLOCKEDBY", "Z_1BLOCKING"]])
    let other = layout([entity], tables: ["Z_1BLOCKEDBY"])
    #expect(other.joinTables.map(\.name) == ["Z_1BLOCKEDBY"])
    #expect(other.joinTables.map(\.columns) == [["Z_1BLOCKING", "Z_1BLOCKEDBY"]])
    #expect(other.joinSide("blocking", of: "User")?.ownerColumn == "Z_1BLOCKEDBY")
    #expect(other.joinSide("blocking", of: "User")?.memberColumn == "Z_1BLOCKING")
  }

  /// Both files that are known take the shorter name.
  @Test(arguments: [
    ("blockedBy", "blocking", "Z_1BLOCKING"),
    ("childCollections", "parentCollections", "Z_1CHILDCOLLECTIONS"),
    ("followers", "following", "Z_1FOLLOWERS"),
  ])
  func pairsOfOneEntityAreNamedByTheShorterRelationship(
    _ first: String, _ second: String, _ name: String
  ) {
    let entity = EntityDescription(
      name: "User",
      properties: [
        link(first, to: "User", inverse: second, isToMany: true),
        link(second, to: "User", inverse: first, isToMany: true),
      ])
    #expect(layout([entity]).joinTables.map(\.name) == [name])
  }

  @Test func indexesNameTheirProperties() {
    let made = layout([
      EntityDescription(
        name: "Task",
        properties: [
          attribute("id", .string), link("next", to: "Task"), struct_("at", [("hour", .integer64)]),
        ], uniqueConstraints: [["id", "next"]],
        indexes: [IndexDescription(name: "byHour", elements: [.init("at.hour"), .init("id")])])
    ])
    #expect(
      made.indexes.map { "\($0.name): \($0.columns.map(\.name))" } == [
        #"ZTASK_ZNEXT_INDEX: ["ZNEXT"]"#, #"Z_Task_byHour: ["ZHOUR", "ZID"]"#,
        #"Z_Task_UNIQUE_id_next: ["ZID", "ZNEXT"]"#,
      ])
    #expect(made.indexes.map(\.isUnique) == [false, false, true])
  }
}
