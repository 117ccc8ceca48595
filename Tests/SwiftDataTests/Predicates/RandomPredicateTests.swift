import Foundation
import SwiftData
import Testing

/// Random predicates and orders over random objects, judged by SQL, in memory, and by descriptions in
/// plain data.
///
/// `OPENSWIFTDATA_RANDOM_GRAPHS` raises the number of graphs, `OPENSWIFTDATA_RANDOM_SEED` begins
/// with another one. A failure names its seed, the smallest predicate and the fewest objects found.
@Suite(.databases) struct RandomPredicateTests {
  static let graphs =
    ProcessInfo.processInfo.environment["OPENSWIFTDATA_RANDOM_GRAPHS"]
    .flatMap(Int.init) ?? 20
  static let first =
    ProcessInfo.processInfo.environment["OPENSWIFTDATA_RANDOM_SEED"]
    .flatMap(UInt64.init) ?? 1
  static let perGraph = 24

  @Test func storeAndMemoryAgree() throws {
    var failures = 0
    var (described, asked) = ((bySQLToo: 0, all: 0), (bySQL: 0, all: 0))
    for seed in Self.first..<(Self.first + UInt64(Self.graphs)) {
      let bench = try RandomBench(RandomGraph(seed: seed))
      for number in 0..<UInt64(Self.perGraph) {
        let seeds = (graph: seed, predicate: seed &* 10_000 &+ number)
        failures +=
          try judge(SortKeys.entry, bench, seeds) { $0.entry($1, .entry, depth: 2) } ? 0 : 1
        failures += try judge(SortKeys.job, bench, seeds) { $0.job($1, depth: 2) } ? 0 : 1
        failures += try judge(SortKeys.member, bench, seeds) { $0.member($1, depth: 2) } ? 0 : 1
        failures += try judge(SortKeys.label, bench, seeds) { $0.label($1, depth: 2) } ? 0 : 1
        if failures > 8 { return }
      }
      described.bySQLToo += bench.described.bySQLToo
      described.all += bench.described.all
      asked.bySQL += bench.asked.bySQL
      asked.all += bench.asked.all
    }
    // Some random predicates are more than SQL and descriptions express.
    #expect(described.bySQLToo == asked.bySQL && asked.bySQL > asked.all / 2)
    #expect(described.all > asked.all * 9 / 10, "\(described) of \(asked)")
    print("described \(described) of \(asked)")
  }

  private func judge<T: PersistentModel>(
    _ keys: [SortKey<T>], _ bench: RandomBench, _ seeds: (graph: UInt64, predicate: UInt64),
    _ write: @escaping (inout PredicateWriter, Piece<T>) -> Piece<Bool>
  ) throws -> Bool {
    var random = SeededRandom(seeds.predicate)
    let sketch = PredicateSketch<T>.random(depth: 3, &random) { random in
      let writer = PredicateWriter(
        random: SeededRandom(random.next()), identifiers: bench.identifiers)
      return {
        var writer = writer
        return write(&writer, $0)
      }
    }
    let keys = SortKeys.some(keys, &random)
    guard let complaint = bench.complaint(sketch, keys) else { return true }
    var (small, smallKeys, reason) = (sketch, keys, complaint)
    while let next = small.smaller.first(where: { bench.complaint($0, smallKeys) != nil }) {
      small = next
    }
    for count in 0..<smallKeys.count
    where bench.complaint(small, Array(smallKeys.prefix(count))) != nil {
      smallKeys = Array(smallKeys.prefix(count))
      break
    }
    var graph = bench.graph
    // Identifiers of another graph are other ones, so those predicates keep their objects.
    if !small.text.contains("PersistentIdentifier") {
      graph = try graph.shrunk { try RandomBench($0).complaint(small, smallKeys) != nil }
    }
    let smallest = try RandomBench(graph)
    reason = smallest.complaint(small, smallKeys) ?? bench.complaint(small, smallKeys) ?? reason
    Issue.record(
      """
      graph \(seeds.graph), predicate \(seeds.predicate) of \(T.self):
      \(small.text)
      sorted by \(smallKeys.map(\.text))
      with entries \(graph.entries), members \(graph.members), labels \(graph.labels)
      \(reason)
      """)
    return false
  }
}

extension RandomGraph {
  func shrunk(while fails: (RandomGraph) throws -> Bool) rethrows -> RandomGraph {
    var graph = self
    for list in [\RandomGraph.entries, \.members, \.labels] {
      for number in graph[keyPath: list] {
        var smaller = graph
        smaller[keyPath: list].removeAll { $0 == number }
        if try fails(smaller) { graph = smaller }
      }
    }
    return graph
  }
}

struct SortKey<T> {
  var text: String
  var descriptor: SortDescriptor<T>
  /// Made anew: setting `order` has no effect on `compare` in Foundation 6.3.1 on Linux.
  var reversed: SortDescriptor<T>
}

/// How the objects of a class may be ordered.
enum SortKeys {
  static let entry: [SortKey<Entry>] = [
    .init(
      text: "name", descriptor: SortDescriptor(\.name),
      reversed: SortDescriptor(\.name, order: .reverse)),
    .init(
      text: "name lexical", descriptor: SortDescriptor(\.name, comparator: .lexical),
      reversed: SortDescriptor(\.name, comparator: .lexical, order: .reverse)),
    .init(
      text: "alias", descriptor: SortDescriptor(\.alias),
      reversed: SortDescriptor(\.alias, order: .reverse)),
    .init(
      text: "rank", descriptor: SortDescriptor(\.rank),
      reversed: SortDescriptor(\.rank, order: .reverse)),
    .init(
      text: "owner?.age", descriptor: SortDescriptor(\.owner?.age),
      reversed: SortDescriptor(\.owner?.age, order: .reverse)),
    .init(
      text: "owner?.leader?.age", descriptor: SortDescriptor(\.owner?.leader?.age),
      reversed: SortDescriptor(\.owner?.leader?.age, order: .reverse)),
  ]
  static let job: [SortKey<Job>] = [
    .init(
      text: "due", descriptor: SortDescriptor(\.due),
      reversed: SortDescriptor(\.due, order: .reverse)),
    .init(
      text: "size", descriptor: SortDescriptor(\.size),
      reversed: SortDescriptor(\.size, order: .reverse)),
    .init(
      text: "price", descriptor: SortDescriptor(\.price),
      reversed: SortDescriptor(\.price, order: .reverse)),
    .init(
      text: "key", descriptor: SortDescriptor(\.key),
      reversed: SortDescriptor(\.key, order: .reverse)),
    .init(
      text: "zip", descriptor: SortDescriptor(\.place.zip),
      reversed: SortDescriptor(\.place.zip, order: .reverse)),
    .init(
      text: "street", descriptor: SortDescriptor(\.place.street),
      reversed: SortDescriptor(\.place.street, order: .reverse)),
    .init(
      text: "rank", descriptor: SortDescriptor(\.rank),
      reversed: SortDescriptor(\.rank, order: .reverse)),
  ]
  static let member: [SortKey<Member>] = [
    .init(
      text: "name", descriptor: SortDescriptor(\.name),
      reversed: SortDescriptor(\.name, order: .reverse)),
    .init(
      text: "age", descriptor: SortDescriptor(\.age),
      reversed: SortDescriptor(\.age, order: .reverse)),
    .init(
      text: "leader?.age", descriptor: SortDescriptor(\.leader?.age),
      reversed: SortDescriptor(\.leader?.age, order: .reverse)),
  ]
  static let label: [SortKey<Label>] = [
    .init(
      text: "text lexical", descriptor: SortDescriptor(\.text, comparator: .lexical),
      reversed: SortDescriptor(\.text, comparator: .lexical, order: .reverse)),
    .init(
      text: "maker?.age", descriptor: SortDescriptor(\.maker?.age),
      reversed: SortDescriptor(\.maker?.age, order: .reverse)),
  ]

  static func some<T>(_ keys: [SortKey<T>], _ random: inout SeededRandom) -> [SortKey<T>] {
    keys.shuffled(using: &random).prefix(random.below(3)).map {
      var key = $0
      if random.chance(50) {
        key.descriptor = key.reversed
        key.text += " reverse"
      }
      return key
    }
  }
}
