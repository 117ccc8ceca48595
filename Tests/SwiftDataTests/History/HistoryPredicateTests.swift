import Foundation
import SwiftData
import Testing

/// Predicates over transactions, as client code writes them.
struct HistoryPredicateTests {
  private let court: HistoryCourt
  private let token: DefaultHistoryToken
  private typealias Transactions = Predicate<DefaultHistoryTransaction>

  init() throws {
    court = try HistoryCourt()
    token = court.token(4)
  }

  @Test func tokens() throws {
    let token = token
    try court.judgeNarrowing(#Predicate { $0.token > token })
    try court.judgeNarrowing(#Predicate { $0.token >= token })
    try court.judgeNarrowing(#Predicate { $0.token < token })
    try court.judgeNarrowing(#Predicate<DefaultHistoryTransaction> { $0.token <= token })
    try court.judgeNarrowing(#Predicate { $0.token == token })
    try court.judgeNarrowing(#Predicate { $0.token != token })
    try court.judgeNarrowing(#Predicate { token < $0.token })
    try court.judgeNarrowing(#Predicate { !($0.token <= token) })
    let tokens = [token, court.token(7), court.token(999)]
    try court.judgeNarrowing(#Predicate { tokens.contains($0.token) })
    #expect(try court.fetch(#Predicate { $0.token > token }).first?.transactionIdentifier == 5)
  }

  @Test func aTokenOfSeveralStoresIsNoPlaceInOne() throws {
    let merged = DefaultHistoryToken([court.store.identifier: 4, "another": 9])
    try court.judgeNarrowing(#Predicate { $0.token > merged })
    try court.judgeNarrowing(#Predicate { $0.token <= merged })
    #expect(try court.judge(#Predicate { $0.token == merged }) == [])
    #expect(try court.judge(#Predicate { $0.token != merged }).count == court.all.count)
    let tokens = [token, merged]
    #expect(try court.judge(#Predicate { tokens.contains($0.token) }) == [4])
    let token = token
    try court.judge(#Predicate { $0.token == ($0.author == nil ? token : merged) }, inMemory: true)
    try court.judge(
      #Predicate { $0.token > ($0.author == nil ? token : merged) }, inMemory: true)
  }

  @Test func aStoreThatATokenDoesNotKnowCountsAsUnseen() throws {
    let other = DefaultHistoryToken(["another": 3])
    let forms: [(Transactions, Int)] = [
      (#Predicate { $0.token > other }, court.all.count),
      (#Predicate { $0.token >= other }, court.all.count),
      (#Predicate { $0.token < other }, 0), (#Predicate { $0.token <= other }, 0),
      // A part that SQL cannot say takes the whole predicate to memory.
      (#Predicate { $0.token > other && $0.hashValue == $0.hashValue }, court.all.count),
      (#Predicate { $0.token <= other && $0.hashValue == $0.hashValue }, 0),
    ]
    for (predicate, count) in forms {
      let found = try DefaultHistoryToken.$comparedStore.withValue(court.store.identifier) {
        try court.all.filter { try predicate.evaluate($0) }.count
      }
      #expect(found == count)
    }
  }

  @Test func authors() throws {
    let author = "app"
    let noAuthor: String? = nil
    try court.judgeNarrowing(#Predicate { $0.author == author })
    try court.judgeNarrowing(#Predicate { $0.author != "widget" })
    try court.judgeNarrowing(#Predicate { $0.author == nil })
    try court.judgeNarrowing(#Predicate { $0.author != nil })
    try court.judgeNarrowing(#Predicate { $0.author == noAuthor })
    try court.judgeNarrowing(#Predicate { $0.author == "Zo\u{eb}" })
    try court.judgeNarrowing(#Predicate { $0.author == "" })
    try court.judge(#Predicate { $0.author == "nobody" })
    let token = token
    try court.judgeNarrowing(
      #Predicate<DefaultHistoryTransaction> { transaction in
        (transaction.token > token) && (transaction.author == author)
      })
    let list = ["app", "sync"]
    let set: Set<String> = ["widget", "Zo\u{eb}"]
    let optionals: [String?] = ["app", nil]
    try court.judgeNarrowing(#Predicate { list.contains($0.author ?? "") })
    try court.judgeNarrowing(#Predicate { set.contains($0.author ?? "none") })
    try court.judgeNarrowing(#Predicate { optionals.contains($0.author) })
    try court.judgeNarrowing(#Predicate { !optionals.contains($0.author) })
    try court.judgeNarrowing(#Predicate { $0.author?.hasPrefix("wid") ?? false })
    try court.judgeNarrowing(#Predicate { ($0.author ?? "app") == author })
    try court.judgeNarrowing(#Predicate { $0.author == Sender.widget.rawValue })
    try court.judgeNarrowing(#Predicate { $0.author == Sender.name })
    if let first = try court.fetch(#Predicate { $0.author == author }).first {
      #expect(first.author == author)
    }
  }

  private enum Sender: String {
    case widget
    static let name = "sync"
  }

  @Test func otherProperties() throws {
    let date = Date(timeIntervalSinceReferenceDate: 700_000_001)
    let id = court.store.identifier
    let process = ProcessInfo.processInfo.processName
    try court.judgeNarrowing(#Predicate { $0.timestamp > date })
    try court.judgeNarrowing(#Predicate { $0.timestamp <= date })
    try court.judgeNarrowing(#Predicate { $0.transactionIdentifier == 5 })
    try court.judgeNarrowing(#Predicate { $0.id > 5 })
    try court.judgeNarrowing(#Predicate { (3...6).contains($0.transactionIdentifier) })
    #expect(try court.judge(#Predicate { $0.storeIdentifier == id }).count == court.all.count)
    #expect(try court.judge(#Predicate { $0.storeIdentifier == "other" }).isEmpty)
    try court.judgeNarrowing(#Predicate { $0.bundleIdentifier == "com.example" })
    try court.judgeNarrowing(#Predicate { $0.bundleIdentifier == "" })
    try court.judgeNarrowing(#Predicate { $0.bundleIdentifier != "" })
    try court.judgeNarrowing(#Predicate { ["", "com.example"].contains($0.bundleIdentifier) })
    try court.judgeNarrowing(#Predicate { $0.processIdentifier == process })
    try court.judgeNarrowing(#Predicate { $0.processIdentifier != process })
    try court.judgeNarrowing(#Predicate { $0.contextName == "main" })
    try court.judgeNarrowing(#Predicate { $0.contextName == nil })
    try court.judgeNarrowing(
      #Predicate { $0.hashValue == $0.hashValue && $0.id > 5 }, inMemory: true)
  }

  @Test func nestedPredicates() throws {
    let token = token
    let names = ["Stop"]
    let tokenPredicate = #Predicate<DefaultHistoryTransaction> { $0.token > token }
    let changesPredicate = #Predicate<DefaultHistoryTransaction> { transaction in
      transaction.changes.contains { change in
        names.contains(change.changedPersistentIdentifier.entityName)
      }
    }
    let both: Transactions = #Predicate {
      tokenPredicate.evaluate($0) && changesPredicate.evaluate($0)
    }
    try court.judgeNarrowing(both)
    let all = Transactions(all: [tokenPredicate, changesPredicate])
    #expect(try court.judge(all) == court.judge(both))
    let size = #Expression<DefaultHistoryTransaction, Int> { $0.changes.count }
    try court.judgeNarrowing(#Predicate<DefaultHistoryTransaction> { size.evaluate($0) > 3 })
  }

  @Test func changes() throws {
    let ids = Set(court.all[2].changes.map(\.changedPersistentIdentifier))
    let id = try #require(ids.first)
    let store = court.store.identifier
    try court.judgeNarrowing(
      #Predicate { $0.changes.contains { ids.contains($0.changedPersistentIdentifier) } })
    try court.judgeNarrowing(
      #Predicate { $0.changes.contains { $0.changedPersistentIdentifier == id } })
    try court.judgeNarrowing(
      #Predicate { $0.changes.contains { $0.changedPersistentIdentifier != id } })
    for name in ["Stop", "Trip", "Gone", "entity 78", "Other"] {
      let names = [name, "Another"]
      try court.judge(
        #Predicate { $0.changes.contains { $0.changedPersistentIdentifier.entityName == name } })
      try court.judge(
        #Predicate {
          $0.changes.contains { names.contains($0.changedPersistentIdentifier.entityName) }
        })
      try court.judge(
        #Predicate { $0.changes.allSatisfy { $0.changedPersistentIdentifier.entityName != name } })
    }
    try court.judgeNarrowing(
      #Predicate { $0.changes.contains { $0.changedPersistentIdentifier.entityName == "Gone" } })
    try court.judgeNarrowing(#Predicate { $0.changes.isEmpty })
    try court.judgeNarrowing(#Predicate { $0.changes.count > 3 })
    try court.judgeNarrowing(
      #Predicate {
        $0.changes.filter { $0.changedPersistentIdentifier.entityName == "Trip" }.count == 2
      })
    try court.judge(
      #Predicate { $0.changes.contains { $0.changedPersistentIdentifier.storeIdentifier == store } }
    )
    try court.judgeNarrowing(
      #Predicate { transaction in
        transaction.changes.contains { one in
          transaction.changes.contains {
            $0.changedPersistentIdentifier != one.changedPersistentIdentifier
          }
        }
      })
    let own = court.identifiers.filter { $0.storeIdentifier != nil }
    for identifier in own {
      try court.judge(
        #Predicate { $0.changes.contains { $0.changedPersistentIdentifier == identifier } })
    }
    let many = own + (0..<300).map { _ in own[0] }
    try court.judgeNarrowing(
      #Predicate { $0.changes.contains { many.contains($0.changedPersistentIdentifier) } })
    try court.judgeNarrowing(
      #Predicate { $0.changes.contains { $0.changedPersistentIdentifier > id } }, inMemory: true)
  }

  @Test func orders() throws {
    typealias Order = SortDescriptor<DefaultHistoryTransaction>
    let orders: [[Order]] = [
      [Order(\.transactionIdentifier, order: .reverse)], [Order(\.id)],
      [Order(\.token, order: .reverse)], [Order(\.timestamp)],
      [Order(\.timestamp, order: .reverse), Order(\.token, order: .reverse)],
      [Order(\.author), Order(\.timestamp, order: .reverse)], [Order(\.author, order: .reverse)],
      [Order(\.bundleIdentifier)], [Order(\.processIdentifier)], [Order(\.contextName)],
      [Order(\.storeIdentifier), Order(\.author)],
    ]
    for order in orders {
      #expect(!court.compiled(nil, sortBy: order).sortsInMemory)
      for limit in [0, 4] {
        let expected = court.all.sorted(using: order).prefix(limit == 0 ? .max : limit)
        #expect(try court.fetch(nil, limit: limit, sortBy: order) == Array(expected))
      }
    }
    let computed = [Order(\.changes.count), Order(\.author)]
    #expect(court.compiled(nil, sortBy: computed).sortsInMemory)
    #expect(
      try court.fetch(nil, limit: 3, sortBy: computed)
        == Array(court.all.sorted(using: computed).prefix(3)))
  }
}
