import Foundation
import SwiftData
import Testing

private enum Regions {
  @Model class Region {
    @Attribute(.unique) var code: String
    var area = 0
    init(code: String) { self.code = code }
  }

  @Model final class Country: Region {
    var capital: String
    @Attribute(.unique) var number: Int?
    init(code: String, capital: String) {
      self.capital = capital
      super.init(code: code)
    }
  }

  @Model final class Continent: Region {
    var plates = 0
    @Attribute(.unique) var number: Int?
    override init(code: String) { super.init(code: code) }
  }
}

/// A uniqueness constraint of a superclass holds for all its subclasses, and no row changes its class.
@Suite(.databases) struct SiblingUpsertTests {
  private func context() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Regions.Region.self, Regions.Country.self, Regions.Continent.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  private func names(_ context: ModelContext) throws -> [String] {
    try ModelContext(context.container)
      .fetch(FetchDescriptor<Regions.Region>(sortBy: [SortDescriptor(\.code)]))
      .map { "\(type(of: $0)) \($0.code)" }
  }

  @Test func aNewModelDoesNotBecomeARowOfASibling() throws {
    let context = try context()
    context.insert(Regions.Continent(code: "AU"))
    try context.save()
    let country = Regions.Country(code: "AU", capital: "Canberra")
    let other = Regions.Country(code: "NZ", capital: "Wellington")
    context.insert(country)
    context.insert(other)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    let text = error?.description ?? ""
    #expect(error?.entity == "Country" && error?.property == "code")
    #expect(text.contains("Continent") && text.contains("Country"))
    #expect(context.hasChanges && context.insertedModelsArray.count == 2)
    #expect(try names(context) == ["Continent AU"])
    country.code = "AUS"
    try context.save()
    #expect(try names(context) == ["Continent AU", "Country AUS", "Country NZ"])
  }

  @Test func twoNewSiblingsOfOneSaveAreRefused() throws {
    let context = try context()
    context.insert(Regions.Continent(code: "AU"))
    context.insert(Regions.Country(code: "AU", capital: "Canberra"))
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(context.insertedModelsArray.count == 2)
    #expect(try names(context).isEmpty)
  }

  @Test func aSubclassAndItsSuperclassAreRefusedToo() throws {
    let context = try context()
    context.insert(Regions.Country(code: "AU", capital: "Canberra"))
    try context.save()
    context.insert(Regions.Region(code: "AU"))
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    context.rollback()
    #expect(try names(context) == ["Country AU"])
  }

  @Test func aModelOfTheSameClassBecomesTheRow() throws {
    let context = try context()
    for capital in ["Sydney", "Canberra"] {
      context.insert(Regions.Country(code: "AU", capital: capital))
      try context.save()
    }
    #expect(try context.fetch(FetchDescriptor<Regions.Country>()).map(\.capital) == ["Canberra"])
    #expect(try names(context) == ["Country AU"])
  }

  @Test(.sqliteOnly("expects the rows of a collision in the error"))
  func aChangedModelThatMeetsASiblingIsRefused() throws {
    let context = try context()
    context.insert(Regions.Continent(code: "AU"))
    let country = Regions.Country(code: "NZ", capital: "Wellington")
    context.insert(country)
    try context.save()
    country.code = "AU"
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.description.contains("Continent") == true)
    #expect(country.code == "AU" && context.hasChanges)
  }

  /// Each of the classes declares a unique property of this name.
  @Test func siblingsMayHaveEqualValuesOfTheirOwn() throws {
    let context = try context()
    let continent = Regions.Continent(code: "AU")
    let countries = ["NZ", "FJ"].map { Regions.Country(code: $0, capital: "") }
    for model in [continent] + countries { context.insert(model) }
    try context.save()
    continent.number = 1
    countries[0].number = 1
    try context.save()
    #expect(try context.stored(Regions.Continent.self).map(\.number) == [1])
    #expect(Set(try context.stored(Regions.Country.self).map(\.number)) == [1, nil])
    for country in countries { country.number = 2 }
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.entity == "Country" && error?.property == "number")
    context.rollback()
    continent.code = "X"
    countries[0].code = "X"
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
  }

  @Test func aDeletedSiblingMakesRoom() throws {
    let context = try context()
    let continent = Regions.Continent(code: "AU")
    context.insert(continent)
    try context.save()
    context.delete(continent)
    context.insert(Regions.Country(code: "AU", capital: "Canberra"))
    try context.save()
    #expect(try names(context) == ["Country AU"])
  }
}
