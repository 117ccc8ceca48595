import Foundation
import SwiftData
import Synchronization

enum ConcurrencyRules {
  private typealias Entry = Specimens.Entry

  static let chapter = Chapter(
    name: "concurrency", models: [Specimens.Entry.self],
    rules: [contexts, writers, updates, readers])

  private static let contexts = Rule(
    "contexts", .concurrency, "Saves of several contexts, one after the other, do not mix."
  ) { trial in
    let contexts = try (0..<3).map { _ in try trial.context() }
    for round in 0..<3 {
      for (index, context) in contexts.enumerated() {
        context.insert(Entry("context \(index)", index * 10 + round))
      }
      for context in contexts.reversed() { try context.save() }
    }
    let found = try trial.all(Entry.self).map { "\($0.title): \($0.number)" }
    let expected = (0..<3).flatMap { context in
      (0..<3).map { "context \(context): \(context * 10 + $0)" }
    }
    trial.expect("The models", found.sorted(), expected)
  }

  /// Runs a closure on several threads, each with a context of its own.
  private static func inParallel(
    _ trial: Trial, count: Int, _ body: @escaping @Sendable (Int, ModelContext) throws -> Void
  ) throws {
    let container = try trial.container()
    DispatchQueue.concurrentPerform(iterations: count) { index in
      do {
        try body(index, ModelContext(container))
      } catch {
        trial.problem("A thread expects no error, but was thrown: \(error)")
      }
    }
  }

  private static let writers = Rule(
    "writers", .concurrency, "Saves on several threads at once are all stored."
  ) { trial in
    let count = 4
    try inParallel(trial, count: count) { index, context in
      for round in 0..<10 {
        context.insert(Entry("thread \(index)", index * 100 + round))
        try context.save()
      }
    }
    let found = try trial.all(Entry.self)
    let expected = (0..<count).flatMap { thread in (0..<10).map { thread * 100 + $0 } }
    trial.expect("The numbers", found.map(\.number).sorted(), expected)
    trial.expect(
      "The number of identifiers", Set(found.map(\.persistentModelID)).count, expected.count)
    for entry in found where entry.title != "thread \(entry.number / 100)" {
      trial.problem("A model has the number \(entry.number) and the title \(entry.title).")
    }
  }

  private static let updates = Rule(
    "updates", .concurrency, "Threads that change different models lose no change of each other."
  ) { trial in
    let count = 4
    try trial.save((0..<count).map { Entry("\($0)", 0) })
    try inParallel(trial, count: count) { index, context in
      let title = "\(index)"
      let found = try context.fetch(
        FetchDescriptor<Entry>(predicate: #Predicate { $0.title == title }))
      for _ in 0..<10 {
        for entry in found { entry.number += 1 }
        try context.save()
      }
    }
    trial.expect("The numbers", try trial.all(Entry.self).map(\.number), [10, 10, 10, 10])
  }

  private static let readers = Rule(
    "readers", .concurrency, "A fetch during the saves of other threads sees whole models only."
  ) { trial in
    try trial.save((0..<5).map { _ in Entry("0", 0) })
    try inParallel(trial, count: 3) { index, context in
      for round in 1...15 {
        if index == 0 {
          for entry in try context.fetch(FetchDescriptor<Entry>()) {
            (entry.title, entry.number) = ("\(round)", round)
          }
          try context.save()
          continue
        }
        let found = try ModelContext(context.container).fetch(FetchDescriptor<Entry>())
        trial.expect("The number of models during saves", found.count, 5)
        for entry in found where entry.title != "\(entry.number)" {
          trial.problem("A model has the number \(entry.number) and the title \(entry.title).")
        }
      }
    }
    trial.expect("The numbers", try trial.all(Entry.self).map(\.number), [15, 15, 15, 15, 15])
  }
}
