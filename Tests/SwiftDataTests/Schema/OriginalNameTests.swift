import OpenSwiftDataStoreFormat
import SwiftData
import Testing

/// `@Model(originalName:)` reaches what a file says of its models.
@Suite struct OriginalNameTests {
  @Model(originalName: "Journey") class Trip {
    @Attribute(originalName: "label") var name: String

    init(name: String) { self.name = name }
  }

  @SwiftData.Model(originalName: "WalkingJourney")
  final class Hike: Trip {
    var height = 0

    override init(name: String) { super.init(name: name) }
  }

  @Model final class Plain {
    var trip: Trip?

    init() {}
  }

  @Test func theDescriptionHasTheEarlierNames() throws {
    let schema = Schema([Trip.self, Hike.self, Plain.self])
    let descriptors = schema.entities.compactMap { $0.modelType?._$descriptor }
    let model = ModelDescription(
      schema,
      descriptors: Dictionary(uniqueKeysWithValues: descriptors.map { ($0.entityName, $0) }))
    #expect(model["Trip"]?.renamingIdentifier == "Journey")
    #expect(model["Hike"]?.renamingIdentifier == "WalkingJourney")
    #expect(model["Plain"]?.renamingIdentifier == "Plain")
  }

  @Test func theFileSaysThem() throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Trip.self, Hike.self, Plain.self, configurations: ModelConfiguration(url: folder.store))
    let context = ModelContext(container)
    context.insert(Hike(name: "Alps"))
    try context.save()
    #expect(try context.stored(Trip.self).map(\.name) == ["Alps"])
    let cache = try SQLiteFile.data("SELECT Z_CONTENT FROM Z_MODELCACHE", in: folder.store)
    let model = try ModelCache.decode(cache)
    #expect(model["Trip"]?.renamingIdentifier == "Journey")
    #expect(model["Hike"]?.renamingIdentifier == "WalkingJourney")
  }
}
