import Foundation
import SwiftData

enum OrderRules {
  private typealias Entry = Specimens.Entry

  static let chapter = Chapter(
    name: "orders", models: [Specimens.Entry.self],
    rules: [
      order, reverse, severalKeys, missing, texts, limit, offset, afterPredicate, afterOrder, zero,
      beyond,
    ])

  /// Entries whose order of insertion is no order of their values.
  private static func fill(_ trial: Trial) throws {
    for number in [3, 1, 4, 2, 5] {
      try trial.save([Entry("entry \(number)", number, rank: number == 4 ? nil : number % 2)])
    }
  }

  private static func numbers(_ trial: Trial, _ descriptor: FetchDescriptor<Entry>) throws -> [Int]
  {
    try trial.context().fetch(descriptor).map(\.number)
  }

  private static let order = Rule(
    "one key", .fetching, "A fetch with an order returns the models in that order."
  ) { trial in
    try fill(trial)
    let found = try numbers(trial, FetchDescriptor(sortBy: [SortDescriptor(\.number)]))
    trial.expect("The numbers in order", found, [1, 2, 3, 4, 5])
  }

  private static let reverse = Rule(
    "reverse", .fetching, "A reverse order begins with the largest value."
  ) { trial in
    try fill(trial)
    let sort = SortDescriptor(\Entry.number, order: .reverse)
    let found = try numbers(trial, FetchDescriptor(sortBy: [sort]))
    trial.expect("The numbers in reverse order", found, [5, 4, 3, 2, 1])
  }

  private static let severalKeys = Rule(
    "several keys", .fetching,
    "Later sort descriptors order the models that earlier ones leave equal."
  ) { trial in
    for number in [3, 1, 4, 2, 5, 6] { try trial.save([Entry("\(number % 2)", number)]) }
    let first = SortDescriptor(\Entry.title)
    let up = FetchDescriptor(sortBy: [first, SortDescriptor(\.number)])
    trial.expect("Both keys forward", try numbers(trial, up), [2, 4, 6, 1, 3, 5])
    let down = FetchDescriptor(sortBy: [first, SortDescriptor(\.number, order: .reverse)])
    trial.expect("The second key in reverse", try numbers(trial, down), [6, 4, 2, 5, 3, 1])
    let other = SortDescriptor(\Entry.title, order: .reverse)
    let mixed = FetchDescriptor(sortBy: [other, SortDescriptor(\.number)])
    trial.expect("The first key in reverse", try numbers(trial, mixed), [1, 3, 5, 2, 4, 6])
  }

  private static let missing = Rule(
    "nil", .fetching, "nil comes before every value, and in reverse order after every value."
  ) { trial in
    try trial.save([Entry("b", 2, rank: 2), Entry("none", 0), Entry("a", 1, rank: -1)])
    let up = FetchDescriptor(sortBy: [SortDescriptor(\Entry.rank)])
    trial.expect("The numbers in order", try numbers(trial, up), [0, 1, 2])
    let down = FetchDescriptor(sortBy: [SortDescriptor(\Entry.rank, order: .reverse)])
    trial.expect("The numbers in reverse order", try numbers(trial, down), [2, 1, 0])
  }

  private static let texts = Rule(
    "texts", .fetching, "Texts are ordered by the comparator of the sort descriptor."
  ) { trial in
    try trial.save(["b", "B", "a", "item 10", "item 9"].map { Entry($0) })
    let lexical = FetchDescriptor(sortBy: [SortDescriptor(\Entry.title, comparator: .lexical)])
    trial.expect(
      "The titles in lexical order", try trial.titles(lexical),
      ["B", "a", "b", "item 10", "item 9"])
    let plain = SortDescriptor(\Entry.title)
    let expected = try trial.all(Entry.self).sorted(using: plain).map(\.title)
    let found = try trial.titles(FetchDescriptor(sortBy: [plain]))
    trial.expect("The titles without a comparator", found, expected)
  }

  private static let limit = Rule(
    "limit", .fetching, "A fetch with a limit returns no more models, and as many if it can."
  ) { trial in
    try fill(trial)
    var descriptor = FetchDescriptor<Entry>()
    for limit in [1, 3, 5, 9] {
      descriptor.fetchLimit = limit
      let found = try numbers(trial, descriptor)
      trial.expect("The number of models with limit \(limit)", Set(found).count, min(limit, 5))
      trial.expect(
        "The count with limit \(limit)", try trial.context().fetchCount(descriptor), min(limit, 5))
    }
  }

  private static let offset = Rule(
    "offset", .fetching, "An offset leaves out the first models of the order."
  ) { trial in
    try fill(trial)
    var descriptor = FetchDescriptor(sortBy: [SortDescriptor(\Entry.number)])
    descriptor.fetchOffset = 2
    trial.expect("The numbers after two", try numbers(trial, descriptor), [3, 4, 5])
    descriptor.fetchLimit = 2
    trial.expect("Two numbers after two", try numbers(trial, descriptor), [3, 4])
    var unordered = FetchDescriptor<Entry>()
    let all = try numbers(trial, unordered)
    unordered.fetchOffset = 3
    trial.expect(
      "The numbers after three without an order", try numbers(trial, unordered),
      Array(all.dropFirst(3)))
  }

  private static let afterPredicate = Rule(
    "limit after predicate", .fetching,
    "Limit and offset count the models that match the predicate."
  ) { trial in
    try fill(trial)
    var descriptor = FetchDescriptor<Entry>(predicate: #Predicate { $0.number % 2 == 0 })
    descriptor.fetchLimit = 2
    trial.expect(
      "The numbers with a limit of two", try numbers(trial, descriptor).sorted(), [2, 4])
    descriptor.fetchOffset = 1
    trial.expect("The number of models after one", try numbers(trial, descriptor).count, 1)
    trial.expect("The count after one", try trial.context().fetchCount(descriptor), 1)
    trial.expect(
      "The identifiers after one", try trial.context().fetchIdentifiers(descriptor).count, 1)
  }

  private static let afterOrder = Rule(
    "limit after order", .fetching, "Limit and offset take the first models of the order."
  ) { trial in
    try fill(trial)
    var descriptor = FetchDescriptor(sortBy: [SortDescriptor(\Entry.number, order: .reverse)])
    descriptor.fetchLimit = 2
    trial.expect("The two largest numbers", try numbers(trial, descriptor), [5, 4])
    descriptor.predicate = #Predicate { $0.number < 5 }
    trial.expect("The two largest below five", try numbers(trial, descriptor), [4, 3])
    descriptor.fetchOffset = 1
    trial.expect("The next two below five", try numbers(trial, descriptor), [3, 2])
  }

  private static let zero = Rule(
    "limit of zero", .fetching, "A limit of zero is no limit, an offset of zero leaves out nothing."
  ) { trial in
    try fill(trial)
    var descriptor = FetchDescriptor<Entry>()
    (descriptor.fetchLimit, descriptor.fetchOffset) = (0, 0)
    trial.expect("The numbers", try numbers(trial, descriptor).sorted(), [1, 2, 3, 4, 5])
    trial.expect("The count", try trial.context().fetchCount(descriptor), 5)
  }

  private static let beyond = Rule(
    "offset beyond the end", .fetching, "An offset beyond the last model returns nothing."
  ) { trial in
    try fill(trial)
    var descriptor = FetchDescriptor(sortBy: [SortDescriptor(\Entry.number)])
    for offset in [5, 50] {
      descriptor.fetchOffset = offset
      trial.expect("The numbers after \(offset)", try numbers(trial, descriptor), [])
      trial.expect(
        "The count after \(offset)", try trial.context().fetchCount(descriptor), 0)
      trial.expect(
        "The identifiers after \(offset)",
        try trial.context().fetchIdentifiers(descriptor).count, 0)
    }
  }
}
