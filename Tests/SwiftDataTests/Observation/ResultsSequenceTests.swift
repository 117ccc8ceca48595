import Foundation
import SwiftData
import Testing

/// Sequences of results: the newest value wins, and the last one is never missed.
struct ResultsSequenceTests {
  typealias Note = HistoryOfStoresTests.Note

  private let container: ModelContainer

  init() throws {
    container = try ModelContainer(
      for: Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private static func texts(
    _ container: ModelContainer, until isLast: @escaping @Sendable ([String]) -> Bool,
    pause: Duration = .zero
  ) -> Task<[[String]], any Error> {
    Task {
      var seen: [[String]] = []
      let context = ModelContext(container)
      let descriptor = FetchDescriptor<Note>(sortBy: [SortDescriptor(\.text)])
      for await notes in context.results(of: descriptor) {
        seen.append(notes.map(\.text))
        if isLast(seen[seen.count - 1]) { break }
        try await Task.sleep(for: pause)
      }
      return seen
    }
  }

  @Test func theFirstValueComesAtOnceAndEachChangeAfterIt() async throws {
    let reader = ResultsSequenceTests.texts(container) { $0.count == 3 }
    let context = ModelContext(container)
    for text in ["a", "b", "c"] {
      try await Task.sleep(for: .milliseconds(30))
      context.insert(Note(text))
      try context.save()
    }
    let seen = try await reader.value
    #expect(seen.first == [])
    #expect(seen.last == ["a", "b", "c"])
    #expect(seen.map(\.count) == seen.map(\.count).sorted())
  }

  @Test func whoeverIsSlowGetsTheNewestOnly() async throws {
    let reader = ResultsSequenceTests.texts(
      container, until: { $0.count == 200 }, pause: .milliseconds(20))
    let context = ModelContext(container)
    for number in 0..<200 {
      context.insert(Note("\(number)"))
      try context.save()
    }
    let seen = try await reader.value
    #expect(seen.last?.count == 200)
    #expect(seen.count < 150)
  }

  @MainActor @Test func editsOfTheContextAreFollowedOnTheActor() async throws {
    let context = container.mainContext
    context.autosaveEnabled = false
    let writer = Task { @MainActor in
      for number in 1...3 {
        try await Task.sleep(for: .milliseconds(10))
        context.insert(Note("\(number)"))
      }
    }
    var counts: [Int] = []
    for await notes in context.results(of: FetchDescriptor<Note>()) {
      counts.append(notes.count)
      if notes.count == 3 { break }
    }
    try await writer.value
    #expect(counts.last == 3)
    #expect(counts == counts.sorted())
  }

  @MainActor @Test func editsOfItsModelsAreValues() async throws {
    let context = container.mainContext
    context.autosaveEnabled = false
    let note = Note("a")
    context.insert(note)
    try context.save()
    let (container, identifier) = (container, note.persistentModelID)
    var texts: [String] = []
    for await notes in context.results(of: FetchDescriptor<Note>()) {
      texts.append(notes.map(\.text).joined())
      if texts.count == 1 { note.text = "b" }
      if texts.count == 2 {
        try context.save()
        try await Task.detached {
          let other = ModelContext(container)
          let there = try #require(other.model(for: identifier) as? Note)
          there.text = "c"
          try other.save()
        }.value
      }
      if texts.last == "c" { break }
    }
    #expect(texts == ["a", "b", "c"])
  }

  @Test func aCancelledSequenceEnds() async throws {
    let reader = ResultsSequenceTests.texts(container) { _ in false }
    try await Task.sleep(for: .milliseconds(50))
    reader.cancel()
    let seen = try? await reader.value
    #expect(seen?.count ?? 1 == 1)
  }
}
