import SwiftData
import Testing

/// The sample of `@Model(originalName:)`.
@Suite(.databases) struct RenamedModelTests {
  @Model(originalName: "Journey")
  final class Trip {
    var name: String

    init(name: String) { self.name = name }
  }

  @Test func aModelWithAnEarlierNameIsOneAsOthers() throws {
    let container = try ModelContainer(
      for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.insert(Trip(name: "Rome"))
    try context.save()
    #expect(try context.stored(Trip.self).map(\.name) == ["Rome"])
    #expect(Trip._$descriptor.entityName == "Trip")
  }
}
