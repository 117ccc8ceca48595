import Foundation
import OpenSwiftDataTestModels
import SwiftData
import Synchronization
import Testing

/// Sequences of results: the newest value wins, and the last one is never missed.
@Suite(.databases) struct ResultsSequenceTests {
  private let container: ModelContainer

  init() throws {
    container = try ModelContainer(
      for: Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private static func texts(
    _ container: ModelContainer, until isLast: @escaping @Sendable ([String]) -> Bool,
    pause: Duration
  ) -> Task<[[String]], any Error> {
    Task {
      var seen: [[String]] = []
      let context = ModelContext(container)
      let descriptor = FetchDescriptor<Note>(sortBy: [SortDescriptor(\.text)])
      for await notes in context.results(of: descriptor) {
        seen.append(notes.map(\.text))
        if isLast(seen[seen.count - 1]) { break }
        try await quietly(pause)
      }
      return seen
    }
  }

  @Test func theFirstValueComesAtOnceAndEachChangeAfterIt() async throws {
    let seen = Mutex<[[String]]>([])
    let container = container
    let reader = Task {
      let order = FetchDescriptor<Note>(sortBy: [SortDescriptor(\.text)])
      for await notes in ModelContext(container).results(of: order) {
        let texts = notes.map(\.text)
        seen.withLock { $0.append(texts) }
        if texts.count == 3 { break }
      }
    }
    let context = ModelContext(container)
    for (index, text) in ["a", "b", "c"].enumerated() {
      try await eventually("the value before \(text)") { seen.withLock { $0.count } > index }
      context.insert(Note(text))
      try context.save()
    }
    await reader.value
    #expect(seen.withLock { $0 } == [[], ["a"], ["a", "b"], ["a", "b", "c"]])
  }

  @Test func aSlowReaderGetsTheNewestValueOnly() async throws {
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
    var counts: [Int] = []
    let writer = Task { @MainActor in
      for number in 1...3 {
        try await eventually("the value before") { counts.count >= number }
        context.insert(Note("\(number)"))
      }
    }
    for await notes in context.results(of: FetchDescriptor<Note>()) {
      counts.append(notes.count)
      if notes.count == 3 { break }
    }
    try await writer.value
    #expect(counts == [0, 1, 2, 3])
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
    let count = Mutex(0)
    let container = container
    let reader = Task {
      for await _ in ModelContext(container).results(of: FetchDescriptor<Note>()) {
        count.withLock { $0 += 1 }
      }
    }
    try await eventually("the first value") { count.withLock { $0 } > 0 }
    reader.cancel()
    await reader.value
    #expect(count.withLock { $0 } == 1)
  }
}
