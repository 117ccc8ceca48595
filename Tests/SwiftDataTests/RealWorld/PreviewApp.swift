import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

/// Sample data for previews, and a view model that observes a model.
enum PreviewApp {
  @Model final class Card {
    var front: String
    var back: String
    var due: Date?
    var strength: Float = 0.5
    private var hiddenScore: Int = 0
    var tags: Set<String> = []

    init(front: String, back: String, due: Date? = nil) {
      self.front = front
      self.back = back
      self.due = due
    }

    var score: Int {
      get { hiddenScore }
      set { hiddenScore = max(0, newValue) }
    }

    static func dueDescriptor(on date: Date, limit: Int? = nil) -> FetchDescriptor<Card> {
      var descriptor = FetchDescriptor<Card>(
        predicate: duePredicate(on: date), sortBy: [SortDescriptor(\.due), SortDescriptor(\.front)])
      descriptor.fetchLimit = limit
      return descriptor
    }

    static func duePredicate(on date: Date) -> Predicate<Card> {
      #Predicate<Card> { card in card.due != nil && card.due! <= date }
    }

    static let samples = [("uno", "one"), ("dos", "two"), ("tres", "three")]
  }

  struct SampleData {
    let schema: Schema
    let container: ModelContainer

    @MainActor init(_ types: any PersistentModel.Type...) throws {
      schema = Schema(types)
      container = try ModelContainer(
        for: schema, configurations: .init(schema: schema, isStoredInMemoryOnly: true))
      for (index, sample) in Card.samples.enumerated() {
        container.mainContext.insert(
          Card(
            front: sample.0, back: sample.1,
            due: index == 2 ? nil : Date(timeIntervalSince1970: Double(10 - index))))
      }
    }
  }
}

@Suite(.databases) struct PreviewAppTests {
  @Test @MainActor func sampleDataIsThereWithoutASave() throws {
    let samples = try PreviewApp.SampleData(PreviewApp.Card.self)
    let context = samples.container.mainContext
    let due = PreviewApp.Card.dueDescriptor(on: Date(timeIntervalSince1970: 10))
    #expect(try context.fetch(due).map(\.back) == ["two", "one"])
    try context.save()
    #expect(try context.fetch(due).map(\.back) == ["two", "one"])
    let limited = PreviewApp.Card.dueDescriptor(on: Date(timeIntervalSince1970: 10), limit: 1)
    #expect(try context.fetch(limited).map(\.back) == ["two"])
    let predicate = PreviewApp.Card.duePredicate(on: Date(timeIntervalSince1970: 9))
    let cards = try context.fetch(FetchDescriptor<PreviewApp.Card>())
    #expect(try cards.filter { try predicate.evaluate($0) }.count == 1)
  }

  @Test func privatePropertiesAreStored() throws {
    let container = try ModelContainer(
      for: PreviewApp.Card.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let card = PreviewApp.Card(front: "a", back: "b")
    card.score = 7
    card.tags = ["x", "y"]
    card.tags.insert("z")
    context.insert(card)
    try context.save()
    card.score -= 10
    card.score += 3
    try context.save()
    let stored = try #require(try context.stored(PreviewApp.Card.self).first)
    #expect(stored.score == 3)
    #expect(stored.tags == ["x", "y", "z"])
  }

  @Test func computedPropertiesAreObservedThroughStoredOnes() throws {
    let context = ModelContext(
      try ModelContainer(
        for: PreviewApp.Card.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let card = PreviewApp.Card(front: "a", back: "b")
    context.insert(card)
    let fired = Atomic<Int>(0)
    withObservationTracking {
      _ = card.score
    } onChange: {
      fired.add(1, ordering: .relaxed)
    }
    card.front = "other"
    #expect(fired.load(ordering: .relaxed) == 0)
    card.score = 1
    #expect(fired.load(ordering: .relaxed) == 1)
  }
}
