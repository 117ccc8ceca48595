import Foundation
import SwiftData
import Testing

/// Forms of the language inside `#Predicate`, each judged by SQL and in memory.
@Suite(.databases) struct LanguageFormTests {
  let wares: PredicateCourt
  let jobs: PredicateCourt

  init() throws {
    wares = try .wares()
    jobs = try PredicateCourt()
  }

  @Test func branches() throws {
    try wares.judgeNarrowing(
      #Predicate<Ware> { ware in
        if ware.factor == 0 {
          return false
        } else if ware.grade == .good {
          return ware.count > 0
        } else {
          return ware.rack?.label == "top"
        }
      })
    try wares.judgeNarrowing(
      #Predicate<Ware> { ware in
        guard let sold = ware.sold, ware.factor != 0 else { return false }
        let days = 3.0 * 86_400
        return sold < ware.made + days
      })
    try wares.judgeNarrowing(
      #Predicate<Ware> { ware in
        if let rack = ware.rack, let nickname = ware.nickname {
          rack.height > 1 && nickname != "n2"
        } else if let nickname = ware.nickname {
          nickname == "n3"
        } else {
          false
        }
      })
    try wares.judgeNarrowing(
      #Predicate<Ware> { ware in
        switch ware.grade {
        case .good: ware.factor == 1
        case .fair, .poor: ware.factor == 2
        }
      })
    try wares.judgeNarrowing(
      #Predicate<Ware> { $0.factor > 1 ? $0.nickname == nil : $0.count < 0 })
  }

  @Test func bindings() throws {
    try wares.judgeNarrowing(
      #Predicate<Ware> { ware in
        let height = ware.rack?.height ?? 0
        let isTall = height >= 2
        return isTall && ware.factor != 0
      })
  }

  @Test func casesWithoutTheirType() throws {
    try wares.judgeNarrowing(#Predicate<Ware> { $0.grade == .fair })
    try wares.judgeNarrowing(#Predicate<Ware> { $0.grade != .fair && $0.stage == .second })
    try wares.judgeNarrowing(#Predicate<Ware> { $0.season == .spring })
    try wares.judgeNarrowing(#Predicate<Ware> { [.good, .poor].contains($0.grade) })
  }

  @Test func classes() throws {
    try jobs.judgeNarrowing(#Predicate<Entry> { ($0 as? Job)?.isUrgent == true })
    try jobs.judgeNarrowing(#Predicate<Entry> { ($0 as! Job).isUrgent })
    try jobs.judgeNarrowing(#Predicate<Entry> { !($0 as! Job).isUrgent || $0.rank > 0 })
    try jobs.judgeNarrowing(#Predicate<Entry> { !($0 is Job) || ($0 as! Job).rank > 1 })
    try jobs.judgeNarrowing(
      #Predicate<Entry> { entry in
        if let job = entry as? Job, let due = job.due { due > entry.owner!.since } else { false }
      }, inMemory: true)
    try jobs.judgeNarrowing(
      #Predicate<Member> { $0.entries.contains { ($0 as? Job)?.priority == .high } })
  }

  @Test func nestedRelationships() throws {
    try wares.judgeNarrowing(
      #Predicate<Rack> { rack in
        rack.wares.contains { ware in
          ware.parts.contains { part in part.size > rack.height && part.maker?.label == "middle" }
        }
      })
    try wares.judgeNarrowing(
      #Predicate<Rack> { $0.wares.filter { $0.parts.count == 2 && $0.factor == -1 }.isEmpty })
    try wares.judgeNarrowing(
      #Predicate<Ware> { ware in
        ware.rack?.wares.contains { $0.nickname == ware.nickname && $0.factor > ware.factor }
          ?? false
      })
    try wares.judge(
      #Predicate<Ware> { $0.rack?.wares.allSatisfy { !$0.parts.isEmpty } == true })
    try wares.judgeNarrowing(
      #Predicate<Ware> { $0.parts.count(where: { $0.divisor > 0 }) == 1 })
  }

  @Test func modelsAndIdentifiers() throws {
    let top = try #require(
      try wares.context.fetch(FetchDescriptor<Rack>()).first { $0.label == "top" })
    let none: Rack? = nil
    let identifier = top.persistentModelID
    let identifiers = [identifier]
    try wares.judgeNarrowing(#Predicate<Ware> { $0.rack == top })
    try wares.judgeNarrowing(#Predicate<Ware> { $0.rack != top })
    try wares.judgeNarrowing(#Predicate<Ware> { $0.rack == none })
    try wares.judgeNarrowing(#Predicate<Ware> { $0.rack?.persistentModelID == identifier })
    try wares.judgeNarrowing(#Predicate<Ware> { $0.rack?.id != identifier })
    try wares.judgeNarrowing(#Predicate<Rack> { identifiers.contains($0.persistentModelID) })
    try wares.judgeNarrowing(#Predicate<Ware> { $0.parts.contains { $0.maker == top } })
    try wares.judgeNarrowing(
      #Predicate<Ware> { ware in ware.parts.contains { $0.maker == ware.rack } })
  }

  /// Rows of different classes may have the same key.
  @Test func identifiersOfTwoClasses() throws {
    let ware = try #require(
      try wares.context.fetch(FetchDescriptor<Ware>()).first {
        $0.parts.contains { $0.maker == nil }
      })
    let top = try #require(
      try wares.context.fetch(FetchDescriptor<Rack>()).first { $0.label == "top" })
    let identifiers = [ware.persistentModelID, top.persistentModelID]
    for id in identifiers {
      try wares.judgeNarrowing(
        #Predicate<Part> { ($0.maker?.persistentModelID ?? $0.ware?.persistentModelID) == id },
        inMemory: true)
      try wares.judgeNarrowing(
        #Predicate<Part> {
          ($0.size == 6 ? $0.maker?.persistentModelID : $0.ware?.persistentModelID) == id
        }, inMemory: true)
    }
    try wares.judgeNarrowing(
      #Predicate<Part> {
        identifiers.contains($0.maker?.persistentModelID ?? $0.ware!.persistentModelID)
      }, inMemory: true)
    let ann = try jobs.member("Ann").persistentModelID
    try jobs.judgeNarrowing(
      #Predicate<Entry> {
        ($0.owner?.leader?.persistentModelID ?? $0.owner?.persistentModelID) == ann
      })
  }

  @Test func plainFlags() throws {
    try jobs.judgeNarrowing(#Predicate<Job> { $0.isUrgent })
    try jobs.judgeNarrowing(#Predicate<Job> { !$0.isUrgent })
    try jobs.judgeNarrowing(#Predicate<Job> { $0.isUrgent == false })
    try jobs.judgeNarrowing(#Predicate<Job> { $0.isPaid == true })
    try jobs.judgeNarrowing(#Predicate<Job> { $0.isPaid! })
    try jobs.judgeNarrowing(#Predicate<Job> { $0.isUrgent != ($0.isPaid ?? false) })
    try jobs.judge(sortBy: [SortDescriptor(\Job.rank), SortDescriptor(\.name, order: .reverse)])
  }

  @Test func expressions() throws {
    let total = #Expression<Ware, Int> { $0.factor % 7 + $0.parts.count }
    let isTall = #Predicate<Rack> { $0.height > 1 }
    try wares.judgeNarrowing(#Predicate<Ware> { total.evaluate($0) > 2 })
    try wares.judgeNarrowing(
      #Predicate<Ware> { $0.rack.flatMap { isTall.evaluate($0) } ?? false })
    try wares.judgeNarrowing(
      #Predicate<Ware> { ware in
        let sum = total.evaluate(ware)
        return sum >= 2 && sum <= 3
      })
  }
}

extension Member {
  /// Not stored, so that a predicate that asks for it is judged in memory.
  fileprivate var since: Date { Date(timeIntervalSinceReferenceDate: 100) }
}
