import Foundation
import SwiftData
import Testing

/// Predicates on values whose types have a `Codable` of their own.
@Suite(.databases) struct OwnCodingTests {
  /// A typed identifier. The compiler writes a `Codable` with a key for it, because its raw value is generic.
  struct Tag<Owner, RawValue: Codable & Hashable & Sendable>: RawRepresentable, Codable, Hashable,
    Sendable
  {
    var rawValue: RawValue
  }

  /// Encoded in capitals.
  enum Kind: String, Codable {
    case a, b

    init(from decoder: any Decoder) throws {
      let text = try decoder.singleValueContainer().decode(String.self)
      self = Kind(rawValue: text.lowercased()) ?? .a
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(rawValue.uppercased())
    }
  }

  struct Line: Codable, Equatable {
    var tag: Tag<Mail, Int>
    var more: [Tag<Mail, Int>]
  }

  @Model final class Mail {
    var name: String
    var uid: Tag<Mail, Int>
    var kind: Kind
    var folders: Set<Tag<Mail, String>>
    var tags: [Tag<Mail, Int>]
    var spare: [Tag<Mail, Int>?]?
    var kinds: [Kind]
    var byName: [String: Tag<Mail, Int>]
    var counts: [Kind: Int]
    var line: Line

    init(_ number: Int) {
      name = "mail\(number)"
      uid = Tag(rawValue: number)
      kind = number == 0 ? .a : .b
      folders = [Tag(rawValue: number == 1 ? "inbox" : "trash"), Tag(rawValue: "all")]
      tags = [Tag(rawValue: number), Tag(rawValue: 7)]
      spare = number == 2 ? nil : [nil, Tag(rawValue: number)]
      kinds = [number == 0 ? .a : .b]
      byName = ["x": Tag(rawValue: number)]
      counts = [number == 0 ? .a : .b: number]
      line = Line(tag: Tag(rawValue: number), more: [Tag(rawValue: number)])
    }
  }

  private let inbox = Tag<Mail, String>(rawValue: "inbox")
  private let one = Tag<Mail, Int>(rawValue: 1)
  private let kind = Kind.a

  private func mails() throws -> PredicateCourt {
    try PredicateCourt(types: [Mail.self]) { context in
      for number in 0..<3 { context.insert(Mail(number)) }
      try context.save()
    }
  }

  @Test func listsOfEncodedRawValues() throws {
    let court = try mails()
    let (list, some) = ([one, Tag(rawValue: 7)], one as Tag<Mail, Int>?)
    func judge(
      _ predicate: Predicate<Mail>, at location: SourceLocation = #_sourceLocation
    ) throws {
      try court.judgeNarrowing(predicate, inMemory: true, sourceLocation: location)
    }
    try judge(#Predicate { $0.folders.contains(inbox) })
    try judge(#Predicate { !$0.folders.contains(inbox) })
    try judge(#Predicate { $0.tags.contains(one) })
    try judge(#Predicate { $0.tags.contains($0.uid) && $0.tags.contains(one) })
    try judge(#Predicate { $0.tags.first == one })
    try judge(#Predicate { $0.tags.first != one })
    try judge(#Predicate { $0.tags[0] == one })
    try judge(#Predicate { $0.tags[0].rawValue > 0 })
    try judge(#Predicate { $0.tags.starts(with: list) })
    try judge(#Predicate { $0.tags.contains { $0 == one } })
    try judge(#Predicate { $0.tags.filter { $0.rawValue == 1 }.count == 1 })
    try judge(#Predicate { $0.spare?.contains(some) == true })
    try judge(#Predicate { $0.kinds.contains(kind) })
    try judge(#Predicate { $0.kinds.first == kind })
    try judge(#Predicate { $0.byName["x"] == one })
    try judge(#Predicate { $0.byName["x"]?.rawValue == 1 })
    try judge(#Predicate { $0.counts[kind] == 0 })
    try judge(#Predicate { $0.line.more.contains(one) })
    try judge(#Predicate { $0.tags == list })
    try court.judgeNarrowing(#Predicate<Mail> { $0.spare == nil })
  }

  /// A single value is stored as its raw value.
  @Test func singleValuesAreComparedBySQL() throws {
    let court = try mails()
    let (tags, kinds) = ([one, Tag(rawValue: 5)], [kind])
    try court.judgeNarrowing(#Predicate<Mail> { $0.uid == one && $0.uid.rawValue > 0 })
    try court.judgeNarrowing(#Predicate<Mail> { tags.contains($0.uid) })
    try court.judgeNarrowing(#Predicate<Mail> { $0.line.tag == one && tags.contains($0.line.tag) })
    try court.judgeNarrowing(#Predicate<Mail> { kinds.contains($0.kind) && $0.kind == kind })
  }

  @Test func deletingKeepsTheRowsWhoseListHasTheValue() throws {
    let context = try mails().context
    try context.delete(model: Mail.self, where: #Predicate { !$0.folders.contains(inbox) })
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Mail>()).map(\.name) == ["mail1"])
  }
}
