import Foundation
import SwiftData
import Testing

/// Lists, sets and dictionaries of values, which one column holds.
@Suite(.databases) struct ListPredicateTests {
  @Model final class Scale {
    var units: [String]

    init(_ units: [String]) { self.units = units }
  }

  let court: PredicateCourt

  init() throws { court = try .wares() }

  @Test func membership() throws {
    for tag in ["red", "caf\u{e9}", "a\u{0}b", "re\"d/"] {
      try court.judgeNarrowing(#Predicate<Ware> { $0.tags.contains(tag) })
      try court.judgeNarrowing(#Predicate<Ware> { !$0.tags.contains(tag) })
    }
    try court.judge(#Predicate<Ware> { $0.tags.contains("") })
    try court.judgeNarrowing(#Predicate<Ware> { $0.grades.contains(Grade.poor) })
    let code = Ware.code
    try court.judgeNarrowing(#Predicate<Ware> { $0.codes.contains(code) })
    try court.judgeNarrowing(#Predicate<Ware> { $0.marks?.contains(9) == true })
    try court.judgeNarrowing(#Predicate<Ware> { !($0.marks?.contains(9) ?? true) })
    try court.judgeNarrowing(#Predicate<Ware> { $0.marks!.contains(3) })
    try court.judge(#Predicate<Ware> { $0.tags.contains($0.name) })
  }

  /// Swift's `==` does not distinguish "K" from the sign for kelvin.
  @Test func membershipOfATextWithSeveralForms() throws {
    let court = try PredicateCourt(types: [Scale.self]) { context in
      for units in [["K"], ["\u{212a}"], ["kK"], ["\u{212a}m", "m"]] {
        context.insert(Scale(units))
      }
      try context.save()
    }
    for unit in ["K", "\u{212a}", "Km"] {
      try court.judgeNarrowing(#Predicate<Scale> { $0.units.contains(unit) })
      try court.judgeNarrowing(#Predicate<Scale> { !$0.units.contains(unit) })
    }
  }

  @Test func sizes() throws {
    try court.judgeNarrowing(#Predicate<Ware> { $0.tags.isEmpty })
    try court.judgeNarrowing(#Predicate<Ware> { $0.tags.isEmpty == false })
    try court.judgeNarrowing(#Predicate<Ware> { $0.tags.count >= 2 })
    try court.judgeNarrowing(#Predicate<Ware> { $0.codes.isEmpty })
    try court.judgeNarrowing(#Predicate<Ware> { $0.notes.count == 1 })
    try court.judgeNarrowing(#Predicate<Ware> { ($0.marks?.count ?? 0) > 1 })
    try court.judgeNarrowing(#Predicate<Ware> { $0.marks == nil })
  }

  @Test func elements() throws {
    try court.judgeNarrowing(#Predicate<Ware> { $0.tags.first == "red" })
    try court.judgeNarrowing(#Predicate<Ware> { $0.tags.first == nil })
    try court.judgeNarrowing(#Predicate<Ware> { $0.tags[0] != "red" })
    try court.judgeNarrowing(#Predicate<Ware> { $0.tags.count > 1 && $0.tags[1] == "big" })
    try court.judgeNarrowing(#Predicate<Ware> { $0.marks?.max() == 9 })
    try court.judgeNarrowing(#Predicate<Ware> { ($0.marks?.min() ?? 5) < 0 })
    try court.judgeNarrowing(#Predicate<Ware> { $0.tags.min() == "big" })
    try court.judge(#Predicate<Ware> { $0.tags[-1] == "red" })
  }

  @Test func dictionaries() throws {
    try court.judgeNarrowing(#Predicate<Ware> { $0.notes["size"] == "L" })
    try court.judgeNarrowing(#Predicate<Ware> { $0.notes["size"] != "L" })
    try court.judgeNarrowing(#Predicate<Ware> { $0.notes["size"] == nil })
    try court.judgeNarrowing(#Predicate<Ware> { $0.notes["size", default: "M"] == "M" })
    try court.judgeNarrowing(#Predicate<Ware> { $0.notes["size"]?.hasPrefix("S") == true })
    try court.judgeNarrowing(#Predicate<Ware> { $0.notes["size"]! > "M" })
  }

  @Test func testsOfElementsAreJudgedInMemory() throws {
    try court.judgeNarrowing(
      #Predicate<Ware> { $0.tags.contains { $0.hasPrefix("red") } }, inMemory: true)
    try court.judgeNarrowing(
      #Predicate<Ware> { $0.grades.allSatisfy { $0 == .poor } }, inMemory: true)
    try court.judgeNarrowing(
      #Predicate<Ware> { $0.factor == 1 && $0.tags.filter { $0.count > 3 }.isEmpty },
      inMemory: true)
  }
}
