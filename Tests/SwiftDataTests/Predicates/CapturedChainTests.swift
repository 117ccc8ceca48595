import Foundation
import SwiftData
import Testing

/// Optional chains that begin at a captured value and go on with a value of the model.
@Suite(.databases) struct CapturedChainTests {
  let court: PredicateCourt

  init() throws { court = try .wares() }

  private func count(
    _ predicate: Predicate<Ware>, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Int {
    try court.judge(predicate, sourceLocation: sourceLocation)
    return try court.context.fetchCount(FetchDescriptor(predicate: predicate))
  }

  private struct Choice {
    var names: [String]?
    var inner: Inner?

    struct Inner {
      var name: String
      var other: String?
      var names: [String]?
    }
  }

  @Test(arguments: [nil, ["tea", "bread"]]) func lists(names: [String]?) throws {
    let expected = names == nil ? 0 : 16
    #expect(try count(#Predicate { names?.contains($0.name) == true }) == expected)
    #expect(try count(#Predicate { names?.contains($0.name) ?? false }) == expected)
    #expect(try count(#Predicate { names?.contains($0.name) != false }) == (names == nil ? 40 : 16))
    #expect(try count(#Predicate { names?.contains($0.name) ?? true }) == (names == nil ? 40 : 16))
    #expect(try count(#Predicate { names?.contains($0.name) == nil }) == (names == nil ? 40 : 0))
    #expect(
      try count(#Predicate { names?.isEmpty ?? true || names!.contains($0.name) })
        == (names == nil ? 40 : 16))
    #expect(
      try count(#Predicate { ware in names?.contains { $0 == ware.name } == true }) == expected)
    let set = names.map(Set.init)
    #expect(try count(#Predicate { set?.contains($0.name) ?? false }) == expected)
    #expect(
      try count(#Predicate { if let names { names.contains($0.name) } else { false } }) == expected)
  }

  @Test func membersOfMembers() throws {
    let inner = Choice.Inner(name: "tea", other: "tea", names: ["tea"])
    for choice in [Choice(), Choice(names: ["tea"], inner: inner)] {
      let expected = choice.inner == nil ? 0 : 8
      #expect(try count(#Predicate { choice.names?.contains($0.name) == true }) == expected)
      #expect(try count(#Predicate { choice.inner?.names?.contains($0.name) == true }) == expected)
      #expect(try count(#Predicate { choice.inner?.name.contains($0.name) == true }) >= expected)
      #expect(try count(#Predicate { choice.inner?.name == $0.name }) == expected)
      #expect(try count(#Predicate { choice.inner?.other?.lowercased() == $0.name }) == expected)
      #expect(
        try count(#Predicate { choice.inner?.other?.hasPrefix($0.name) ?? false }) >= expected)
    }
  }

  @Test func rangesAndDictionaries() throws {
    for range in [nil, 1...2] {
      #expect(
        try count(#Predicate { range?.contains($0.factor) ?? true }) == (range == nil ? 40 : 16))
    }
    for counts in [nil, ["tea": 1]] {
      try court.judge(
        #Predicate<Ware> { counts?[$0.name] == 1 }, inMemory: counts != nil)
      #expect(
        try court.context.fetchCount(
          FetchDescriptor(predicate: #Predicate<Ware> { counts?[$0.name] == 1 }))
          == (counts == nil ? 0 : 8))
    }
  }
}
