import Foundation
import SwiftData
import Testing

/// Collections that read a batch of rows when it is touched, and enumeration.
@Suite struct BatchedFetchTests {
  let recorder = StatementRecorder()

  private func filled(_ count: Int) throws -> ModelContext {
    let container = try recorder.container(Library.types)
    let context = ModelContext(container)
    for number in 0..<count {
      let author = Author(name: String(format: "%04d", number))
      author.born = Date(timeIntervalSinceReferenceDate: Double(number))
      context.insert(author)
      author.books.append(Book(title: "Book \(number)", pages: number))
    }
    try context.save()
    return ModelContext(container)
  }

  private var youngestFirst: FetchDescriptor<Author> {
    FetchDescriptor(sortBy: [SortDescriptor(\.born, order: .reverse)])
  }

  /// Numbers that mean "all" to a user.
  @Test(arguments: [Int.max, Int.max - 1, Int.min, -1, 0])
  func limitsMayBeAnyNumber(number: Int) throws {
    let context = try filled(7)
    var all = youngestFirst
    all.fetchLimit = number
    #expect(try context.fetch(all).count == 7)
    #expect(try context.fetchCount(all) == 7)
    #expect(try context.fetchIdentifiers(all).count == 7)
    #expect(try Array(context.fetch(all, batchSize: number)).count == 7)
    var count = 0
    try context.enumerate(all, batchSize: number) { _ in count += 1 }
    #expect(count == 7)
    let observer = try ResultsObserver<Author, Never>(fetchDescriptor: all, modelContext: context)
    #expect(observer.results.count == 7)
    context.insert(Author(name: "new"))
    #expect(observer.results.count == 8)
    all.fetchOffset = number
    #expect(try context.fetch(all).count == (number > 0 ? 0 : 8))
    #expect(try context.fetchCount(all) == (number > 0 ? 0 : 8))
  }

  @Test func eachBatchIsOneStatementOfOneShape() throws {
    let context = try filled(100)
    var results: FetchResultsCollection<Author>?
    let keys = try recorder.during { results = try context.fetch(youngestFirst, batchSize: 30) }
    #expect(keys.count == 1)
    let collection = try #require(results)
    #expect(collection.count == 100)
    let touched = recorder.during {
      #expect(collection[65].name == "0034")
      #expect(collection[60].name == "0039")
      #expect(collection[99].name == "0000")
    }
    #expect(touched.map(\.rowCount) == [30, 10])
    #expect(Set(touched.map(\.sql)).count == 1)
    #expect(collection.map(\.name) == (0..<100).reversed().map { String(format: "%04d", $0) })
  }

  @Test func rowsThatGoMeanwhileStayInPlaceAsDeleted() throws {
    let context = try filled(10)
    let results = try context.fetch(youngestFirst, batchSize: 1)
    let held = results[9]
    let other = ModelContext(context.container)
    for author in try other.fetch(FetchDescriptor<Author>()) where author.name < "0003" {
      other.delete(author)
    }
    other.insert(Author(name: "0005b"))
    try other.save()
    #expect(results.count == 10)
    #expect(results.prefix(7).map(\.name) == (3..<10).reversed().map { "000\($0)" })
    #expect(results[7].isDeleted)
    #expect(results[9] === held)
    #expect(held.isDeleted)
    #expect(!results[6].isDeleted)
    #expect(try context.fetch(youngestFirst, batchSize: 4).map(\.name).contains("0005b"))
  }

  @Test func aGapInABatchMovesNoOtherModel() throws {
    let context = try filled(6)
    let results = try context.fetch(youngestFirst, batchSize: 6)
    let other = ModelContext(context.container)
    let name = "0003"
    try other.delete(model: Author.self, where: #Predicate { $0.name == name })
    #expect(results.map(\.isDeleted) == [false, false, true, false, false, false])
    #expect(results[1].name == "0004" && results[3].name == "0002" && results[5].name == "0000")
  }

  @Test func limitsOffsetsAndEmptyResults() throws {
    let context = try filled(20)
    var descriptor = youngestFirst
    descriptor.fetchLimit = 5
    descriptor.fetchOffset = 2
    #expect(
      try context.fetch(descriptor, batchSize: 2).map(\.name)
        == ["0017", "0016", "0015", "0014", "0013"])
    #expect(try context.fetchIdentifiers(descriptor, batchSize: 2).count == 5)
    descriptor.fetchOffset = 20
    #expect(try context.fetch(descriptor, batchSize: 2).isEmpty)
    #expect(try context.fetchIdentifiers(descriptor, batchSize: 0).isEmpty)
    try context.enumerate(descriptor) { _ in Issue.record("nothing to visit") }
  }

  @Test(arguments: [0, -3]) func aBatchSizeBelowOneReadsEverythingAtOnce(_ size: Int) throws {
    let context = try filled(20)
    let results = try context.fetch(youngestFirst, batchSize: size)
    let reads5 = recorder.during { #expect(results.map(\.name).count == 20) }
    #expect(reads5.count == 1)
    #expect(try context.fetchIdentifiers(youngestFirst, batchSize: size).count == 20)
    var visited = 0
    let statements = try recorder.during {
      try context.enumerate(youngestFirst, batchSize: size) { _ in visited += 1 }
    }
    #expect(visited == 20)
    #expect(statements.count == 2)
  }

  @Test func identifiersAreThoseOfTheModels() throws {
    let context = try filled(12)
    let models = try context.fetch(youngestFirst)
    let identifiers = try context.fetchIdentifiers(youngestFirst, batchSize: 5)
    let reads6 = recorder.during { #expect(Array(identifiers) == models.map(\.id)) }
    #expect(reads6.isEmpty)
    #expect(try context.fetchIdentifiers(youngestFirst) == Array(identifiers))
  }

  @Test func batchesOfSubclassesKeepTheOrder() throws {
    let container = try recorder.container([Animal.self, Dog.self, Puppy.self, Owner.self])
    let context = ModelContext(container)
    for number in 0..<9 {
      context.insert(
        number % 3 == 0
          ? Animal(name: "\(number)")
          : number % 3 == 1
            ? Dog(name: "\(number)", breed: "b\(number)")
            : Puppy(name: "\(number)", breed: "p", weeks: number))
    }
    try context.save()
    let fresh = ModelContext(container)
    let sorted = FetchDescriptor<Animal>(sortBy: [SortDescriptor(\.name, order: .reverse)])
    let results = try fresh.fetch(sorted, batchSize: 4)
    #expect(results.map(\.name) == (0..<9).reversed().map(String.init))
    #expect((results[0] as? Puppy)?.weeks == 8)
    #expect(Array(try fresh.fetchIdentifiers(sorted, batchSize: 4)) == results.map(\.id))
  }

  @Test func relationshipsArePrefetchedWithEachBatch() throws {
    let context = try filled(40)
    var descriptor = youngestFirst
    descriptor.relationshipKeyPathsForPrefetching = [\.books]
    let results = try context.fetch(descriptor, batchSize: 20)
    let statements = recorder.during {
      for author in results { #expect(author.books.count == 1) }
    }
    #expect(statements.count == 4)
    var pages = 0
    let enumerated = try recorder.during {
      try ModelContext(context.container).enumerate(descriptor, batchSize: 10) { author in
        pages += author.books.reduce(0) { $0 + $1.pages }
      }
    }
    #expect(pages == 780)
    #expect(enumerated.count == 1 + 2 * 4)
  }

  @Test func enumerationStaysOnCourseWhileTheClosureSavesAndDeletes() throws {
    let context = try filled(30)
    var visited: [String] = []
    try context.enumerate(youngestFirst, batchSize: 7) { author in
      visited.append(author.name)
      // Each visit takes the next model away and adds one that sorts last.
      let next = String(format: "%04d", (Int(author.name) ?? 0) - 1)
      for author in try context.fetch(
        FetchDescriptor<Author>(predicate: #Predicate { $0.name == next }))
      {
        context.delete(author)
      }
      context.insert(Author(name: "-" + author.name))
      try context.save()
    }
    #expect(visited == stride(from: 29, to: 0, by: -2).map { String(format: "%04d", $0) })
  }

  @Test func deletionsThatAreNotSavedAreNotVisited() throws {
    let context = try filled(6)
    var visited = 0
    try context.enumerate(youngestFirst, batchSize: 2, allowEscapingMutations: true) { author in
      visited += 1
      if visited == 1 {
        for author in try context.fetch(FetchDescriptor<Author>()) where author.name < "0003" {
          context.delete(author)
        }
      }
    }
    #expect(visited == 3)
  }

  @Test func changesFromBeforeTheEnumerationMayStay() throws {
    let context = try filled(3)
    context.insert(Author(name: "before"))
    var visited: [String] = []
    try context.enumerate(youngestFirst) { visited.append($0.name) }
    #expect(visited == ["0002", "0001", "0000", "before"])
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.enumerate(youngestFirst) { $0.born = .now }
    }
  }

  @Test func aPredicateInMemoryIsJudgedABatchAtATime() throws {
    let context = try filled(30)
    var descriptor = youngestFirst
    descriptor.predicate = #Predicate { $0.number < 20 && $0.name > "0000" }
    descriptor.fetchOffset = 5
    descriptor.fetchLimit = 4
    let expected = ["0014", "0013", "0012", "0011"]
    #expect(try context.fetch(descriptor).map(\.name) == expected)
    #expect(try context.fetch(descriptor, batchSize: 3).map(\.name) == expected)
    #expect(try context.fetchIdentifiers(descriptor).count == 4)
    #expect(try context.fetchCount(descriptor) == 4)
    var visited: [String] = []
    try context.enumerate(descriptor, batchSize: 3) { visited.append($0.name) }
    #expect(visited == expected)
  }
}

extension Author {
  /// Not stored, so a predicate that asks for it is judged in memory.
  fileprivate var number: Int { Int(name) ?? 0 }
}
