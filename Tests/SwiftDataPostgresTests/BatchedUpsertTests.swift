import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

@Model
final class Ware {
  @Attribute(.unique) var code: String
  var value: Int

  init(_ code: String, _ value: Int) {
    self.code = code
    self.value = value
  }
}

@Model
final class Depot {
  @Attribute(.unique) var name: String
  var next: Depot?
  @Relationship(inverse: \Crate.depot) var crates: [Crate] = []

  init(_ name: String) { self.name = name }
}

/// Two constraints, so that a row is looked up by each.
@Model
final class Crate {
  #Unique<Crate>([\.code], [\.place])
  var code: Int
  var place: Int?
  var content: String
  var depot: Depot?

  init(_ code: Int, _ place: Int?, _ content: String, in depot: Depot? = nil) {
    self.code = code
    self.place = place
    self.content = content
    self.depot = depot
  }
}

/// The class of a row shares its table with others.
@Model
class Ticket {
  @Attribute(.unique) var number: Double
  var text: String

  init(_ number: Double, _ text: String) {
    self.number = number
    self.text = text
  }
}

@Model
final class DayTicket: Ticket {
  var day = 0

  override init(_ number: Double, _ text: String) { super.init(number, text) }
}

@Model
final class Pilot {
  var name: String
  @Relationship(inverse: \Plane.pilot) var plane: Plane?

  init(_ name: String) { self.name = name }
}

@Model
final class Plane {
  var name: String
  var pilot: Pilot?

  init(_ name: String) { self.name = name }
}

/// Saves of many models, some of which have the unique values of stored rows, wait for few answers and
/// leave few dead rows.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct BatchedUpsertTests {
  private let address: String

  init() throws { address = try PostgresServer.shared.addressOfNewSchema() }

  private func container(log: StatementLog? = nil) throws -> ModelContainer {
    var configuration = try PostgresConfiguration(url: address)
    configuration.statementLog = log
    return try ModelContainer(
      for: Ware.self, Depot.self, Crate.self, Ticket.self, DayTicket.self, Pilot.self, Plane.self,
      configurations: configuration)
  }

  private func trips(of context: ModelContext) throws -> Int {
    let count = ExchangeCount()
    try ExchangeCount.$current.withValue(count) { try context.save() }
    return count.value
  }

  private func wares(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Ware>(sortBy: [SortDescriptor(\.code)]))
      .map { "\($0.code) \($0.value)" }
  }

  /// - Parameter step: Every so many models has a stored row; 0 for none.
  @Test(arguments: [0, 1, 2, 10]) func anImportIsWrittenInBatches(_ step: Int) throws {
    let (container, count) = (try container(), 900)
    let codes = (0..<count).map { "code \(1000 + $0)" }
    let stored = step == 0 ? [] : stride(from: 0, to: count, by: step).map { codes[$0] }
    let first = ModelContext(container)
    for code in stored { first.insert(Ware(code, -1)) }
    try first.save()
    let context = ModelContext(container)
    for (index, code) in codes.enumerated() { context.insert(Ware(code, index)) }
    #expect(try trips(of: context) < 40)
    #expect(try wares(container) == codes.indices.map { "\(codes[$0]) \($0)" })
    let changes =
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      .last?.changes ?? []
    let updates = changes.filter { if case .update = $0 { true } else { false } }
    #expect(changes.count == count && updates.count == stored.count)
    let size = try TestDatabase.texts(address, "SELECT pg_relation_size('\"ZWARE\"')")
    #expect(size.compactMap(Int.init)[0] < 200_000)
  }

  @Test func modelsThatAreLookedUpAreWrittenInBatches() throws {
    let container = try container()
    func save(_ codes: some Sequence<Int>, _ content: String) throws -> Int {
      let context = ModelContext(container)
      let depots = (0..<3).map { Depot("depot \($0)") }
      for (index, code) in codes.enumerated() {
        context.insert(Crate(code, -code, content, in: depots[index % 3]))
      }
      return try trips(of: context)
    }
    // The first save prepares its statements.
    #expect(try save(0..<300, "a") < 60)
    #expect(try save(0..<300, "b") < 30)
    #expect(try save(stride(from: 0, to: 600, by: 2), "c") < 30)
    let crates = try ModelContext(container).fetch(
      FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.code)]))
    let expected =
      (0..<300).map { "\($0) \($0 % 2 == 0 ? "c" : "b")" }
      + stride(from: 300, to: 600, by: 2).map { "\($0) c" }
    #expect(crates.map { "\($0.code) \($0.content)" } == expected)
    #expect(Set(crates.compactMap(\.depot?.name)).count == 3)
  }

  /// A model may wait for one that comes later.
  @Test func linksBetweenManyNewModelsAreWrittenInBatches() throws {
    let container = try container()
    for _ in 0..<2 {
      let context = ModelContext(container)
      let depots = (0..<200).map { Depot("depot \(1000 + $0)") }
      for depot in depots { context.insert(depot) }
      for (depot, next) in zip(depots, depots.dropFirst()) { depot.next = next }
      #expect(try trips(of: context) < 30)
    }
    let depots = try ModelContext(container).fetch(
      FetchDescriptor<Depot>(sortBy: [SortDescriptor(\.name)]))
    #expect(depots.map { $0.next?.name } == depots.dropFirst().map(\.name) + [nil])
  }

  @Test func modelsOfSeveralClassesMayAlternate() throws {
    let container = try container()
    for round in 0..<2 {
      let context = ModelContext(container)
      for index in 0..<100 {
        context.insert(Ware("code \(100 + index)", round))
        context.insert(Crate(index, nil, "\(round)"))
      }
      #expect(try trips(of: context) < 60)
    }
    #expect(try wares(container) == (100..<200).map { "code \($0) 1" })
  }

  @Test func theLastOfManyModelsWithOneValueWins() throws {
    let container = try container()
    for round in 0..<2 {
      let context = ModelContext(container)
      for index in 0..<100 { context.insert(Ware("code \(index % 7)", round * 1000 + index)) }
      #expect(try trips(of: context) < 30)
      #expect(
        try wares(container)
          == (0..<7).map { code in
            "code \(code) \(round * 1000 + (0..<100).filter { $0 % 7 == code }.max()!)"
          })
    }
  }

  @Test func aStoredRowInTheMiddleIsRefused() throws {
    let container = try container()
    let first = ModelContext(container)
    for index in 0..<100 { first.insert(Ware("code \(index)", 0)) }
    try first.save()
    // The table is known to have rows that others become.
    let merging = ModelContext(container)
    merging.insert(Ware("code 1", 1))
    try merging.save()
    let context = ModelContext(container)
    context.uniquenessPolicy = .refuse
    for index in 0..<50 { context.insert(Ware("new \(index)", 2)) }
    context.insert(Ware("code 50", 2))
    for index in 50..<99 { context.insert(Ware("new \(index)", 2)) }
    #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
    #expect(try wares(container).count == 100)
  }

  /// Another program does not take the lock with which a transaction excludes other saves.
  @Test func aRowThatIsInsertedAfterTheLookUpIsMerged() throws {
    let other = try PostgresConnection(ConnectionParameters(address))
    let inserting = OneTime {
      try? other.execute(
        "INSERT INTO \"ZWARE\" (\"Z_PK\", \"Z_ENT\", \"Z_OPT\", \"ZCODE\", \"ZVALUE\") "
          + "SELECT 1000000, \"Z_ENT\", 1, 'code 150', -2 FROM \"ZWARE\" LIMIT 1")
    }
    let container = try container(
      log: StatementLog { event in
        if "\(event)".contains("PARTITION BY") { inserting.run() }
      })
    let first = ModelContext(container)
    for index in 100..<120 { first.insert(Ware("code \(index)", -1)) }
    try first.save()
    let context = ModelContext(container)
    try context.transaction {
      for index in 100..<200 { context.insert(Ware("code \(index)", index)) }
    }
    #expect(inserting.hasRun)
    #expect(try wares(container) == (100..<200).map { "code \($0) \($0)" })
    let key = try TestDatabase.texts(
      address, "SELECT \"Z_PK\" FROM \"ZWARE\" WHERE \"ZCODE\" = 'code 150'")
    #expect(key == ["1000000"])
  }

  private final class OneTime: @unchecked Sendable {
    private let body: () -> Void
    private(set) var hasRun = false

    init(_ body: @escaping () -> Void) { self.body = body }

    func run() {
      if hasRun { return }
      hasRun = true
      body()
    }
  }

  // MARK: Links of stored rows

  @Test func oldDestinationsOfManyRowsAreReadTogether() throws {
    let context = ModelContext(try container())
    let depots = [Depot("a"), Depot("b")]
    let crates = (0..<100).map { Crate($0, nil, "", in: depots[0]) }
    for crate in crates { context.insert(crate) }
    try context.save()
    for crate in crates.prefix(60) { crate.depot = depots[1] }
    #expect(try trips(of: context) < 15)
    let changes =
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      .last?.changes ?? []
    #expect(Set(changes.map(\.changedPersistentIdentifier)).count == 62)
    let stored = try ModelContext(context.container).fetch(
      FetchDescriptor<Depot>(sortBy: [SortDescriptor(\.name)]))
    #expect(stored.map(\.crates.count) == [40, 60])
  }

  @Test func manyPartnersAreExchangedWithFewTrips() throws {
    let container = try container()
    let context = ModelContext(container)
    let pilots = (0..<50).map { Pilot("\(100 + $0)") }
    let planes = (0..<50).map { Plane("\(100 + $0)") }
    for (pilot, plane) in zip(pilots, planes) {
      context.insert(pilot)
      pilot.plane = plane
    }
    try context.save()
    for (index, pilot) in pilots.enumerated() { pilot.plane = planes[(index + 1) % 50] }
    #expect(try trips(of: context) < 25)
    // Another context has read the old partners of one of them.
    let other = ModelContext(container)
    let found = try other.fetch(FetchDescriptor<Pilot>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map { $0.plane?.name } == planes.dropFirst().map(\.name) + ["100"])
    #expect(found.allSatisfy { $0.plane?.pilot === $0 })
  }

  /// The rows of planes that the save does not write lose their pilots.
  @Test func manyPartnersAreTakenFromOthers() throws {
    let container = try container()
    let context = ModelContext(container)
    let pilots = (0..<20).map { Pilot("\(100 + $0)") }
    for pilot in pilots { context.insert(pilot) }
    try context.save()
    let late = ModelContext(container)
    let latePilots = try late.fetch(FetchDescriptor<Pilot>(sortBy: [SortDescriptor(\.name)]))
    #expect(latePilots.allSatisfy { $0.plane == nil })
    for (index, pilot) in pilots.enumerated() { pilot.plane = Plane("old \(index)") }
    try context.save()
    for (index, pilot) in latePilots.enumerated() where index % 2 == 0 {
      pilot.plane = Plane("new \(index)")
    }
    try late.save()
    let planes = try ModelContext(container).fetch(FetchDescriptor<Plane>())
    let flown = planes.filter { $0.pilot != nil }
    #expect(
      Set(flown.map(\.name)) == Set((0..<20).map { $0 % 2 == 0 ? "new \($0)" : "old \($0)" }))
    #expect(planes.count == 30 && flown.allSatisfy { $0.pilot?.plane === $0 })
  }

  // MARK: Beside the default store

  /// Random saves leave what they leave in the default store.
  @Test(arguments: 1...12 as ClosedRange<UInt64>) func randomSavesEqualTheDefaultStore(
    _ seed: UInt64
  ) throws {
    let file = try ModelContainer(
      for: Ware.self, Depot.self, Crate.self, Ticket.self, DayTicket.self, Pilot.self, Plane.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let server = try container()
    var random = NumberSequence(seed)
    for step in 0..<6 {
      let start = random
      let results = [file, server].map { container in
        random = start
        return save(step, in: ModelContext(container), &random)
      }
      #expect(results[0] == results[1])
      #expect(try contents(of: file) == contents(of: server))
    }
  }

  private func save(
    _ step: Int, in context: ModelContext, _ random: inout NumberSequence
  ) -> Bool {
    func pick(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
    let size = [3, 20, 100, 200][pick(0..<4)]
    var depots: [Depot] = []
    for _ in 0..<pick(1..<size) {
      let depot = Depot("\(pick(0..<size))")
      context.insert(depot)
      if pick(0..<2) == 0 { depot.next = depots.randomElement(using: &random) }
      depots.append(depot)
    }
    if pick(0..<2) == 0 { depots[0].next = depots.last }
    for index in 0..<pick(1..<size) {
      let code = step % 2 == 0 ? pick(0..<size) : index
      context.insert(Ware("\(code)", pick(0..<99)))
      let owner = pick(0..<2) == 0 ? depots.randomElement(using: &random) : nil
      let place = pick(0..<30) == 0 ? code + 1 : code
      context.insert(Crate(code, pick(0..<3) == 0 ? nil : place, "\(pick(0..<99))", in: owner))
    }
    for _ in 0..<pick(1..<size) {
      let number = [0.0, -0.0, .nan, 0.5][pick(0..<4)] + Double(pick(0..<size) / 4)
      let isDay = number.isNaN || Int(number * 2) % 2 == 1
      context.insert(isDay ? DayTicket(number, "day") : Ticket(number, "\(pick(0..<99))"))
    }
    return (try? context.save()) != nil
  }

  private func contents(of container: ModelContainer) throws -> [String] {
    let context = ModelContext(container)
    var texts = try wares(container).map { "ware \($0)" }
    texts += try context.fetch(FetchDescriptor<Depot>()).map {
      "depot \($0.name) \($0.next?.name ?? "-") \($0.crates.map(\.code).sorted())"
    }
    texts += try context.fetch(FetchDescriptor<Crate>()).map {
      "crate \($0.code) \($0.place ?? -1) \($0.content) \($0.depot?.name ?? "-")"
    }
    texts += try context.fetch(FetchDescriptor<Ticket>()).map {
      "\(type(of: $0)) \($0.number + 0) \($0.text)"
    }
    var names: [PersistentIdentifier: String] = [:]
    for crate in try context.fetch(FetchDescriptor<Crate>()) {
      names[crate.persistentModelID] = "crate \(crate.code)"
    }
    for depot in try context.fetch(FetchDescriptor<Depot>()) {
      names[depot.persistentModelID] = "depot \(depot.name)"
    }
    let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    for (index, transaction) in transactions.enumerated() {
      for change in transaction.changes {
        let id = change.changedPersistentIdentifier
        let name = names[id] ?? id.entityName
        switch change {
        case .insert: texts.append("\(index) inserted \(name)")
        case .delete: texts.append("\(index) deleted \(name)")
        case .update(let update as DefaultHistoryUpdate<Crate>):
          texts.append("\(index) updated \(name) \(update.updatedAttributes.count)")
        case .update: texts.append("\(index) updated \(name)")
        }
      }
    }
    return texts.sorted()
  }
}
