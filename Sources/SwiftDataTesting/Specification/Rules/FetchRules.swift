import SwiftData

enum FetchRules {
  private typealias Entry = Specimens.Entry

  static let chapter = Chapter(
    name: "fetching", models: [Specimens.Entry.self],
    rules: [count, agreement, identifiers, enumeration, batches, properties])

  private static func fill(_ trial: Trial) throws {
    try trial.save([5, 2, 4, 1, 3].map { Entry("entry \($0)", $0, rank: $0 * 10) })
  }

  private static let count = Rule(
    "count", .fetching, "fetchCount is the number of models that a fetch returns."
  ) { trial in
    trial.expect(
      "The count of nothing", try trial.context().fetchCount(FetchDescriptor<Entry>()), 0)
    try fill(trial)
    trial.expect("The count", try trial.context().fetchCount(FetchDescriptor<Entry>()), 5)
    let some = FetchDescriptor<Entry>(predicate: #Predicate { $0.number > 3 })
    trial.expect("The count with a predicate", try trial.context().fetchCount(some), 2)
  }

  private static let agreement = Rule(
    "agreement", .fetching,
    "fetch, fetchCount and fetchIdentifiers of the store agree, or leave the request to the context."
  ) { trial in
    try fill(trial)
    var descriptor = FetchDescriptor<Entry>(predicate: #Predicate { $0.number > 2 })
    descriptor.sortBy = [SortDescriptor(\.number)]
    descriptor.fetchOffset = 1
    for (name, size) in try trial.store().sizes(descriptor) {
      trial.expect("The number of models that \(name) finds", size, 2)
    }
    for (name, size) in try trial.store().sizes(FetchDescriptor<Entry>()) {
      trial.expect("The number of all models that \(name) finds", size, 5)
    }
  }

  private static let identifiers = Rule(
    "identifiers", .fetching,
    "fetchIdentifiers returns those of the fetched models, in their order."
  ) { trial in
    try fill(trial)
    var descriptor = FetchDescriptor(sortBy: [SortDescriptor(\Entry.number)])
    descriptor.fetchLimit = 3
    let models = try trial.context().fetch(descriptor).map(\.persistentModelID)
    trial.expect(
      "The identifiers", try trial.context().fetchIdentifiers(descriptor), models)
    trial.expect("The number of identifiers", models.count, 3)
  }

  private static let enumeration = Rule(
    "enumerate", .fetching, "enumerate visits the fetched models once, in their order."
  ) { trial in
    try fill(trial)
    var numbers: [Int] = []
    let descriptor = FetchDescriptor(sortBy: [SortDescriptor(\Entry.number)])
    try trial.context().enumerate(descriptor, batchSize: 2) { numbers.append($0.number) }
    trial.expect("The visited numbers", numbers, [1, 2, 3, 4, 5])
  }

  private static let batches = Rule(
    "batches", .fetching, "A fetch in batches returns the same models as one without."
  ) { trial in
    try fill(trial)
    let descriptor = FetchDescriptor(
      predicate: #Predicate<Entry> { $0.number != 3 },
      sortBy: [SortDescriptor(\Entry.number, order: .reverse)])
    let found = try trial.context().fetch(descriptor, batchSize: 2)
    trial.expect("The numbers", found.map(\.number), [5, 4, 2, 1])
  }

  private static let properties = Rule(
    "propertiesToFetch", .fetching,
    "Properties that a fetch does not name are read when they are used."
  ) { trial in
    try fill(trial)
    var descriptor = FetchDescriptor(sortBy: [SortDescriptor(\Entry.number)])
    descriptor.propertiesToFetch = [\.number]
    let found = try trial.context().fetch(descriptor)
    trial.expect("The named property", found.map(\.number), [1, 2, 3, 4, 5])
    trial.expect("Another property", found.map(\.rank), [10, 20, 30, 40, 50])
    trial.expect("The titles", found.map(\.title).first, "entry 1")
  }
}
