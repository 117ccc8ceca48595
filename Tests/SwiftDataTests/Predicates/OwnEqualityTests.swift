import Foundation
import SwiftData
import Testing

/// Equality of `Codable` types: by their parts in SQL, by an `==` of the type in memory.
@Suite(.databases) struct OwnEqualityTests {
  /// Equal if the numbers are.
  struct Item: Codable, Equatable {
    var id: Int
    var label: String

    static func == (a: Item, b: Item) -> Bool { a.id == b.id }
  }

  /// Equal if the texts are, in any case.
  struct Place: Codable, Equatable {
    var city: String
    var zip: Int?

    static func == (a: Place, b: Place) -> Bool {
      a.city.lowercased() == b.city.lowercased() && a.zip == b.zip
    }
  }

  struct Box: Codable, Equatable {
    var place: Place
    var size: Int
  }

  enum Shape: Codable, Equatable {
    case circle(radius: Double)
    case named(String, count: Int?)
    case none

    static func == (a: Shape, b: Shape) -> Bool {
      switch (a, b) {
      case (.circle, .circle), (.none, .none): true
      case (.named(let a, let m), .named(let b, let n)): a == b && m == n
      default: false
      }
    }
  }

  struct Code: RawRepresentable, Codable, Equatable {
    var rawValue: String

    static func == (a: Code, b: Code) -> Bool { a.rawValue.lowercased() == b.rawValue.lowercased() }
  }

  @Model final class Doc {
    var name: String
    var item: Item
    var spare: Item?
    var box: Box
    var shape: Shape
    var code: Code
    var parent: Doc?
    @Relationship(inverse: \Doc.parent) var parts: [Doc] = []

    init(_ name: String, _ number: Int, parent: Doc? = nil) {
      self.name = name
      item = Item(id: number, label: name)
      spare = number == 2 ? nil : Item(id: number, label: name)
      box = Box(place: Place(city: name, zip: number == 3 ? nil : 1), size: 1)
      shape = number == 1 ? .circle(radius: 1) : number == 2 ? .named(name, count: nil) : .none
      code = Code(rawValue: name)
      self.parent = parent
    }
  }

  private func court() throws -> PredicateCourt {
    try PredicateCourt(types: [Doc.self]) { context in
      let first = Doc("one", 1)
      for doc in [first, Doc("two", 2, parent: first), Doc("three", 3, parent: first)] {
        context.insert(doc)
      }
      try context.save()
    }
  }

  private let item = Item(id: 1, label: "other")
  private let list = [Item(id: 1, label: "other"), Item(id: 7, label: "")]

  @Test func anOwnEqualityIsEvaluatedInMemory() throws {
    let court = try court()
    try court.judgeNarrowing(#Predicate<Doc> { $0.item == item }, inMemory: true)
    try court.judgeNarrowing(#Predicate<Doc> { $0.item != item }, inMemory: true)
    try court.judgeNarrowing(#Predicate<Doc> { $0.spare == item }, inMemory: true)
    try court.judgeNarrowing(#Predicate<Doc> { $0.parent?.item == item }, inMemory: true)
    try court.judgeNarrowing(#Predicate<Doc> { list.contains($0.item) }, inMemory: true)
    try court.judgeNarrowing(
      #Predicate<Doc> { $0.item == item || $0.name == "two" }, inMemory: true)
    try court.judgeNarrowing(
      #Predicate<Doc> { $0.parts.contains { $0.item == item } || $0.item == item }, inMemory: true)
    try court.judge(#Predicate<Doc> { $0.item == $0.spare }, inMemory: true)
    let code = Code(rawValue: "TWO")
    try court.judgeNarrowing(#Predicate<Doc> { $0.code == code }, inMemory: true)
  }

  @Test func soIsThatOfAMemberAndOfAnEnum() throws {
    let court = try court()
    let (box, place) = (
      Box(place: Place(city: "ONE", zip: 1), size: 1), Place(city: "THREE", zip: nil)
    )
    let shape = Shape.circle(radius: 100)
    try court.judgeNarrowing(#Predicate<Doc> { $0.box == box }, inMemory: true)
    try court.judgeNarrowing(#Predicate<Doc> { $0.box.place == place }, inMemory: true)
    try court.judgeNarrowing(#Predicate<Doc> { $0.shape == shape }, inMemory: true)
    try court.judgeNarrowing(#Predicate<Doc> { $0.shape != shape }, inMemory: true)
  }

  @Test func nilAndPartsStayInSQL() throws {
    let court = try court()
    try court.judgeNarrowing(#Predicate<Doc> { $0.spare == nil })
    try court.judgeNarrowing(#Predicate<Doc> { $0.item.id == 1 })
    try court.judgeNarrowing(#Predicate<Doc> { $0.box.place.city == "one" && $0.box.size == 1 })
  }

  @Test func anUnrelatedEditDoesNotChangeTheAnswer() throws {
    let court = try court()
    let predicate = #Predicate<Doc> { $0.item == item }
    #expect(try court.context.fetchCount(FetchDescriptor(predicate: predicate)) == 1)
    for doc in try court.context.fetch(FetchDescriptor<Doc>()) { doc.name += "!" }
    #expect(try court.context.fetchCount(FetchDescriptor(predicate: predicate)) == 1)
    #expect(
      try court.context.fetchCount(FetchDescriptor(predicate: #Predicate<Doc> { $0.item != item }))
        == 2)
    court.context.rollback()
    try court.context.delete(model: Doc.self, where: #Predicate { $0.shape == shape })
    try court.context.save()
    #expect(
      try court.context.fetch(FetchDescriptor<Doc>()).map(\.name).sorted() == ["three", "two"])
  }

  private let shape = Shape.circle(radius: 7)

  // MARK: Types that compare their parts

  /// Stops the program for values that are not in order.
  struct Span: Codable, Equatable {
    var start: Int
    var end: Int

    init(_ start: Int, _ end: Int) {
      precondition(start < end)
      (self.start, self.end) = (start, end)
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      self.init(
        try container.decode(Int.self, forKey: .start), try container.decode(Int.self, forKey: .end)
      )
    }
  }

  enum Kind: String, Codable { case small, large }

  enum Event: Codable, Equatable {
    case span(Span)
    case note(String, kind: Kind?)
    case nothing
  }

  struct Everything: Codable, Equatable {
    var text = "a"
    var flag: Bool? = true
    var number: UInt8 = 1
    var ratio: Float = 0.5
    var price: Decimal? = 1
    var date = Date(timeIntervalSinceReferenceDate: 5)
    var id = UUID()
    var url = URL(string: "https://a.example")
    var data = Data([1])
    var kind = Kind.small
    var span: Span? = Span(1, 2)
    var event = Event.nothing
    var length = Duration.seconds(1)
    var inner = Inner()

    struct Inner: Codable, Equatable { var value: Int? }
  }

  @Model final class Log {
    var all: Everything
    var span: Span
    var event: Event?
    var interval: DateInterval

    init(_ number: Int) {
      all = Everything(text: "\(number)")
      span = Span(number, 10)
      event = number == 1 ? .span(Span(1, 10)) : number == 2 ? .note("n", kind: .large) : nil
      interval = DateInterval(start: .distantPast, duration: Double(number))
    }
  }

  @Test func synthesizedEqualityStaysInSQL() throws {
    let court = try PredicateCourt(types: [Log.self]) { context in
      for number in 1...3 { context.insert(Log(number)) }
      try context.save()
    }
    let logs = try court.context.fetch(FetchDescriptor<Log>())
    let log = try #require(logs.first { $0.span.start == 1 })
    let (all, span, event, interval) = (log.all, log.span, log.event, log.interval)
    try court.judgeNarrowing(#Predicate<Log> { $0.all == all })
    try court.judgeNarrowing(#Predicate<Log> { $0.span == span })
    try court.judgeNarrowing(#Predicate<Log> { $0.event == event })
    try court.judgeNarrowing(#Predicate<Log> { $0.event != event })
    try court.judgeNarrowing(#Predicate<Log> { $0.interval == interval })
  }

  // MARK: Types of which the answer is known

  struct Tolerant: Codable, Equatable {
    var value: Double

    static func == (a: Tolerant, b: Tolerant) -> Bool { abs(a.value - b.value) < 0.001 }
  }

  struct Fraction: Codable, Equatable {
    var (upper, lower) = (1, 1)

    static func == (a: Fraction, b: Fraction) -> Bool { a.upper * b.lower == b.upper * a.lower }
  }

  /// The word count is not stored, but compared.
  struct Cached: Codable, Equatable {
    var text: String
    var count = 0

    enum CodingKeys: CodingKey { case text }
  }

  /// The word count is neither stored nor compared.
  struct Ignoring: Codable, Equatable {
    var text: String
    var count: Int? = 0

    enum CodingKeys: CodingKey { case text }
    static func == (a: Ignoring, b: Ignoring) -> Bool { a.text == b.text }
  }

  struct Listed: Codable, Equatable { var values: [Int] }

  enum Plain: Codable, Equatable { case one, two }

  enum Merged: Codable, Equatable {
    case one, two
    static func == (a: Merged, b: Merged) -> Bool { true }
  }

  @Test func theAnswerIsThatOfTheOperator() {
    for type in [
      Span.self, Event.self, Everything.self, Everything.Inner?.self, Ignoring.self, Plain.self,
      DateInterval.self,
    ] as [any Any.Type] {
      #expect(PartEquality.isThatOfParts(type), "\(type)")
    }
    for type in [
      Item.self, Item?.self, Place.self, Box.self, Shape.self, Tolerant.self, Fraction.self,
      Cached.self, Merged.self, Listed.self,
    ] as [any Any.Type] {
      #expect(!PartEquality.isThatOfParts(type), "\(type)")
    }
  }
}
