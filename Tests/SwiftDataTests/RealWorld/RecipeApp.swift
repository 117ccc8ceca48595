import Foundation
import SwiftData
import Testing

/// Models nested in versions of a schema, used through type aliases.
enum RecipeApp {
  enum SchemaV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Dish.self, Ingredient.self] }

    @Model final class Dish {
      var title: String
      @Relationship(deleteRule: .cascade, inverse: \RecipeApp.SchemaV1.Ingredient.dish)
      var ingredients: [Ingredient] = []

      init(title: String) { self.title = title }
    }

    @Model final class Ingredient {
      var name: String
      var dish: Dish?

      init(name: String) { self.name = name }
    }
  }

  enum SchemaV2: VersionedSchema {
    static var versionIdentifier: Schema.Version { .init(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Dish.self, Ingredient.self] }

    @Model final class Dish {
      #Index<Dish>([\.name], [\.name, \.rating])
      @Attribute(originalName: "title") var name: String
      var rating: Int?
      var steps: [String] = []
      @Relationship(deleteRule: .cascade, inverse: \Ingredient.dish)
      var ingredients: [Ingredient]? = []

      init(name: String, rating: Int? = nil, steps: [String] = []) {
        self.name = name
        self.rating = rating
        self.steps = steps
      }
    }

    @Model final class Ingredient {
      var name: String
      var amount: Measure?
      var dish: Dish?

      struct Measure: Codable, Hashable {
        var value: Double
        var unit: String
      }

      init(name: String, amount: Measure? = nil) {
        self.name = name
        self.amount = amount
      }
    }
  }

  typealias Dish = SchemaV2.Dish
  typealias Ingredient = SchemaV2.Ingredient
}

@Suite(.databases) struct RecipeAppTests {
  private func container() throws -> ModelContainer {
    let schema = Schema(versionedSchema: RecipeApp.SchemaV2.self)
    return try ModelContainer(
      for: schema, configurations: .init(schema: schema, isStoredInMemoryOnly: true))
  }

  @Test func aliasedModelsOfAVersionAreStored() throws {
    let container = try container()
    #expect(container.schema.version == Schema.Version(2, 0, 0))
    let context = ModelContext(container)
    let soup = RecipeApp.Dish(name: "Soup", rating: 4, steps: ["chop", "boil"])
    context.insert(soup)
    soup.ingredients?.append(RecipeApp.Ingredient(name: "Salt", amount: .init(value: 2, unit: "g")))
    soup.ingredients?.append(RecipeApp.Ingredient(name: "Water"))
    context.insert(RecipeApp.Dish(name: "Cake"))
    try context.save()
    let other = ModelContext(container)
    let rated = FetchDescriptor<RecipeApp.Dish>(
      predicate: #Predicate { dish in
        if let rating = dish.rating { rating > 3 } else { false }
      })
    let stored = try #require(try other.fetch(rated).first)
    #expect(stored.steps == ["chop", "boil"])
    #expect(Set((stored.ingredients ?? []).map(\.name)) == ["Salt", "Water"])
    #expect(stored.ingredients?.compactMap(\.amount).first == .init(value: 2, unit: "g"))
    let salty = FetchDescriptor<RecipeApp.Dish>(
      predicate: #Predicate { $0.ingredients?.contains { $0.name == "Salt" } == true })
    #expect(try other.fetch(salty).map(\.name) == ["Soup"])
    other.delete(stored)
    try other.save()
    #expect(try other.fetchCount(FetchDescriptor<RecipeApp.Ingredient>()) == 0)
  }

  @Test func twoVersionsOfOneEntityDontDisturbEachOther() throws {
    let old = ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: RecipeApp.SchemaV1.self),
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let new = ModelContext(try container())
    old.insert(RecipeApp.SchemaV1.Dish(title: "Old"))
    new.insert(RecipeApp.Dish(name: "New"))
    try old.save()
    try new.save()
    #expect(try old.fetch(FetchDescriptor<RecipeApp.SchemaV1.Dish>()).map(\.title) == ["Old"])
    #expect(try new.fetch(FetchDescriptor<RecipeApp.Dish>()).map(\.name) == ["New"])
  }
}
