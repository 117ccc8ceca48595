import SwiftData
import Testing

@Suite(.databases) struct InitialValueTests {
  @Model final class Gauge {
    @Transient var scratch = Scratch(text: "made on the way")
    var reading = 7
    var label: String
    @Transient var later = Scratch(text: "made later")

    init(label: String) { self.label = label }
  }

  @Model final class Scratch {
    var text: String
    var count = 3

    init(text: String) { self.text = text }
  }

  @Test func modelsThatInitialValuesMakeDoNotDisturbAFetch() throws {
    let container = try ModelContainer(
      for: Gauge.self, Scratch.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let gauge = Gauge(label: "pressure")
    gauge.reading = 11
    context.insert(gauge)
    try context.save()
    let read = try #require(try ModelContext(container).fetch(FetchDescriptor<Gauge>()).first)
    #expect(read.label == "pressure" && read.reading == 11)
    #expect(read.scratch.text == "made on the way" && read.scratch.count == 3)
    #expect(read.later.text == "made later")
    #expect(read.scratch.modelContext == nil)
  }
}
