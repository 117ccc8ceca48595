import Foundation
import SwiftData
import Testing

/// Captured expressions with steps that would stop a Swift program: they fail when the predicate is
/// evaluated, if they are reached then.
@Suite(.databases) struct CapturedStepTests {
  let court: PredicateCourt

  init() throws { court = try .wares() }

  /// How many wares meet the condition, in SQL and in memory.
  private func count(
    _ predicate: Predicate<Ware>, inMemory: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Int {
    try court.judge(predicate, inMemory: inMemory, sourceLocation: sourceLocation)
    return try court.context.fetchCount(FetchDescriptor(predicate: predicate))
  }

  @Test(arguments: [nil, "tea"]) func optionalFilters(name: String?) throws {
    let expected = name == nil ? 40 : 8
    #expect(try count(#Predicate { name == nil || $0.name == name! }) == expected)
    #expect(try count(#Predicate { name != nil ? $0.name == name! : true }) == expected)
    #expect(try count(#Predicate { name == nil ? true : $0.name == name! }) == expected)
    #expect(try count(#Predicate { name == nil || name! == $0.name }) == expected)
    #expect(
      try count(#Predicate { if name == nil { true } else { $0.name == name! } }) == expected)
    #expect(
      try count(
        #Predicate { ware in
          guard name != nil else { return true }
          let wanted = name!
          return ware.name == wanted
        }) == expected)
    #expect(try count(#Predicate { $0.name == name! }) == expected % 40)
    #expect(try count(#Predicate { !($0.name == name!) }) == (name == nil ? 0 : 32))
    #expect(try count(#Predicate { name != nil && $0.name == name! }) == expected % 40)
    #expect(
      try count(#Predicate { (name != nil && $0.name == name!) || $0.name == "bread" })
        == expected % 40 + 8)
    #expect(
      try count(#Predicate { name == nil || $0.name.hasPrefix(name!.lowercased()) }) == expected)
  }

  @Test func aFailureIsFalseWhereItIsReached() throws {
    let none: String? = nil
    #expect(try count(#Predicate { $0.name == "tea" || $0.name == none! }) == 8)
    #expect(try count(#Predicate { $0.name == none! || $0.name == "tea" }) == 0)
    #expect(try count(#Predicate { $0.name == "tea" && $0.name == none! }) == 0)
    #expect(try count(#Predicate { !($0.name == "tea" && $0.name == none!) }) == 32)
    #expect(
      try count(#Predicate { ($0.name == "tea" ? "x" : none!) == "x" }) == 8)
    #expect(try count(#Predicate { ($0.nickname ?? none!) == "n1" }) > 0)
    #expect(try count(#Predicate { ($0.nickname.map { $0 == none! } ?? true) }) == 14)
    #expect(try count(#Predicate { $0.nickname?.contains(none!) == nil }) == 14)
    let failing = #Predicate<Ware> { $0.name == none! }
    #expect(try count(#Predicate { $0.name == "tea" || failing.evaluate($0) }) == 8)
    #expect(try count(#Predicate { !failing.evaluate($0) }) == 0)
    #expect(try count(Predicate(any: [#Predicate { $0.name == "tea" }, failing])) == 8)
    #expect(try count(Predicate(any: [failing, #Predicate { $0.name == "tea" }])) == 0)
    #expect(try count(Predicate(all: [#Predicate { $0.name == "tea" }, failing])) == 0)
  }

  @Test(arguments: [[], ["tea", "bread"]]) func positionsAndEnds(list: [String]) throws {
    let expected = list.isEmpty ? 40 : 8
    #expect(try count(#Predicate { list.isEmpty || $0.name == list[0] }) == expected)
    #expect(try count(#Predicate { list.isEmpty || $0.name == list.first! }) == expected)
    #expect(try count(#Predicate { list.isEmpty || $0.name == list.max()! }) == expected)
    #expect(try count(#Predicate { list.count < 2 || $0.name == list[list.count - 1] }) == expected)
    #expect(try count(#Predicate { $0.name == list[7] }) == 0)
    #expect(try count(#Predicate { $0.name == list[-1] }) == 0)
    #expect(
      try count(#Predicate { list.isEmpty || Array(list[1...]).contains($0.name) }) == expected)
    #expect(try count(#Predicate { Array(list[1..<5]).contains($0.name) }) == 0)
    #expect(try count(#Predicate { list.isEmpty || "\(list[0])" == $0.name }) == expected)
    #expect(try count(#Predicate { list.isEmpty || [list[0], "x"].contains($0.name) }) == expected)
  }

  @Test func dictionaries() throws {
    let names = ["a": "tea"]
    for key in ["a", "b"] {
      let expected = key == "a" ? 8 : 0
      #expect(try count(#Predicate { $0.name == names[key]! }) == expected)
      #expect(try count(#Predicate { names[key] != nil && $0.name == names[key]! }) == expected)
      #expect(try count(#Predicate { $0.name == names[key, default: "bread"] }) == 8)
    }
  }

  @Test(arguments: [0, 4]) func divisions(number: Int) throws {
    let expected = number == 0 ? 40 : 16
    #expect(try count(#Predicate { number == 0 || $0.factor > 6 / number }) == expected)
    #expect(try count(#Predicate { number == 0 || $0.factor > 5 % number }) == expected)
    #expect(try count(#Predicate { $0.factor > 6 / number }) == expected % 40)
    #expect(try count(#Predicate { $0.factor > 6 / max(number, 0) }) == expected % 40)
    func divisor() -> Int { number }
    #expect(try count(#Predicate { $0.factor > 6 / divisor() }) == expected % 40)
  }

  @Test(arguments: [3, Int.max, Int.min]) func ranges(limit: Int) throws {
    let isBounded = limit == 3
    #expect(
      try count(#Predicate { limit == .max || $0.factor < limit + 1 })
        == (limit == .max ? 40 : isBounded ? 32 : 0))
    #expect(try count(#Predicate { $0.factor < limit * 2 }) == (isBounded ? 32 : 0))
    #expect(try count(#Predicate { $0.factor != -limit }) == (limit == .min ? 0 : 40))
    #expect(
      try count(#Predicate { (0...limit).contains($0.factor) })
        == (limit == .min ? 0 : isBounded ? 24 : 32))
    #expect(
      try count(#Predicate { !(0..<limit).contains($0.factor) }) == (limit == .min ? 0 : 16))
    #expect(
      try count(#Predicate { limit < 0 || (0..<limit).contains($0.factor) })
        == (limit == .min ? 40 : 24))
    #expect(
      try count(#Predicate { limit < 0 || (0...limit).contains($0.factor) })
        == (limit == .min ? 40 : isBounded ? 24 : 32))
    #expect(try count(#Predicate { ($0.factor...limit).contains(2) }) == (limit == .min ? 0 : 32))
    #expect(try count(#Predicate { !($0.factor..<limit).contains(2) }) >= 0)
    #expect(
      try count(#Predicate { $0.parts.contains { ($0.divisor...$0.size).contains(limit) } }) >= 0)
    #expect(
      try count(#Predicate { Array(0...min(limit, 9)).contains($0.factor) })
        == (limit == .min ? 0 : 24))
    let small = Int8(clamping: limit)
    #expect(try count(#Predicate { $0.small == small + 1 }) == 0)
    #expect(try count(#Predicate { $0.factor < Int(small) + 1 }) >= 0)
  }

  @Test func conversions() throws {
    for number in [2.5, .nan, .infinity, -1e300] {
      let expected = number == 2.5 ? 32 : 0
      #expect(try count(#Predicate { $0.factor <= Int(number) }) == expected)
      #expect(try count(#Predicate { $0.factor <= Int(number.rounded(.down)) }) == expected)
    }
    let text = "2"
    #expect(try count(#Predicate { $0.factor <= Int(text) ?? 0 }) == 32)
  }

  @Test func membersOfOptionals() throws {
    struct Selection {
      var opt: Part?
      struct Part {
        var member: String
        var list: [String]
      }
    }
    for part in [nil, Selection.Part(member: "tea", list: ["tea"])] {
      let selection = Selection(opt: part)
      let expected = part == nil ? 0 : 8
      #expect(try count(#Predicate { $0.name == selection.opt!.member }) == expected)
      #expect(try count(#Predicate { $0.name == selection.opt?.list[0] }) == expected)
      #expect(
        try count(#Predicate { $0.name == selection.opt?.list.first!.lowercased() }) == expected)
      #expect(try count(#Predicate { selection.opt!.list.contains($0.name) }) == expected)
      #expect(
        try count(#Predicate { selection.opt == nil || $0.name == selection.opt!.list[0] })
          == (part == nil ? 40 : 8))
    }
  }

  @Test func casts() throws {
    for value in ["tea" as Any, 5] {
      let expected = value is Int ? 0 : 8
      #expect(try count(#Predicate { $0.name == value as! String }) == expected)
      #expect(
        try count(#Predicate { !(value is String) || $0.name == (value as! String) })
          == (value is Int ? 40 : 8))
    }
  }

  @Test func models() throws {
    let top = try court.context.fetch(FetchDescriptor<Rack>()).first { $0.label == "top" }
    for rack in [nil, top] {
      let expected = rack == nil ? 40 : 10
      #expect(try count(#Predicate { rack == nil || $0.rack == rack! }) == expected)
      #expect(try count(#Predicate { rack == nil || rack! == $0.rack }) == expected)
      #expect(
        try count(#Predicate { rack == nil || $0.rack?.id == rack!.persistentModelID }) == expected)
      #expect(try count(#Predicate { $0.rack != rack! }) == (rack == nil ? 0 : 30))
      #expect(try count(#Predicate { $0.rack?.label == rack!.label }) == expected % 40)
      #expect(
        try court.context.fetchCount(
          FetchDescriptor(predicate: #Predicate<Rack> { rack == nil || $0 == rack! }))
          == (rack == nil ? 3 : 1))
    }
  }

  @Test func nestedClosures() throws {
    for size in [nil, 6] {
      let expected = size == nil ? 0 : 20
      #expect(try count(#Predicate { $0.parts.contains { $0.size == size! } }) == expected)
      #expect(
        try count(#Predicate { size == nil || $0.parts.contains { $0.size == size! } })
          == (size == nil ? 40 : expected))
      #expect(
        try count(#Predicate { $0.parts.allSatisfy { $0.size == size! } }) >= 10)
      #expect(try count(#Predicate { !$0.parts.contains { $0.size == size! } }) == 40 - expected)
    }
  }

  @Test func boundNames() throws {
    for list in [[], ["tea"]] {
      let expected = list.isEmpty ? 0 : 8
      #expect(
        try count(
          #Predicate { ware in
            let name = list[0]
            let both = name + "!"
            return ware.name == name || ware.name == both
          }) == expected)
      #expect(
        try count(
          #Predicate { ware in
            let names: [String]? = [list[0]]
            return names?.contains { $0 == ware.name } == true
          }) == expected)
      let listed = #Predicate<Ware> { [name = list[0]] in $0.name == name }
      #expect(try count(listed) == expected)
      #expect(
        try count(
          #Predicate { ware in
            if list.isEmpty {
              return ware.name == "bread"
            } else {
              let name = list[0]
              return ware.name == name
            }
          }) == 8)
      #expect(
        try count(
          #Predicate { ware in
            switch list.first! {
            case "tea": ware.name == "tea"
            default: true
            }
          }) == expected)
    }
  }

  @Test func expressionsAndPredicates() throws {
    for filter in [nil, #Predicate<Ware> { $0.name == "tea" }] {
      let expected = filter == nil ? 40 : 8
      #expect(try count(#Predicate { filter == nil || filter!.evaluate($0) }) == expected)
      #expect(try count(#Predicate { filter?.evaluate($0) ?? true }) == expected)
      #expect(try count(#Predicate { filter?.evaluate($0) == true }) == expected % 40)
      #expect(try count(#Predicate { filter!.evaluate($0) }) == expected % 40)
      #expect(try count(#Predicate { filter?.evaluate($0) != true }) == (filter == nil ? 40 : 32))
    }
    let numbers = [1]
    for place in 0...1 {
      let factor = #Expression<Ware, Int> { $0.factor - numbers[place] }
      #expect(try count(#Predicate { factor.evaluate($0) == 0 }) == (place == 0 ? 8 : 0))
    }
  }

  @Test func otherArithmeticIsAsItWas() throws {
    let (hours, days, price) = (2.0, 1, Decimal(2))
    let date = Date(timeIntervalSinceReferenceDate: 0)
    #expect(try count(#Predicate { $0.made < date + hours * 3600 }) == 2)
    #expect(try count(#Predicate { $0.made < date + 3600 * Double(days + 1) }) == 2)
    #expect(try count(#Predicate { $0.price == price * 10 - 23 }) == 10)
    #expect(try count(#Predicate { $0.name == "te" + "a" }) == 8)
    let part = "te"
    #expect(try count(#Predicate { $0.name == part + "a" }) == 8)
  }

  /// The value is computed once, whatever is looked at before.
  @Test func functionsAreCalledOnce() throws {
    final class Counter {
      var calls = 0
      func next() -> Int {
        calls += 1
        return calls
      }
    }
    let counter = Counter()
    #expect(try count(#Predicate { $0.factor == counter.next() + 1 }) == 8)
    #expect(counter.calls == 1)
  }

  @Test(.sqliteOnly("asks the default store")) func plansAreSharedByOutcome() throws {
    func request(_ name: String?) -> FetchDescriptor<Ware> {
      FetchDescriptor(predicate: #Predicate { $0.factor == 1 || $0.name == name! })
    }
    let store = try #require(court.container.stores.first as? DefaultStore)
    let before = store.engine.plans.compiledCount
    for name in ["tea", nil, "bread", nil, "tea"] {
      let found = try court.context.fetch(request(name))
      #expect(found.count == (name == nil ? 8 : 16), "\(name ?? "nil")")
    }
    // One plan for a name, one for the failure.
    #expect(store.engine.plans.compiledCount - before == 2)
  }
}
