import Foundation
import SwiftData
import Testing

/// What is absent is neither true nor false in SQL, and a negation turns only one of them round.
@Suite(.databases) struct AbsenceTests {
  let court: PredicateCourt

  init() throws { court = try PredicateCourt() }

  @Test func ofComparedValues() throws {
    try court.judge(#Predicate<Entry> { !($0.owner?.name.isEmpty == $0.name.isEmpty) })
    try court.judge(#Predicate<Job> { !($0.owner?.name.isEmpty == $0.isUrgent) })
    try court.judge(#Predicate<Job> { !($0.isUrgent == $0.owner?.name.isEmpty) })
    try court.judge(#Predicate<Entry> { !($0.owner?.leader?.name == $0.name) })
  }

  @Test func ofReplacements() throws {
    try court.judge(#Predicate<Entry> { ($0.alias ?? $0.owner?.leader?.name) == nil })
    try court.judge(#Predicate<Entry> { !(($0.alias ?? $0.owner?.name) == $0.name) })
    try court.judge(#Predicate<Job> { !(($0.isPaid ?? $0.owner?.name.isEmpty) == true) })
    try court.judge(#Predicate<Job> { !(($0.isPaid ?? $0.owner?.name.isEmpty) == $0.isUrgent) })
  }

  @Test func ofChoices() throws {
    try court.judge(#Predicate<Entry> { ($0.rank > 0 ? $0.alias : $0.owner?.name) == nil })
    try court.judge(
      #Predicate<Entry> { !(($0.rank > 0 ? $0.alias : $0.owner?.name) == $0.name) })
    try court.judge(
      #Predicate<Job> { !(($0.rank > 0 ? $0.isPaid : $0.owner?.name.isEmpty) == true) })
    try court.judge(#Predicate<Job> { ($0.rank > 0 ? $0.owner?.name.isEmpty : $0.isPaid) != false })
  }

  @Test func ofTheModelWhoseMembersAreAskedFor() throws {
    try court.judge(
      #Predicate<Entry> { !($0.owner?.entries.contains { $0.rank > 3 } ?? false) })
    try court.judge(
      #Predicate<Entry> { !($0.owner?.leader?.entries.contains { $0.rank > 3 } ?? false) })
    try court.judge(
      #Predicate<Entry> { !($0.owner?.entries.contains { $0.rank > 3 } == true) })
    try court.judge(
      #Predicate<Entry> { $0.owner.flatMap { !$0.entries.contains { $0.rank > 3 } } ?? true })
  }
}

/// Enums whose order is not that of their raw values.
@Suite(.databases) struct DeclaredOrderTests {
  enum Medal: Int, Codable, CaseIterable, Comparable {
    case gold = 1
    case silver, bronze

    static func < (lhs: Medal, rhs: Medal) -> Bool { lhs.rawValue > rhs.rawValue }
  }

  @Model final class Result {
    var medal: Medal
    init(_ medal: Medal) { self.medal = medal }
  }

  @Test func anEnumHasItsOwnOrder() throws {
    let court = try PredicateCourt(types: [Result.self]) { context in
      for medal in Medal.allCases { context.insert(Result(medal)) }
      try context.save()
    }
    let silver = Medal.silver
    try court.judge(#Predicate<Result> { $0.medal > silver })
    try court.judge(#Predicate<Result> { $0.medal <= silver })
    let best = #Predicate<Result> { $0.medal > silver }
    let found = try court.context.fetch(FetchDescriptor(predicate: best))
    #expect(found.map(\.medal) == [.gold])
  }

  enum Level: Int, Codable, Comparable {
    case low, lowish, high

    static func < (lhs: Level, rhs: Level) -> Bool {
      (lhs == .high ? 2 : 1) < (rhs == .high ? 2 : 1)
    }
  }

  enum Speed: String, Codable, Comparable {
    case slow, fast, lame

    static func < (lhs: Speed, rhs: Speed) -> Bool { lhs != .fast && rhs == .fast }
  }

  enum Mood: Codable, Comparable {
    case loud, calm, quiet

    static func < (lhs: Mood, rhs: Mood) -> Bool { lhs != .loud && rhs == .loud }
  }

  @Model final class Reading {
    var level: Level
    var speed: Speed
    var mood: Mood
    var number: Int

    init(_ level: Level, _ speed: Speed, _ mood: Mood, _ number: Int) {
      self.level = level
      self.speed = speed
      self.mood = mood
      self.number = number
    }
  }

  /// Different cases of an enum of which none is less than the other one.
  @Test func casesOfTheSameRank() throws {
    let court = try PredicateCourt(types: [Reading.self]) { context in
      for reading in [
        Reading(.lowish, .slow, .quiet, 10), Reading(.low, .lame, .calm, 20),
        Reading(.lowish, .slow, .quiet, 30), Reading(.high, .fast, .loud, 0),
        Reading(.low, .lame, .calm, 40),
      ] { context.insert(reading) }
      try context.save()
    }
    let (lowish, lame, quiet) = (Level.lowish, Speed.lame, Mood.quiet)
    try court.judge(#Predicate<Reading> { $0.level < lowish })
    try court.judge(#Predicate<Reading> { $0.level <= lowish })
    try court.judge(#Predicate<Reading> { $0.level > lowish })
    try court.judge(#Predicate<Reading> { $0.speed < lame })
    try court.judge(#Predicate<Reading> { $0.speed >= lame })
    try court.judge(#Predicate<Reading> { $0.mood > quiet }, inMemory: true)
    let orders = [SortDescriptor(\Reading.level), .init(\.speed), .init(\.mood)]
    for order in orders { try court.judge(sortBy: [order, SortDescriptor(\.number)]) }
    court.context.insert(Reading(.low, .lame, .calm, 25))
    for order in orders {
      let found = try court.context.fetch(
        FetchDescriptor<Reading>(sortBy: [order, SortDescriptor(\.number)]))
      #expect(found.map(\.number) == [10, 20, 25, 30, 40, 0])
    }
  }
}

/// A plan is not shared by requests whose captured lists have different lengths.
@Suite(.databases) struct CapturedListPlanTests {
  @Test func eachListHasItsOwnCondition() throws {
    let court = try PredicateCourt()
    func count(_ ranks: [Int]) throws -> Int {
      let predicate = #Predicate<Entry> { entry in ranks.contains { $0 == entry.rank } }
      return try court.context.fetchCount(FetchDescriptor(predicate: predicate))
    }
    let all = try court.context.fetch(FetchDescriptor<Entry>())
    for ranks in [[], [1], [1, 2], [], [2], [2, 2, 3]] {
      #expect(try count(ranks) == all.count { ranks.contains($0.rank) })
    }
  }
}
