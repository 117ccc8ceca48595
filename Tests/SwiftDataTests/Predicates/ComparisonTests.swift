import Foundation
import SwiftData
import Testing

@Suite(.databases) struct ComparisonTests {
  /// `==` does not distinguish two of the cases.
  enum Shade: String, Codable {
    case red, blue, navy

    static func == (lhs: Shade, rhs: Shade) -> Bool { lhs.isBlue == rhs.isBlue }

    private var isBlue: Bool { rawValue != "red" }

    func hash(into hasher: inout Hasher) { hasher.combine(isBlue) }
  }

  @Model final class Paint {
    var name: String
    var shade: Shade
    var other: Shade?
    var shades: [Shade]

    init(_ name: String, _ shade: Shade, other: Shade? = nil) {
      self.name = name
      self.shade = shade
      self.other = other
      shades = [shade]
    }
  }

  let court: PredicateCourt

  init() throws { court = try PredicateCourt() }

  @Test func textComparesAsSwiftComparesIt() throws {
    let ascii = "alpha"
    let composed = "caf\u{e9}"
    let decomposed = "cafe\u{301}"
    try court.judge(#Predicate<Entry> { $0.name == ascii })
    try court.judge(#Predicate<Entry> { $0.name == composed })
    try court.judge(#Predicate<Entry> { $0.name != decomposed })
    try court.judge(#Predicate<Entry> { $0.name < "b" })
    try court.judge(#Predicate<Entry> { $0.name >= "c" && $0.name <= decomposed })
    try court.judge(#Predicate<Job> { $0.name == ascii })
  }

  @Test func nothingEqualsNilButNil() throws {
    let name = "alpha"
    let missing: String? = nil
    try court.judge(#Predicate<Entry> { $0.alias == name })
    try court.judge(#Predicate<Entry> { $0.alias != name })
    try court.judge(#Predicate<Entry> { !($0.alias == name) })
    try court.judge(#Predicate<Entry> { $0.alias == missing })
    try court.judge(#Predicate<Entry> { $0.alias != nil })
    try court.judge(#Predicate<Entry> { $0.alias == $0.name })
    try court.judge(#Predicate<Entry> { $0.alias != $0.name })
  }

  @Test func flagsAreConditions() throws {
    try court.judge(#Predicate<Job> { $0.isUrgent })
    try court.judge(#Predicate<Job> { !$0.isUrgent })
    try court.judge(#Predicate<Job> { $0.isPaid == true })
    try court.judge(#Predicate<Job> { $0.isPaid != true })
    try court.judge(#Predicate<Job> { $0.isPaid ?? true })
    try court.judge(#Predicate<Job> { $0.isPaid == nil })
    try court.judge(#Predicate<Job> { $0.isUrgent ? $0.rank > 0 : $0.rank < 0 })
    try court.judge(#Predicate<Job> { _ in true })
    try court.judge(#Predicate<Job> { _ in false })
  }

  @Test func enumsCompareByWhatIsStored() throws {
    let high = Priority.high
    let some: Priority? = .low
    let running = Phase.running
    try court.judge(#Predicate<Job> { $0.priority == high })
    try court.judge(#Predicate<Job> { $0.fallback == some })
    try court.judge(#Predicate<Job> { $0.fallback != some })
    try court.judge(#Predicate<Job> { $0.priority.rawValue == "low" })
    try court.judge(#Predicate<Job> { $0.phase == running })
    try court.judge(#Predicate<Job> { $0.phase != running })
    try court.judge(#Predicate<Job> { $0.priority.title == "Low" }, inMemory: true)
  }

  @Test func anEnumMayDefineItsOwnEquality() throws {
    let court = try PredicateCourt(types: [Paint.self]) { context in
      context.insert(Paint("a", .navy, other: .blue))
      context.insert(Paint("b", .blue))
      context.insert(Paint("c", .red, other: .navy))
      try context.save()
    }
    let blue = Shade.blue
    let list = [blue]
    try court.judgeNarrowing(#Predicate<Paint> { $0.shade == blue }, inMemory: true)
    try court.judgeNarrowing(#Predicate<Paint> { $0.shade != blue }, inMemory: true)
    try court.judgeNarrowing(#Predicate<Paint> { $0.other == blue }, inMemory: true)
    try court.judgeNarrowing(#Predicate<Paint> { $0.other == $0.shade }, inMemory: true)
    try court.judgeNarrowing(#Predicate<Paint> { list.contains($0.shade) }, inMemory: true)
    try court.judgeNarrowing(#Predicate<Paint> { $0.shades.contains(blue) }, inMemory: true)
    try court.judgeNarrowing(#Predicate<Paint> { $0.other == nil })
    try court.judgeNarrowing(#Predicate<Paint> { $0.shade.rawValue == "blue" })
  }

  @Test func scalarsOfEveryKind() throws {
    let job = try court.jobs()[3]
    let (key, link) = (job.key, job.link)
    let price = Decimal(string: "123456789012345678.25")!
    let small = Decimal(string: "1.5")!
    let size = UInt64(1) << 63
    try court.judge(#Predicate<Job> { $0.key == key })
    try court.judge(#Predicate<Job> { $0.link == link })
    try court.judge(#Predicate<Job> { $0.price == price })
    try court.judge(#Predicate<Job> { $0.price < price })
    try court.judge(#Predicate<Job> { $0.price > small })
    try court.judge(#Predicate<Job> { $0.size >= size })
    try court.judge(#Predicate<Job> { $0.size < size })
    try court.judge(#Predicate<Job> { $0.bytes == nil })
  }

  @Test func arithmeticThatSQLDoesAlike() throws {
    try court.judge(#Predicate<Job> { $0.rank + 2 > 3 })
    try court.judge(#Predicate<Job> { $0.rank % 2 == -1 })
    try court.judge(#Predicate<Job> { $0.rank / 2 == 1 })
    try court.judge(#Predicate<Job> { -$0.rank == 2 })
    try court.judge(#Predicate<Job> { $0.rank * $0.rank == 4 })
    try court.judge(#Predicate<Job> { ($0.score ?? 0) / 2 > 3 })
  }
}
