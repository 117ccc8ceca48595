import Foundation
import SwiftData

struct SeededRandom: RandomNumberGenerator {
  var state: UInt64

  init(_ seed: UInt64) { state = seed &* 0xd134_2543_de82_ef95 &+ 1 }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: elements.indices, using: &self)]
  }

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

  mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }
}

/// Values that stores, SQL and comparisons are known to stumble over.
enum Hostile {
  /// PostgreSQL stores no U+0000 in a text.
  static var texts: [String] { PostgresTestStores.current == nil ? allTexts : textsWithoutZeros }
  private static let textsWithoutZeros = allTexts.filter { !$0.utf8.contains(0) }
  private static let allTexts = [
    "", "a", "A", "ab", "a'b", "a\"b", "'; DROP TABLE ZENTRY; --", "100%", "a_b", "_", "%", ";",
    "--", "a\0b", "\0", "caf\u{e9}", "cafe\u{301}", "e\u{301}", "\u{e9}", "\u{301}", "E", "e",
    "\u{1F600}", "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "\u{1F468}", "\r\n", "\r", "\n",
    " a ", "\u{df}", "SS", "ss", "\u{130}", "i", "I", "\u{fb01}", "fi", "10", "9", "0x10", "?1",
    ":a", "\\", "a\u{200b}b", "\u{212b}", "\u{c5}", "A\u{30a}", "\u{1e9b}\u{323}", "\u{ac00}",
    "\u{1100}\u{1161}", "a\u{300}\u{323}", "a\u{323}\u{300}", "\u{feff}a", "\u{10ffff}",
    String(repeating: "long ", count: 700),
  ]
  static let numbers = [Int.min, Int.min + 1, -1, 0, 1, 2, 3, 7, 1 << 53, (1 << 53) + 1, Int.max]
  static let sizes = [UInt64.min, 1, 2, 1 << 62, 1 << 63, (1 << 63) + 1, .max - 1, .max]
  static let reals = [
    0.0, -0.0, 1, -1, 0.1, 0.2, 0.3, 1e308, -1e308, .leastNonzeroMagnitude, .infinity, -.infinity,
    .nan, 2.5, .greatestFiniteMagnitude,
  ]
  static let dates = [
    Date.distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 0),
    Date(timeIntervalSinceReferenceDate: -0.5), Date(timeIntervalSince1970: 1e11),
    Date(timeIntervalSinceReferenceDate: 0.1),
  ]
  static let decimals = [
    "0", "1", "1.5", "1.50", "-3", "123456789012345678.25", "123456789012345678.26",
    "0.1", "99999999999999999999999999", "-0.0000000001",
  ].map { Decimal(string: $0)! }
  static let keys = (0..<4).map {
    UUID(uuid: ($0 * 80, 1, 0, 255, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, $0))
  }
}

/// Objects made from a seed. Each is made from its own number alone, so that a graph without some
/// of them leaves the others as they were.
struct RandomGraph {
  let seed: UInt64
  var entries = Array(0..<14)
  var members = Array(0..<4)
  var labels = Array(0..<3)

  func fill(_ context: ModelContext) {
    var people: [Int: Member] = [:]
    for number in members {
      var random = SeededRandom(seed &* 1000 &+ UInt64(number))
      let age = random.chance(30) ? nil : random.below(40)
      let member = Member(name: random.pick(Hostile.texts), age: age)
      people[number] = member
      context.insert(member)
    }
    for number in members {
      var random = SeededRandom(seed &* 1000 &+ 100 &+ UInt64(number))
      // Who leads may be nobody, the member itself, or a circle.
      if random.chance(70) { people[number]?.leader = people[random.below(4)] }
    }
    var tags: [Label] = []
    for number in labels {
      var random = SeededRandom(seed &* 1000 &+ 200 &+ UInt64(number))
      let label = Label(text: random.pick(Hostile.texts), maker: nil)
      context.insert(label)
      if random.chance(60) { label.maker = people[random.below(4)] }
      tags.append(label)
    }
    for number in entries {
      var random = SeededRandom(seed &* 1000 &+ 300 &+ UInt64(number))
      let entry = Self.entry(&random)
      context.insert(entry)
      if random.chance(65) { entry.owner = people[random.below(4)] }
      if let job = entry as? Job {
        job.labels = tags.filter { _ in random.chance(40) }
      }
    }
  }

  static func entry(_ random: inout SeededRandom) -> Entry {
    let name = random.pick(Hostile.texts)
    let alias = random.chance(30) ? nil : random.pick(Hostile.texts)
    guard random.chance(65) else {
      return Entry(name: name, alias: alias, rank: random.pick(Hostile.numbers))
    }
    let job = Job(random.below(12), name: name, alias: alias, owner: nil)
    vary(job, &random)
    return job
  }

  static func vary(_ job: Job, _ random: inout SeededRandom) {
    job.rank = random.pick(Hostile.numbers)
    job.due = random.chance(30) ? nil : random.pick(Hostile.dates)
    job.size = random.pick(Hostile.sizes)
    job.price = random.pick(Hostile.decimals)
    job.score = random.chance(25) ? nil : random.pick(Hostile.reals)
    job.key = random.pick(Hostile.keys)
    job.place.position.latitude = random.pick(Hostile.reals)
    job.place.position.longitude = random.chance(30) ? nil : random.pick(Hostile.reals)
    job.place.zip = random.chance(40) ? nil : random.pick(Hostile.numbers)
    job.place.street = random.pick(Hostile.texts)
    job.words = (0..<random.below(3)).map { _ in random.pick(Hostile.texts) }
    job.bytes = random.chance(30) ? nil : Data(random.pick(Hostile.texts).utf8)
  }
}
