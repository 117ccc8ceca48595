import Foundation
import SwiftData
import Synchronization
import Testing

/// A limit over a predicate that SQL can't evaluate whole reads rows until enough of them match.
@Suite(.databases) struct LimitInMemoryTests {
  @Model final class Word {
    var number: Int
    var text: String

    init(_ number: Int) {
      self.number = number
      text = (number % 2 == 0 ? "L" : "M") + "\(number)"
    }

    /// Not stored, so predicates that ask for them are evaluated in memory.
    var isEven: Bool { number % 2 == 0 }
    var isRare: Bool { number % 100 == 99 }
  }

  let recorder = StatementRecorder()

  private func filled(_ count: Int) throws -> ModelContext {
    let container = try recorder.container([Word.self])
    try Self.fill(container, count)
    let context = ModelContext(container)
    context.autosaveEnabled = false
    return context
  }

  /// The order of the keys is not that of the numbers.
  private static func fill(_ container: ModelContainer, _ count: Int) throws {
    let context = ModelContext(container)
    for number in (0..<count).reversed() { context.insert(Word(number)) }
    try context.save()
  }

  private static func words(
    _ predicate: Predicate<Word>, limit: Int?, offset: Int? = nil
  ) -> FetchDescriptor<Word> {
    var descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.number)])
    (descriptor.fetchLimit, descriptor.fetchOffset) = (limit, offset)
    return descriptor
  }

  private static func rare(_ limit: Int?, offset: Int? = nil) -> FetchDescriptor<Word> {
    words(#Predicate { $0.isRare }, limit: limit, offset: offset)
  }

  private func rowsRead(during body: () throws -> Void) rethrows -> [Int] {
    try recorder.during(body).map(\.rowCount)
  }

  // MARK: What is read

  @Test(arguments: [500, 1000]) func aTableMayGrow(_ count: Int) throws {
    let context = try filled(count)
    let rows = try rowsRead { () throws in
      let found = try context.fetch(Self.words(#Predicate { $0.isEven }, limit: 10))
      #expect(found.map(\.number) == (0..<10).map { 2 * $0 })
    }
    #expect(rows == [74])
  }

  /// PostgreSQL selects more rows than Swift.
  @Test(arguments: [500, 1000]) func soMayTheRowsOfAPrefix(_ count: Int) throws {
    let context = try filled(count)
    let descriptor = Self.words(#Predicate { $0.text.starts(with: "L") }, limit: 10, offset: 5)
    let rows = try rowsRead { () throws in
      #expect(try context.fetch(descriptor).map(\.number) == (5..<15).map { 2 * $0 })
    }
    #expect(rows.count == 1)
    #expect(rows.reduce(0, +) < 100)
  }

  /// All keys, and whole rows in larger and larger batches.
  @Test(arguments: [1000, 2000]) func rareMatchesAreFoundInBatches(_ count: Int) throws {
    let context = try filled(count)
    var found: [Word] = []
    let rows = try rowsRead { () throws in found = try context.fetch(Self.rare(3)) }
    #expect(found.map(\.number) == [99, 199, 299])
    #expect(rows == [67, count, 67, 134, 268])
    let identifiers = try ModelContext(context.container).fetchIdentifiers(FetchDescriptor<Word>())
    let inMemory = identifiers.filter { (context.registeredModel(for: $0) as Word?) != nil }
    #expect(Set(inMemory) == Set(found.map(\.persistentModelID)))
  }

  @Test func theWorkInMemoryIsReportedOnce() throws {
    let context = try filled(500)
    let work = try recorder.leftToMemory { _ = try context.fetch(Self.rare(3)) }
    #expect(work.map(\.entityName) == ["Word"])
  }

  @Test func otherKindsOfFetchStopToo() throws {
    let context = try filled(1000)
    let descriptor = Self.rare(3)
    let found = try context.fetch(descriptor).map(\.persistentModelID)
    let identifiers = try rowsRead { () throws in
      #expect(try context.fetchIdentifiers(descriptor) == found)
    }
    let batches = try rowsRead { () throws in
      #expect(try context.fetch(descriptor, batchSize: 0).count == 3)
    }
    #expect(identifiers == [1000, 67, 134, 268] && batches == identifiers)
    // A count needs no order.
    let count = try rowsRead { () throws in #expect(try context.fetchCount(descriptor) == 3) }
    #expect(count == [1000, 67, 134])
    var visited: [PersistentIdentifier] = []
    try context.enumerate(descriptor) { visited.append($0.persistentModelID) }
    #expect(visited == found)
  }

  // MARK: What is found

  @Test func pagesNeitherOverlapNorLeaveGaps() throws {
    let context = try filled(1500)
    var sorted: [Int] = []
    var unsorted: [Int] = []
    for (offset, count) in [(0, 4), (4, 4), (8, 4), (12, 3), (16, 0)] {
      var page = Self.rare(4, offset: offset)
      let found = try context.fetch(page)
      #expect(found.count == count)
      sorted += found.map(\.number)
      page.sortBy = []
      unsorted += try context.fetch(page).map(\.number)
    }
    let expected = (0..<15).map { 100 * $0 + 99 }
    #expect(sorted == expected)
    #expect(unsorted.sorted() == expected)
  }

  @Model final class Label {
    #Index<Label>([\.name])
    var name: String
    var isRare: Bool { name.hasSuffix("99") }

    init(_ name: String) { self.name = name }
  }

  /// Without an order, an index gives the rows in another order than the keys.
  @Test func pagesWithoutAnOrderDoNotOverlapAfterACount() throws {
    let context = ModelContext(try recorder.container([Label.self]))
    context.autosaveEnabled = false
    for number in (100..<400).reversed() { context.insert(Label("\(number)")) }
    try context.save()
    var descriptor = FetchDescriptor<Label>(predicate: #Predicate { $0.name > "" && $0.isRare })
    #expect(try context.fetchCount(descriptor) == 3)
    descriptor.fetchLimit = 1
    let pages = try (0..<3).flatMap { offset in
      descriptor.fetchOffset = offset
      return try context.fetch(descriptor).map(\.name)
    }
    #expect(pages.sorted() == ["199", "299", "399"])
  }

  /// PostgreSQL selects texts that contain the end anywhere, and the first of them are too few.
  @Test func endsOfTextsAreFound() throws {
    let context = try filled(1000)
    let descriptor = Self.words(#Predicate { $0.text.hasSuffix("7") }, limit: 60, offset: 3)
    #expect(try context.fetch(descriptor).map(\.number) == (3..<63).map { 10 * $0 + 7 })
  }

  @Test func aLimitOfZeroIsNone() throws {
    let context = try filled(500)
    #expect(try context.fetch(Self.rare(0)).map(\.number) == [99, 199, 299, 399, 499])
    #expect(try context.fetch(Self.rare(nil, offset: 3)).map(\.number) == [399, 499])
  }

  /// 67 rows are read first.
  @Test(arguments: [0, 1, 66, 67, 68, 150]) func thereMayBeFewerMatches(_ count: Int) throws {
    let context = try filled(count)
    #expect(try context.fetch(Self.rare(3)).map(\.number) == (count > 99 ? [99] : []))
    #expect(try context.fetch(Self.rare(3, offset: 1)).isEmpty)
    #expect(try context.fetch(Self.rare(.max)).count == (count > 99 ? 1 : 0))
  }

  @Test func wholeRowsAreReadOfPartialOnes() throws {
    let context = try filled(500)
    var descriptor = Self.rare(2)
    descriptor.propertiesToFetch = [\.text]
    let found = try context.fetch(descriptor)
    let rows = rowsRead { #expect(found.map(\.number) == [99, 199]) }
    #expect(rows.isEmpty)
  }

  @Test func anOrderInMemoryNeedsAllRows() throws {
    let context = try filled(500)
    var descriptor = Self.rare(2)
    descriptor.sortBy = [SortDescriptor(\.negative)]
    #expect(try context.fetch(descriptor).map(\.number) == [499, 399])
  }

  @Test func subclassesAreFound() throws {
    let container = try recorder.container([Animal.self, Dog.self, Puppy.self, Owner.self])
    let filling = ModelContext(container)
    for number in 0..<400 {
      let name = String(format: "%04d", number)
      filling.insert(
        number % 3 == 0
          ? Animal(name: name)
          : number % 3 == 1
            ? Dog(name: name, breed: "b") : Puppy(name: name, breed: "p", weeks: number))
    }
    try filling.save()
    let context = ModelContext(container)
    var animals = FetchDescriptor<Animal>(
      predicate: #Predicate { $0.isFiftieth }, sortBy: [SortDescriptor(\.name)])
    animals.fetchLimit = 3
    let found = try context.fetch(animals)
    #expect(found.map(\.name) == ["0049", "0099", "0149"])
    #expect(found[0] is Dog && (found[2] as? Puppy)?.weeks == 149)
    var dogs = FetchDescriptor<Dog>(
      predicate: #Predicate { $0.isFiftieth }, sortBy: [SortDescriptor(\.name)])
    dogs.fetchLimit = 3
    #expect(try context.fetch(dogs).map(\.name) == ["0049", "0149", "0199"])
  }

  @Test func relationshipsOfTheFoundModelsArePrefetched() throws {
    let container = try recorder.container(Library.types)
    let filling = ModelContext(container)
    for number in 0..<300 {
      let author = Author(
        name: "\(number)", born: Date(timeIntervalSinceReferenceDate: Double(number)))
      filling.insert(author)
      author.books.append(Book(title: "Book \(number)", pages: number))
    }
    try filling.save()
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Author>(
      predicate: #Predicate { $0.isHundredth }, sortBy: [SortDescriptor(\.born)])
    descriptor.fetchLimit = 2
    descriptor.relationshipKeyPathsForPrefetching = [\.books]
    var found: [Author] = []
    let rows = try rowsRead { () throws in found = try context.fetch(descriptor) }
    #expect(rows == [66, 300, 66, 132, 102, 2])
    let later = rowsRead { #expect(found.map { $0.books.map(\.pages) } == [[99], [199]]) }
    #expect(later.isEmpty)
  }

  // MARK: Unsaved changes

  @Test func unsavedChangesCount() throws {
    let context = try filled(600)
    let all = try context.fetch(FetchDescriptor<Word>(sortBy: [SortDescriptor(\.number)]))
    all[99].number = 98
    all[50].number = 99
    context.insert(Word(299))
    context.delete(all[399])
    let first = try context.fetch(Self.rare(4))
    #expect(first.map(\.number) == [99, 199, 299, 299])
    #expect(first.first === all[50])
    #expect(try context.fetch(Self.rare(4, offset: 4)).map(\.number) == [499, 599])
    #expect(try context.fetchCount(Self.rare(nil)) == 6)
    #expect(try context.fetchCount(Self.rare(4, offset: 4)) == 2)
    var stored = Self.rare(3)
    stored.includePendingChanges = false
    #expect(
      try context.fetch(stored).map(ObjectIdentifier.init)
        == [99, 199, 299].map {
          ObjectIdentifier(all[$0])
        })
    stored.fetchOffset = 3
    #expect(try context.fetchIdentifiers(stored) == [399, 499, 599].map { all[$0].id })
  }

  @Test func aCountBesideUnsavedChangesReadsBatches() throws {
    let context = try filled(2500)
    let first = try context.fetch(Self.words(#Predicate { $0.number == 0 }, limit: nil))
    first.first?.number = 99
    let rows = try rowsRead { () throws in #expect(try context.fetchCount(Self.rare(nil)) == 26) }
    #expect(rows == [2500, 1000, 1000, 499])
  }

  // MARK: Other writers

  /// Runs once, when the keys of all candidates have been read.
  private final class Hook: Sendable {
    private let action = Mutex<(@Sendable () -> Void)?>(nil)

    func set(_ new: @escaping @Sendable () -> Void) { action.withLock { $0 = new } }

    func run() { action.withLock { $0.take() }?() }
  }

  @Test func allBatchesSeeOneState() throws {
    let hook = Hook()
    let folder = try TemporaryFolder()
    var configuration = ModelConfiguration(
      url: folder.url.appendingPathComponent("words.store"))
    configuration.statementLog = StatementLog { event in
      if case .statement(let statement) = event,
        statement.sql.hasPrefix(#"SELECT "t0"."Z_PK" FROM"#)
      {
        hook.run()
      }
    }
    let container = try ModelContainer(for: Word.self, configurations: configuration)
    try Self.fill(container, 400)
    let hasDeleted = Atomic(false)
    hook.set {
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        do {
          let other = ModelContext(container)
          for word in try other.fetch(FetchDescriptor<Word>()) where word.isRare {
            other.delete(word)
          }
          try other.save()
          hasDeleted.store(true, ordering: .relaxed)
        } catch {
          Issue.record(error)
        }
        done.signal()
      }
      done.wait()
    }
    let context = ModelContext(container)
    #expect(try context.fetch(Self.rare(3)).map(\.number) == [99, 199, 299])
    let hasDeletedMeanwhile = hasDeleted.load(ordering: .relaxed)
    #expect(hasDeletedMeanwhile)
    #expect(try context.fetch(Self.rare(3)).isEmpty)
  }
}

extension LimitInMemoryTests.Word {
  /// Not stored, so rows are sorted in memory.
  fileprivate var negative: Int { -number }
}

extension Animal {
  /// Not stored, so a predicate that asks for it is evaluated in memory.
  fileprivate var isFiftieth: Bool { (Int(name) ?? 0) % 50 == 49 }
}

extension Author {
  /// Not stored, so a predicate that asks for it is evaluated in memory.
  fileprivate var isHundredth: Bool { (Int(name) ?? 0) % 100 == 99 }
}
