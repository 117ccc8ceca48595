import Foundation
import OpenSwiftDataSQLSyntax
import SwiftData
import Testing

@Model final class Recipe {
  #Unique<Recipe>([\.title, \.servings])
  #Index<Recipe>([\.title], [\.servings, \.title])
  @Attribute(.unique) var code: UUID
  var title: String
  var servings: Int
  var cost: Decimal
  var added: Date
  var notes: [String]
  var photo: Data?
  var rating: Double
  var opening: Hours
  var closing: Hours?
  var style: Style
  var steps: [Step] = []
  @Relationship(inverse: \Cook.recipes) var cooks: [Cook] = []

  init(code: UUID, title: String, opening: Hours, style: Style) {
    self.code = code
    self.title = title
    servings = 1
    cost = 0
    added = .now
    notes = []
    rating = 0
    self.opening = opening
    self.style = style
  }

  struct Hours: Codable {
    var hour: Int
    var zone: String?
  }

  enum Style: Codable {
    case plain
    case named(String)
  }
}

@Model final class Step {
  var text: String
  init(text: String) { self.text = text }
}

@Model class Cook {
  var name: String
  var recipes: [Recipe] = []
  var mentor: Cook?
  init(name: String) { self.name = name }
}

@Model final class Chef: Cook {
  var stars: Int
  init(name: String, stars: Int) {
    self.stars = stars
    super.init(name: name)
  }
}

struct MappingTests {
  let mapping: SchemaMapping

  init() throws {
    let types: [any PersistentModel.Type] = [Recipe.self, Step.self, Cook.self, Chef.self]
    mapping = SchemaMapping(
      schema: Schema(types),
      descriptors: Dictionary(
        uniqueKeysWithValues: types.map { ($0._$descriptor.entityName, $0._$descriptor) }))
  }

  private func table(_ name: String) throws -> TableDefinition {
    try #require(mapping.tables.first { $0.table.name == name })
  }

  @Test func rootEntitiesAreNumberedByNameAndHierarchiesDepthFirst() {
    #expect(mapping.entities.map(\.name) == ["Cook", "Chef", "Recipe", "Step"])
    #expect(mapping.entities.map(\.number) == [1, 2, 3, 4])
    #expect(mapping.entity(named: "Cook")?.subtreeNumbers == [1, 2])
    #expect(mapping.entity(named: "Chef")?.table == "ZCOOK")
  }

  @Test func columnsStandInGroupsAndClashesGetNumbers() throws {
    let columns = try table("ZRECIPE").table.columns.map {
      "\($0.name) \($0.type.columnName(in: .sqlite))"
    }
    #expect(
      columns == [
        "Z_PK INTEGER", "Z_ENT INTEGER", "Z_OPT INTEGER", "ZHOUR INTEGER", "ZHOUR1 INTEGER",
        "ZSERVINGS INTEGER", "ZADDED TIMESTAMP", "ZRATING FLOAT", "ZCOST DECIMAL",
        "ZZONE VARCHAR", "ZZONE1 VARCHAR", "Z_0 VARCHAR", "ZPLAIN VARCHAR", "ZTITLE VARCHAR",
        "ZCODE BLOB", "ZNOTES BLOB", "ZPHOTO BLOB",
      ])
  }

  @Test func indexesFollowKeysAndDeclarations() throws {
    #expect(
      try table("ZRECIPE").indexes.map { $0.rendered(in: .sqlite).sql } == [
        """
        CREATE INDEX Z_Recipe_SwiftDataIndexOnBinarytitle ON ZRECIPE \
        (ZTITLE COLLATE BINARY ASC)
        """,
        """
        CREATE INDEX Z_Recipe_SwiftDataIndexOnBinaryservingstitle ON ZRECIPE \
        (ZSERVINGS COLLATE BINARY ASC, ZTITLE COLLATE BINARY ASC)
        """,
        """
        CREATE UNIQUE INDEX Z_Recipe_UNIQUE_code ON ZRECIPE (ZCODE COLLATE BINARY ASC)
        """,
        """
        CREATE UNIQUE INDEX Z_Recipe_UNIQUE_title_servings ON ZRECIPE \
        (ZTITLE COLLATE BINARY ASC, ZSERVINGS COLLATE BINARY ASC)
        """,
      ])
  }

  @Test func aHierarchySharesATableAndReferencesCarryTheEntity() throws {
    let cook = try table("ZCOOK")
    #expect(
      cook.table.columns.map(\.name) == [
        "Z_PK", "Z_ENT", "Z_OPT", "ZMENTOR", "Z1_MENTOR", "ZSTARS", "ZNAME",
      ])
    #expect(cook.indexes.map(\.name) == ["ZCOOK_ZMENTOR_INDEX", "ZCOOK_Z_ENT_INDEX"])
  }

  @Test func aToManyWithoutInversePutsTheOwnersKeyIntoTheChild() throws {
    let steps = try #require(mapping.entity(named: "Recipe")?.property(named: "steps"))
    guard case .toMany(let relationship) = steps.kind else {
      Issue.record("steps is no to-many relationship")
      return
    }
    #expect(
      relationship.storage
        == .foreignKey(table: "ZSTEP", column: "Z3STEPS", entityNumberColumn: nil))
    #expect(try table("ZSTEP").indexes.map(\.name) == ["ZSTEP_Z3STEPS_INDEX"])
  }

  @Test func manyToManyIsOneTableSeenFromTwoSides() throws {
    #expect(
      try table("Z_1RECIPES").table.rendered(in: .sqlite).sql
        == """
        CREATE TABLE Z_1RECIPES ( Z_1COOKS INTEGER, Z_3RECIPES INTEGER, \
        PRIMARY KEY (Z_1COOKS, Z_3RECIPES) )
        """)
    func storage(_ entity: String, _ name: String) throws -> ToManyMapping.Storage? {
      let property = try #require(mapping.entity(named: entity)?.property(named: name))
      if case .toMany(let relationship) = property.kind { return relationship.storage }
      return nil
    }
    #expect(
      try storage("Recipe", "cooks")
        == .joinTable(name: "Z_1RECIPES", ownerColumn: "Z_3RECIPES", memberColumn: "Z_1COOKS"))
    #expect(
      try storage("Chef", "recipes")
        == .joinTable(name: "Z_1RECIPES", ownerColumn: "Z_1COOKS", memberColumn: "Z_3RECIPES"))
  }
}
