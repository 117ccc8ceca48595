import Foundation
import SwiftData
import Testing

/// Random predicates and orders over transactions, judged by fetches and in memory.
struct RandomHistoryPredicateTests {
  static let count =
    (ProcessInfo.processInfo.environment["OPENSWIFTDATA_RANDOM_GRAPHS"].flatMap(Int.init) ?? 20)
    * 30
  static let first =
    ProcessInfo.processInfo.environment["OPENSWIFTDATA_RANDOM_SEED"].flatMap(UInt64.init) ?? 1

  typealias Order = SortDescriptor<DefaultHistoryTransaction>

  static let orders: [[Order]] = [
    [], [Order(\.token)], [Order(\.token, order: .reverse)], [Order(\.timestamp, order: .reverse)],
    [Order(\.author)], [Order(\.author, order: .reverse), Order(\.id, order: .reverse)],
    [Order(\.bundleIdentifier), Order(\.contextName, order: .reverse)], [Order(\.changes.count)],
  ]

  @Test func storeAndMemoryAgree() throws {
    let court = try HistoryCourt()
    var failures = 0
    var (inSQL, some) = (0, 0)
    for seed in Self.first..<(Self.first + UInt64(Self.count)) {
      var random = SeededRandom(seed)
      let sketch = PredicateSketch<DefaultHistoryTransaction>.random(depth: 3, &random) { random in
        let writer = HistoryPredicateWriter(
          random: SeededRandom(random.next()), store: court.store.identifier,
          newest: court.all.count, identifiers: court.identifiers)
        return {
          var writer = writer
          return writer.transaction($0, depth: 2)
        }
      }
      let order = random.pick(Self.orders)
      let limit = random.pick([0, 0, 1, 3, 7])
      if !court.compiled(sketch.predicate).filtersInMemory { inSQL += 1 }
      let count = try court.all.filter { try sketch.predicate.evaluate($0) }.count
      if count > 0, count < court.all.count { some += 1 }
      guard complaint(court, sketch, order, limit) != nil else { continue }
      var small = sketch
      while let next = small.smaller.first(where: { complaint(court, $0, order, limit) != nil }) {
        small = next
      }
      Issue.record(
        """
        seed \(seed), limit \(limit): \(small.text)
        \(complaint(court, small, order, limit) ?? "")
        \(court.sql(small.predicate))
        """)
      failures += 1
      if failures > 4 { return }
    }
    // Most predicates are for SQL, and tell transactions apart.
    #expect(inSQL > Self.count / 2, "\(inSQL) of \(Self.count)")
    #expect(some > Self.count / 3, "\(some) of \(Self.count)")
  }

  private func complaint(
    _ court: HistoryCourt, _ sketch: PredicateSketch<DefaultHistoryTransaction>, _ order: [Order],
    _ limit: Int
  ) -> String? {
    do {
      let predicate = sketch.predicate
      let found = try court.fetch(predicate, limit: limit, sortBy: order).map(\.id)
      let matching = try DefaultHistoryToken.$comparedStore.withValue(court.store.identifier) {
        try court.all.filter { try predicate.evaluate($0) }.sorted(using: order)
      }
      let expected = matching.prefix(limit == 0 ? .max : limit).map(\.id)
      return found == expected ? nil : "found \(found), expected \(expected)"
    } catch {
      return "\(error)"
    }
  }
}

/// Writes random conditions about transactions. A copy with the same state writes the same condition.
struct HistoryPredicateWriter {
  var random: SeededRandom
  let store: String
  /// The number of the newest transaction.
  let newest: Int
  let identifiers: [PersistentIdentifier]

  private typealias T = DefaultHistoryTransaction

  private mutating func repeatable<V, R>(
    _ body: @escaping (inout HistoryPredicateWriter, V) -> R
  ) -> (V) -> R {
    let seed = random.next()
    return { [self] in
      var writer = self
      writer.random = SeededRandom(seed)
      return body(&writer, $0)
    }
  }

  private mutating func comparison() -> PredicateExpressions.ComparisonOperator {
    random.pick([.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual])
  }

  private mutating func token() -> DefaultHistoryToken {
    let number = Int64(random.below(newest + 1))
    return random.chance(80)
      ? DefaultHistoryToken([store: number])
      : DefaultHistoryToken(
        [store: number, "another": Int64(random.below(9))],
        lastStore: random.pick([nil, store, "another"]))
  }

  mutating func transaction(_ it: Piece<DefaultHistoryTransaction>, depth: Int) -> Piece<Bool> {
    switch random.below(depth > 0 ? 14 : 9) {
    case 0: return token(it.property(\.token, "token"))
    case 1: return number(it.property(\.transactionIdentifier, "number"))
    case 2: return number(it.property(\.id, "id"))
    case 3:
      let date = Date(timeIntervalSinceReferenceDate: 700_000_000 + Double(random.below(4)) / 2)
      return it.property(\.timestamp, "timestamp").compares(comparison(), .value(date))
    case 4, 5: return optional(it.property(\.author, "author"), HistoryCourt.authors)
    case 6: return optional(it.property(\.contextName, "contextName"), HistoryCourt.names)
    case 7:
      let isBundle = random.chance(50)
      return text(
        isBundle
          ? it.property(\.bundleIdentifier, "bundle") : it.property(\.processIdentifier, "process"),
        ["com.example", "older", "", ProcessInfo.processInfo.processName])
    case 8:
      return it.property(\.storeIdentifier, "store").equals(
        .value(random.pick([store, "other"])), negated: random.chance(30))
    case 9: return asked(it, depth: depth)
    default: return changes(it.property(\.changes, "changes"), it, depth: depth)
    }
  }

  private mutating func token(_ it: Piece<DefaultHistoryToken>) -> Piece<Bool> {
    switch random.below(5) {
    case 0: return it.equals(.value(token()), negated: random.chance(50))
    case 1: return it.isMember(of: (0..<random.below(4)).map { _ in token() })
    case 2: return Piece.value(token()).compares(comparison(), it)
    default: return it.compares(comparison(), .value(token()))
    }
  }

  private mutating func number(_ it: Piece<Int64>) -> Piece<Bool> {
    let (low, high) = (Int64(random.below(10)), Int64(10 + random.below(12)))
    switch random.below(4) {
    case 0: return it.equals(.value(low), negated: random.chance(50))
    case 1: return it.isWithin(low...high)
    case 2: return it.isMember(of: [low, high])
    default: return it.compares(comparison(), .value(low))
    }
  }

  private mutating func optional(_ it: Piece<String?>, _ values: [String?]) -> Piece<Bool> {
    let value = random.pick(values)
    switch random.below(5) {
    case 0: return it.equals(.value(value), negated: random.chance(50))
    case 1:
      return it.isMember(of: (0..<random.below(4)).map { _ in random.pick(values) })
    case 2: return text(it.orElse(.value(random.pick(values) ?? "none")), values.compactMap(\.self))
    case 3:
      let body = repeatable { (writer: inout Self, text: Piece<String>) in
        writer.text(text, values.compactMap(\.self))
      }
      return it.flatMap(body).orElse(.value(random.chance(50)))
    default: return it.equals(.value(value), negated: random.chance(50)).negated
    }
  }

  private mutating func text(_ it: Piece<String>, _ values: [String]) -> Piece<Bool> {
    let value = random.pick(values)
    switch random.below(6) {
    case 0: return it.isMember(of: (0..<random.below(4)).map { _ in random.pick(values) })
    case 1: return it.compares(comparison(), .value(value))
    case 2: return it.property(\String.isEmpty, "isEmpty")
    case 3: return random.pick(TextQuestion.allCases).ask(it, about: .value(value))
    default: return it.equals(.value(value), negated: random.chance(50))
    }
  }

  private mutating func asked(
    _ it: Piece<DefaultHistoryTransaction>, depth: Int
  ) -> Piece<Bool> {
    let body = repeatable { (writer: inout Self, it: Piece<DefaultHistoryTransaction>) in
      writer.transaction(it, depth: depth - 1)
    }
    let predicate = Predicate<DefaultHistoryTransaction> { body(Piece($0, "$1")).node }
    func open<R: StandardPredicateExpression<DefaultHistoryTransaction>>(
      _ root: R
    ) -> PredicateTree<Bool> {
      PredicateExpressions.build_evaluate(predicate, root)
    }
    let text = body(it).text
    return Piece<Bool>(open(it.node), "{\(text)}.evaluate()")
  }

  private mutating func changes(
    _ it: Piece<[HistoryChange]>, _ owner: Piece<DefaultHistoryTransaction>, depth: Int
  ) -> Piece<Bool> {
    let count = random.below(4)
    let body = repeatable { (writer: inout Self, change: Piece<HistoryChange>) in
      writer.change(change, owner)
    }
    switch random.below(6) {
    case 0: return it.property(\[HistoryChange].isEmpty, "isEmpty")
    case 1:
      return it.property(\[HistoryChange].count, "count").compares(comparison(), .value(count))
    case 2:
      return it.filter(body).property(\[HistoryChange].count, "count").equals(
        .value(count), negated: random.chance(50))
    case 3: return it.elements(all: true, body)
    default: return it.elements(all: false, body)
    }
  }

  private mutating func change(
    _ it: Piece<HistoryChange>, _ owner: Piece<DefaultHistoryTransaction>
  ) -> Piece<Bool> {
    let identifier = it.property(\.changedPersistentIdentifier, "identifier")
    switch random.below(6) {
    case 0, 1:
      return text(
        identifier.property(\.entityName, "entityName"),
        ["Trip", "Stop", "Gone", "entity 78", "Nothing"])
    case 2: return identifier.equals(.value(random.pick(identifiers)), negated: random.chance(30))
    case 3:
      return identifier.property(\.storeIdentifier, "store").equals(
        .value(random.pick([store, nil, "other"])), negated: random.chance(30))
    case 4:
      let body = owner.property(\.token, "token").compares(comparison(), .value(token()))
      return .joined(
        body, and: random.chance(50),
        identifier.equals(.value(random.pick(identifiers)), negated: true))
    default:
      return identifier.isMember(
        of: (0..<random.below(8)).map { _ in random.pick(identifiers) })
    }
  }
}
