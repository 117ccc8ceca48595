import Foundation
import SwiftData
import SwiftDataPostgres
import Synchronization
import Testing

/// `#Index` of the kind `.rtree` is an index of points.
@Suite(.enabled(if: TestDatabase.isAvailable))
struct PostgresSpatialIndexTests {
  @Model final class Spot {
    #Index<Spot>(.rtree([\.x, \.y]), .rtree([\.level, \.seen, \.y]), .rtree([\.level]))
    var number: Int
    var x: Double
    var y: Double?
    var level: Int
    var seen: Date?

    init(_ number: Int, x: Double, y: Double?, level: Int = 0, seen: Date? = nil) {
      (self.number, self.x, self.y, self.level, self.seen) = (number, x, y, level, seen)
    }
  }

  enum Plain {
    @Model final class Spot {
      var number: Int
      var x: Double
      var y: Double?
      var level: Int
      var seen: Date?

      init(_ number: Int, x: Double, y: Double?) {
        (self.number, self.x, self.y, level, seen) = (number, x, y, 0, nil)
      }
    }
  }

  enum Wider {
    @Model final class Spot {
      #Index<Spot>(.rtree([\.x, \.y]))
      var number: Int
      var x: Double
      var y: Double?
      var level = 0
      var note = ""
      var seen: Date?

      init(_ number: Int, x: Double, y: Double?) {
        (self.number, self.x, self.y, seen) = (number, x, y, nil)
      }
    }
  }

  private let url: String

  init() throws { url = try TestDatabase.addressOfNewSchema() }

  private func open<T: PersistentModel>(
    _ type: T.Type, _ change: (inout PostgresConfiguration) -> Void = { _ in }
  ) throws -> ModelContext {
    var configuration = try PostgresConfiguration(url: url)
    change(&configuration)
    return ModelContext(try ModelContainer(for: type, configurations: configuration))
  }

  private func indexes() throws -> [String] {
    try TestDatabase.texts(
      url,
      "SELECT indexname, (regexp_match(indexdef, 'USING ([a-z]+)'))[1] FROM pg_indexes "
        + "WHERE schemaname = current_schema() AND tablename = 'ZSPOT' ORDER BY 1")
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func boxesAndMemoryAgree(_ seed: UInt64) throws {
    var random = SeededNumbers(state: seed)
    let hostile: [Double] = [
      .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, -0.0, 0,
      .leastNonzeroMagnitude, 0.1, 0.1.nextUp, 0.1.nextDown, 1e-7, -1e-7, 16_777_217,
    ]
    func number() -> Double {
      Bool.random(using: &random)
        ? hostile.randomElement(using: &random)! : Double.random(in: -1...1, using: &random)
    }
    func level() -> Int {
      [.min, .max, .max - 1, 0, 1, -1, 9_007_199_254_740_993].randomElement(using: &random)!
    }
    func day() -> Date {
      Date(timeIntervalSinceReferenceDate: Double.random(in: 0...9, using: &random).rounded())
    }
    let context = try open(Spot.self)
    for index in 0..<200 {
      let y: Double? =
        switch index % 12 {
        case 0: nil
        case 1: .nan
        default: number()
        }
      context.insert(
        Spot(
          index, x: index % 17 == 0 ? .nan : number(), y: y, level: level(),
          seen: index % 3 == 0 ? nil : day()))
    }
    try context.save()
    // Even in a small table the server is to search the index.
    let reader = try open(Spot.self) { _ in }
    _ = try TestDatabase.texts(url, "ANALYZE \"ZSPOT\"")
    let all = try context.fetch(FetchDescriptor<Spot>())
    for _ in 0..<40 {
      let (a, b, c, d) = (number(), number(), number(), number())
      let (xs, ys) = (min(a, b)...max(a, b), min(c, d)...max(c, d))
      let (low, late) = (level(), day())
      let predicates: [Predicate<Spot>] = [
        #Predicate { $0.x > a && $0.x < b && $0.y != nil && $0.y! > c },
        #Predicate { xs.contains($0.x) && $0.y != nil && ys.contains($0.y!) },
        #Predicate { $0.x >= a && $0.x >= b && $0.y != nil && $0.y! <= c && $0.y! < d },
        #Predicate { $0.x == a && $0.y != nil && $0.y! == c },
        #Predicate { $0.level >= low && $0.seen != nil && $0.seen! < late },
        #Predicate { $0.level <= low && $0.seen != nil && $0.seen! >= late && $0.x > a },
      ]
      for (place, predicate) in predicates.enumerated() {
        let found = try reader.fetch(FetchDescriptor(predicate: predicate)).map(\.number)
        let wanted = try all.filter { try predicate.evaluate($0) }.map(\.number)
        #expect(found.sorted() == wanted.sorted(), "\(place): \(a) \(b) \(c) \(d) \(low) \(late)")
      }
    }
  }

  @Test func aBoxIsSearchedInTheIndex() throws {
    let texts = Mutex<[String]>([])
    let context = try open(Spot.self)
    for index in 0..<5_000 {
      let (x, y) = (Double(index % 71), Double(index / 71))
      context.insert(Spot(index, x: x, y: y, level: index))
    }
    try context.save()
    _ = try TestDatabase.texts(url, "ANALYZE \"ZSPOT\"")
    let reader = try open(Spot.self) { configuration in
      configuration.statementLog = StatementLog(includesValues: true) { event in
        guard case .statement(let statement) = event, let text = statement.sqlWithValues else {
          return
        }
        texts.withLock { $0.append(text) }
      }
    }
    let (low, high) = (10.0, 12.0)
    let box = #Predicate<Spot> {
      $0.x > low && $0.x < high && $0.y != nil && $0.y! > low && $0.y! < high
    }
    #expect(try reader.fetch(FetchDescriptor(predicate: box)).map(\.number) == [11 + 11 * 71])
    let text = try #require(texts.withLock { $0.last { $0.contains("<@") } })
    let plan = try TestDatabase.texts(url, "EXPLAIN " + text).joined(separator: "\n")
    #expect(plan.contains("Z_RT_Spot_SwiftDataIndexOnRTreexy"), "\(plan)")
    #expect(plan.contains("Index Cond"), "\(plan)")
  }

  @Test func indexesAreMadeAtTheNextOpening() throws {
    let context = try open(Plain.Spot.self)
    context.insert(Plain.Spot(1, x: 1, y: .nan))
    context.insert(Plain.Spot(2, x: 2, y: 2))
    try context.save()
    #expect(try indexes() == ["ZSPOT_pkey btree"])
    let made = [
      "ZSPOT_pkey btree", "Z_RT_Spot_SwiftDataIndexOnRTreelevelseeny gist",
      "Z_RT_Spot_SwiftDataIndexOnRTreexy gist", "Z_Spot_SwiftDataIndexOnBinarylevel btree",
    ]
    for _ in 0..<2 {
      _ = try open(Spot.self)
      #expect(try indexes() == made)
    }
    // A migration changes the table.
    let wide = try open(Wider.Spot.self)
    let one = 1.0
    let box = #Predicate<Wider.Spot> { $0.x > one && $0.y != nil && $0.y! > one }
    #expect(try wide.fetch(FetchDescriptor(predicate: box)).map(\.number) == [2])
    #expect(try indexes() == [made[0], made[2]])
  }

  @Test func thePortableProfileHasOrdinaryIndexes() throws {
    let context = try open(Spot.self) { $0.profile = .portable }
    context.insert(Spot(1, x: 3, y: 4))
    context.insert(Spot(2, x: 3, y: .nan))
    try context.save()
    let one = 1.0
    let box = #Predicate<Spot> { $0.x > one && $0.y != nil && $0.y! > one }
    #expect(try context.fetch(FetchDescriptor(predicate: box)).map(\.number) == [1])
    #expect(try !indexes().contains { $0.hasSuffix("gist") })
    #expect(try indexes().contains("Z_Spot_SwiftDataIndexOnBinaryxy btree"))
  }
}

/// Numbers that a seed determines.
private struct SeededNumbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state ^ (state >> 33)) &* 0xff51_afd7_ed55_8ccd
  }
}
