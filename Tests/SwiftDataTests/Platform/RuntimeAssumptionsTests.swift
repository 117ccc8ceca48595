import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

/// Each row of the table in `RuntimeAssumptions`: that it holds, and what happens where it does not.
@Suite("What we assume of the Swift runtime") struct RuntimeAssumptionsTests {
  // MARK: Key paths

  @Test func theStepsOfAKeyPathAreRead() {
    let title = KeyPathComponent.all(of: \Book.title)
    let author = KeyPathComponent.all(of: \Book.author)
    let name = KeyPathComponent.all(of: \Author.name)
    #expect(title.count == 1)
    #expect(title != author)
    #expect(KeyPathComponent.all(of: \Book.author?.name) == author + name)
    #expect(KeyPathComponent.all(of: \Book.author!.name) == author + name)
    #expect(
      KeyPathComponent.all(of: \Author.books.first?.title).count == 3)
    #expect(
      KeyPathComponent.all(of: \Place.town.name) == [.stored(name: "town"), .stored(name: "name")])
    for step in title + author + name {
      guard case .computed = step else {
        Issue.record("\(step) is no property with accessors")
        continue
      }
    }
  }

  @Test func appendedKeyPathsHaveTheSameSteps() throws {
    let author: AnyKeyPath = \Book.author!
    let appended = try #require(author.appending(path: \Author.name))
    #expect(KeyPathComponent.all(of: appended) == KeyPathComponent.all(of: \Book.author!.name))
  }

  @Test func stepsComeFromDescriptionsOtherwise() {
    RuntimeAssumptions.$refused.withValue([.keyPathComponents]) {
      let steps = KeyPathComponent.all(of: \Book.author?.name)
      #expect(steps.count == 2)
      #expect(steps.first == KeyPathComponent.all(of: \Book.author).first)
      #expect(KeyPathComponent.all(of: \Book.title) != KeyPathComponent.all(of: \Book.author))
      #expect(
        KeyPathComponent.all(of: \Place.town.name)
          == [.stored(name: "town"), .stored(name: "name")])
    }
  }

  @Test(arguments: [true, false]) func aLongPathOrdersModels(isRefused: Bool) throws {
    // Describes the classes before: other tests use the descriptions too.
    let container = try Library.container()
    try RuntimeAssumptions.$refused.withValue(isRefused ? [.keyPathComponents] : []) {
      let context = ModelContext(container)
      for (title, name) in [("One", "Zoe"), ("Two", "Ann"), ("Three", "Max")] {
        context.insert(Book(title: title, pages: 1, author: Author(name: name)))
      }
      try context.save()
      let request = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.author?.name)])
      #expect(try context.fetch(request).map(\.title) == ["Two", "Three", "One"])
    }
  }

  /// The macro of a superclass builds the key paths of each subclass in a generic function.
  @available(macOS 26, *)
  @Test func inheritedPropertiesHaveKeyPathsOfTheSubclass() {
    let paths = Puppy._$descriptor.properties.map(\.keyPath)
    let written: [AnyKeyPath] = [
      \Puppy.name, \Puppy.legs, \Puppy.owner, \Puppy.breed, \Puppy.tricks, \Puppy.weeks,
    ]
    #expect(paths == written)
    #expect(paths.map(\.hashValue) == written.map(\.hashValue))
    #expect(paths.allSatisfy { $0 is PartialKeyPath<Puppy> })
    #expect(Dog._$descriptor.properties.first?.keyPath == \Dog.name)
    #expect(Animal._$descriptor.properties.first?.keyPath == \Animal.name)
  }

  // MARK: Types

  @Test func aTypeHasNames() {
    #expect(String(describing: Place.Town.self) == "Town")
    #expect(Book._$descriptor.entityName == "Book")
    #expect(String(reflecting: Place.Town.self).hasSuffix(".RuntimeAssumptionsTests.Place.Town"))
  }

  @Test func metadataShowsFieldsAndCases() throws {
    #expect(TypeReflection.isReliable)
    #expect(TypeReflection.fields(of: Place.self).map(\.name) == ["town", "visits"])
    #expect(TypeReflection.kind(of: Place.self) == .structure)
    #expect(TypeReflection.kind(of: Kind.self) == .enumeration)
    #expect(TypeReflection.kind(of: Kind?.self) == .enumeration)
    #expect(TypeReflection.kind(of: NSObject.self) == .reference)
    #expect(TypeReflection.kind(of: Book.self) == .reference)
    #expect(TypeReflection.cases(of: Place.self) == nil)
    let cases = try #require(TypeReflection.cases(of: Shape.self))
    #expect(cases.map(\.name) == ["circle", "rectangle", "none"])
    #expect(cases.map(\.payload.count) == [1, 2, 0])
    #expect(cases[1].payload.first == Double.self)
    #expect(cases[1].payload.last == Place.self)
  }

  @Test func metadataShowsOptionalsAndArrays() {
    func text(_ type: any Any.Type) -> String {
      switch TypeReflection.wrapping(of: type) {
      case .optional(let wrapped): "optional \(wrapped)"
      case .array(let element): "array \(element)"
      case .neither: "neither"
      case nil: "unknown"
      }
    }
    #expect(text(Int?.self) == "optional Int")
    #expect(text(Book?.self) == "optional Book")
    #expect(text([Book]?.self) == "optional Array<Book>")
    #expect(text([Book].self) == "array Book")
    #expect(text([Int?].self) == "array Optional<Int>")
    for type in [Int.self, Book.self, Set<Int>.self, Place.self, Any.self] as [any Any.Type] {
      #expect(text(type) == "neither")
    }
    RuntimeAssumptions.$refused.withValue([.typeMetadata]) {
      #expect(text(Int?.self) == "unknown")
      #expect(unwrappedType(of: Int?.self) == Int.self)
      #expect(unwrappedType(of: [Int].self) == nil)
    }
  }

  @Test func anEnumIsTheNumberOfItsCase() throws {
    let values = try #require(TypeReflection.values(of: Kind.self))
    #expect(values.map(\.value) == Kind.allCases)
    #expect(values.map(\.name) == Kind.allCases.map { "\($0)" })
    #expect(TypeReflection.values(of: Only.self)?.map(\.value) == [.one])
    #expect(TypeReflection.values(of: Shape.self) == nil)
  }

  @Test func aStructureIsItsFields() {
    let values = ValueSamples.values(of: Place.self)
    #expect(values.first == Place(town: .init(name: "ab"), visits: 1))
    #expect(values.contains(Place(town: .init(name: "AB"), visits: 1)))
    #expect(values.last == Place(town: .init(name: "ab"), visits: -1))
    RuntimeAssumptions.$refused.withValue([.typeMetadata]) {
      #expect(ValueSamples.values(of: Place.self).isEmpty)
    }
  }

  @Test func aTypeWithoutKnownPartsIsRefused() throws {
    try RuntimeAssumptions.$refused.withValue([.typeMetadata]) {
      #expect(TypeReflection.cases(of: Kind.self) == nil)
      #expect(TypeReflection.values(of: Kind.self) == nil)
      #expect(throws: SwiftDataError.self) { try storageForm(of: Place.self) }
      #expect(throws: SwiftDataError.self) { try storageForm(of: Kind.self) }
      guard case .scalar(.int) = try storageForm(of: Int?.self) else {
        Issue.record("A scalar needs no metadata.")
        return
      }
    }
  }

  // MARK: Objects

  private final class Subject {
    let onDeinit: (ObjectIdentifier) -> Void

    init(_ onDeinit: @escaping (ObjectIdentifier) -> Void = { _ in }) { self.onDeinit = onDeinit }

    deinit { onDeinit(ObjectIdentifier(self)) }
  }

  private final class Holder {
    var reference = ModelReference(NSObject())
    var wasLive: Bool?
  }

  @Test func anObjectThatIsDeinitialisedIsNotRetained() {
    let holder = Holder()
    var subject: Subject? = Subject { _ in holder.wasLive = holder.reference.live != nil }
    if let subject { holder.reference = ModelReference(subject) }
    let isFound = holder.reference.live === subject
    #expect(isFound)
    subject = nil
    #expect(holder.wasLive == false)
    // The memory is there, the object is not.
    let isGone = holder.reference.live == nil
    #expect(isGone)
  }

  @Test func anArrayOfObjectsConsistsOfTheirIdentities() {
    let books = (0..<3).map { Book(title: "\($0)", pages: $0) }
    #expect(ObjectWords.isArrayOfWords(books))
    #expect(ObjectWords.isArrayOfWords([Book]()))
    let identities = books.map { UInt(bitPattern: ObjectIdentifier($0)) }
    for areStored in [nil, true, false] {
      let words = ObjectWords.read(of: books, areStored: areStored) {
        Array($0.bindMemory(to: UInt.self))
      }
      #expect(words == identities)
    }
    // The members of a list are compared as identifiers with these words.
    let bytes = books.map { ObjectIdentifier($0) }.withUnsafeBytes { Array($0) }
    #expect(bytes == identities.withUnsafeBytes { Array($0) })
  }

  // MARK: Casts

  @Test func aCastToAnotherSizeIsRefused() {
    #expect(castIfSameSize(Int32(1), to: Int64.self) == nil)
    #expect(castIfSameSize("text", to: Int.self) == nil)
    #expect(castIfSameSize(Int(-1), to: UInt.self) == .max)
  }

  @Test func sendableChangesNoValue() throws {
    let path: KeyPath<Book, String> = \Book.title
    let sendable = try #require(
      castIfSameSize(path, to: (any KeyPath<Book, String> & Sendable).self))
    #expect(sendable == path)
    let partial = try #require(
      castIfSameSize(path as PartialKeyPath<Book>, to: (any PartialKeyPath<Book> & Sendable).self))
    #expect(partial as PartialKeyPath<Book> == path)
    for value: Any in [1, "text", [Date.now], Place()] {
      // Without `as Any` the call would open the value, and cast its content.
      let cast = castIfSameSize(value as Any, to: (any Sendable).self)
      let sendable = try #require(cast)
      #expect("\(sendable)" == "\(value)")
    }
  }

  @Test func isolationChangesNoFunction() {
    #expect(
      MemoryLayout<@MainActor () -> Int>.size == MemoryLayout<() -> Int>.size)
    let number = 7
    #expect(_withoutIsolation { number + 1 } == 8)
  }

  // MARK: Observation

  private func calls(of read: () -> Void, when edit: () -> Void) -> Int {
    let count = Mutex(0)
    withObservationTracking(read) { count.withLock { $0 += 1 } }
    edit()
    return count.withLock { $0 }
  }

  /// On a thread of its own: no model takes the registrar that the scope retains.
  @Test func trackingIsDetected() {
    #expect(ObservationProbe.isReliable)
    let answers = Mutex<[Bool]>([])
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let before = ObservationProbe.isTracking()
      let inside = withObservationTracking {
        ObservationProbe.isTracking()
      } onChange: {
      }
      answers.withLock { $0 = [before, inside] }
      done.signal()
    }
    done.wait()
    #expect(answers.withLock { $0 } == [false, true])
  }

  @Test func aScopeOverModelsLeavesNoTracking() {
    let book = Book(title: "One", pages: 1)
    #expect(calls(of: { _ = book.title }, when: { book.title = "Two" }) == 1)
    #expect(!ObservationProbe.isTracking())
  }

  @Test func eachReadIsTrackedOtherwise() {
    ObservationProbe.whileUnreliable {
      #expect(ObservationProbe.isTracking())
      let book = Book(title: "One", pages: 1)
      #expect(calls(of: { _ = book.title }, when: { book.title = "Two" }) == 1)
    }
    ObservationProbe.whileUnreliable {
      let book = Book(title: "One", pages: 1)
      #expect(calls(of: { _ = book.title }, when: { book.pages = 2 }) == 0)
    }
    #expect(!ObservationProbe.isTracking())
  }

  // MARK: Foundation

  /// Unsaved models are put among stored ones by descriptors whose order was set.
  @Test(arguments: [true, false]) func unsavedModelsAreOrderedAsStoredOnes(isRefused: Bool) throws {
    try RuntimeAssumptions.$refused.withValue(isRefused ? [.sortDescriptorMirror] : []) {
      let context = ModelContext(try Library.container())
      for (index, title) in ["b", "A", "c", "a"].enumerated() {
        context.insert(Book(title: title, pages: index))
      }
      #expect(try context.fetch(FetchDescriptor<Book>()).count == 4)
      for forward in [true, false] {
        for isChanged in [true, false] {
          let direction: SortOrder = forward ? .forward : .reverse
          let opposite: SortOrder = forward ? .reverse : .forward
          var pages = SortDescriptor(\Book.pages, order: isChanged ? opposite : direction)
          var title = SortDescriptor(
            \Book.title, comparator: .lexical, order: isChanged ? opposite : direction)
          var author = SortDescriptor(\Book.author?.name, order: isChanged ? opposite : direction)
          (pages.order, title.order, author.order) = (direction, direction, direction)
          let numbers = try context.fetch(FetchDescriptor<Book>(sortBy: [pages])).map(\.pages)
          #expect(numbers == (forward ? [0, 1, 2, 3] : [3, 2, 1, 0]))
          let titles = try context.fetch(FetchDescriptor<Book>(sortBy: [title])).map(\.title)
          #expect(titles == (forward ? ["A", "a", "b", "c"] : ["c", "b", "a", "A"]))
          let byAuthor = try context.fetch(FetchDescriptor<Book>(sortBy: [author, pages]))
          #expect(byAuthor.map(\.pages) == (forward ? [0, 1, 2, 3] : [3, 2, 1, 0]))
        }
      }
    }
  }

  // MARK: Values

  struct Place: Codable, Equatable {
    struct Town: Codable, Equatable { var name = "" }

    var town = Town()
    var visits = 0
  }

  private enum Kind: String, CaseIterable, Codable { case small, middle, large }
  private enum Only { case one }
  private enum Shape {
    case none
    case circle(Double)
    case rectangle(Double, Place)
  }
}
