import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// `#Index` of the kind `.rtree`.
struct SpatialIndexTests {
  let bench: PlanBench
  let tree = "Z_RT_Place_SwiftDataIndexOnRTreelatitudelongitude"

  init() throws { bench = try PlanBench(Place.self, Cafe.self) }

  private func rows() throws -> Int64 {
    try bench.store.pool.read { try $0.integer("SELECT count(*) FROM \(tree)") } ?? -1
  }

  private func codes(_ predicate: Predicate<Place>) throws -> [Int] {
    try ModelContext(bench.container).fetch(FetchDescriptor(predicate: predicate)).map(\.code)
      .sorted()
  }

  @Test func boxesAreSearchedInTheTree() throws {
    let (north, south, west): (Double, Double, Double) = (1, -1, 2)
    let (latitudes, longitudes) = (0.0...1.0, 2.0...3.0)
    let (since, until, seats) = (Date.distantPast, Date.now, 4)
    func expectTree<T: PersistentModel>(_ predicate: Predicate<T>) throws {
      let plan = try bench.plan(predicate)
      #expect(plan.steps.contains { $0.contains("VIRTUAL TABLE INDEX 2:") }, "\(plan)")
      #expect(plan.searchesKeys, "\(plan)")
    }
    try expectTree(
      #Predicate<Place> { $0.latitude < north && $0.latitude > south && west <= $0.longitude! })
    try expectTree(
      #Predicate<Place> { $0.latitude < north && $0.longitude.flatMap { $0 > west } ?? false })
    try expectTree(
      #Predicate<Place> { latitudes.contains($0.latitude) && longitudes.contains($0.longitude!) })
    try expectTree(#Predicate<Cafe> { $0.latitude == north && $0.longitude! > west })
    try expectTree(
      #Predicate<Cafe> { $0.seats > seats && $0.opened! > since && $0.opened! < until })
    let half = try bench.plan(#Predicate<Place> { $0.latitude < north })
    #expect(!half.sql.contains("Z_RT_"), "one bound is no box")
    let either = try bench.plan(#Predicate<Place> { $0.latitude < north || $0.longitude! > west })
    #expect(!either.sql.contains("Z_RT_"), "neither are two halves")
  }

  @Test func aRowWithoutANumberThatIsNotAskedForIsFound() throws {
    let bench = try PlanBench(Star.self)
    let stars = [
      Star("a", x: 1, y: 1, z: 1, w: 1), Star("b", x: 1, y: 1, z: nil, w: 1),
      Star("c", x: 1, y: 1, z: 1, w: .nan), Star("d", x: 9, y: 1, z: 1, w: 1),
    ]
    for star in stars { bench.context.insert(star) }
    try bench.context.save()
    let side = 0.0...2.0
    func names(_ predicate: Predicate<Star>) throws -> [String] {
      try ModelContext(bench.container).fetch(FetchDescriptor(predicate: predicate)).map(\.name)
        .sorted()
    }
    let square = #Predicate<Star> { side.contains($0.x) && side.contains($0.y) }
    #expect(try names(square) == ["a", "b", "c"])
    let cube = #Predicate<Star> {
      side.contains($0.x) && side.contains($0.y) && side.contains($0.z!)
    }
    #expect(try names(cube) == ["a", "c"])
    #expect(try !bench.plan(square).sql.contains("Z_RT_"))
    #expect(try bench.plan(cube).sql.contains("Z_RT_"))
    let floors = 1...2
    let onFloor = #Predicate<Star> { floors.contains($0.floor) && side.contains($0.x) }
    #expect(try names(onFloor) == ["a", "b", "c"])
    #expect(try bench.plan(onFloor).sql.contains("Z_RT_"))
    let inColumn = #Predicate<Star> { floors.contains($0.floor) && floors.contains($0.room) }
    #expect(try !bench.plan(inColumn).sql.contains("Z_RT_"))
  }

  @Test func everyWriteKeepsTheTreeInStep() throws {
    let context = bench.context
    let side = 0.0...10.0
    let box = #Predicate<Place> { side.contains($0.latitude) && side.contains($0.longitude!) }
    let places = (0..<20).map { Place($0, latitude: Double($0), longitude: Double($0)) }
    for place in places { context.insert(place) }
    context.insert(Cafe(30, latitude: 5, longitude: 5, seats: 3, opened: nil))
    context.insert(Place(31, latitude: 5, longitude: nil))
    try context.save()
    #expect(try codes(box) == Array(0...10) + [30])
    #expect(try rows() == 21)

    places[0].latitude = 50
    places[1].longitude = nil
    places[15].latitude = 1
    places[15].longitude = 1
    places[16].name = "elsewhere"
    try context.save()
    #expect(try codes(box) == Array(2...10) + [15, 30])
    #expect(try rows() == 20)

    context.delete(places[2])
    places[3].latitude = 99
    context.rollback()
    #expect(try codes(box) == Array(2...10) + [15, 30])
    context.delete(places[2])
    try context.save()
    #expect(try codes(box) == Array(3...10) + [15, 30])

    // The same codes again: these rows move.
    context.insert(Place(17, latitude: 2, longitude: 2))
    context.insert(Place(4, latitude: 80, longitude: 2))
    context.insert(Place(5, latitude: 2, longitude: nil))
    try context.save()
    #expect(try codes(box) == [3] + Array(6...10) + [15, 17, 30])

    try context.delete(model: Place.self, where: #Predicate { $0.code < 8 })
    try context.save()
    #expect(try codes(box) == [8, 9, 10, 15, 17, 30])
    try context.delete(model: Place.self, where: box)
    try context.save()
    #expect(try codes(box).isEmpty)
    try context.delete(model: Place.self)
    try context.save()
    #expect(try rows() == 0)
  }

  @Test(arguments: 1...12 as ClosedRange<UInt64>) func treeAndMemoryAgree(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let hostile =
      Hostile.reals.filter { !$0.isNaN } + [
        Double(Float(0.1)), 3.4e38, -3.4e38, 3.5e38, Double(Float.greatestFiniteMagnitude), 1e-40,
        16_777_217, -16_777_217, 0.1.nextUp, 0.1.nextDown,
      ]
    func number() -> Double {
      random.chance(40) ? random.pick(hostile) : Double(random.below(2_000)) / 1000 - 1
    }
    for code in 0..<120 {
      let longitude = random.chance(15) ? nil : random.chance(5) ? .nan : number()
      if random.chance(40) {
        let opened =
          random.chance(20) ? nil : Date(timeIntervalSinceReferenceDate: Double(random.below(50)))
        bench.context.insert(
          Cafe(
            code, latitude: number(), longitude: longitude, seats: random.pick(Hostile.numbers),
            opened: opened))
      } else {
        bench.context.insert(Place(code, latitude: number(), longitude: longitude))
      }
    }
    try bench.context.save()
    let all = try bench.context.fetch(FetchDescriptor<Place>())
    let cafes = try bench.context.fetch(FetchDescriptor<Cafe>())
    for _ in 0..<60 {
      let (a, b, c, d) = (number(), number(), number(), number())
      let (latitudes, longitudes) = (min(a, b)...max(a, b), min(c, d)...max(c, d))
      let few = random.pick(Hostile.numbers)
      let day = Date(timeIntervalSinceReferenceDate: Double(random.below(50)))
      try judge(#Predicate { $0.latitude > a && $0.latitude < b && $0.longitude! > c }, all)
      try judge(#Predicate { $0.latitude >= a && $0.longitude! >= c && $0.longitude! <= d }, all)
      try judge(#Predicate { latitudes.contains($0.latitude) && $0.longitude == c }, all)
      try judge(#Predicate { $0.latitude == a && d >= $0.longitude! }, all)
      try judge(#Predicate { $0.latitude < a && !($0.longitude! < c) && $0.longitude! < d }, all)
      try judge(
        #Predicate { latitudes.contains($0.latitude) && longitudes.contains($0.longitude!) }, all)
      let cheap = #Predicate<Cafe> { $0.seats >= few && $0.opened != nil && $0.opened! < day }
      #expect(
        try ModelContext(bench.container).fetch(FetchDescriptor<Cafe>(predicate: cheap))
          .map(\Cafe.code).sorted()
          == cafes.filter { try cheap.evaluate($0) }.map(\Cafe.code).sorted())
    }
  }

  /// `!` on what is `nil` stops a program in memory; in the store such a row is in no box.
  private func judge(
    _ box: Predicate<Place>, _ all: [Place], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let placed = all.filter { $0.longitude != nil }
    let expected = try placed.filter { try box.evaluate($0) }.map(\Place.code).sorted()
    #expect(try codes(box) == expected, sourceLocation: sourceLocation)
  }

  @Test func anOldFileGetsItsIndexes() throws {
    let folder = TemporaryFolder.parent.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "spots.store")
    do {
      let container = try ModelContainer(
        for: PlainSpots.Spot.self, configurations: ModelConfiguration(url: url))
      let context = ModelContext(container)
      for number in 0..<30 {
        context.insert(PlainSpots.Spot(x: number, y: Double(number), name: "spot \(number)"))
      }
      try context.save()
    }
    let box = #Predicate<IndexedSpots.Spot> { $0.x > 3 && $0.x < 9 && $0.y > 4 && $0.y < 30 }
    func open(allowsSave: Bool) throws -> ModelContainer {
      try ModelContainer(
        for: IndexedSpots.Spot.self,
        configurations: ModelConfiguration(url: url, allowsSave: allowsSave))
    }
    func names() throws -> Set<String> {
      Set(try SQLiteFile.texts("SELECT name FROM sqlite_schema", in: url))
    }
    let tree = "Z_RT_Spot_SwiftDataIndexOnRTreexy"
    do {
      let context = ModelContext(try open(allowsSave: false))
      #expect(try context.fetchCount(FetchDescriptor(predicate: box)) == 4)
    }
    #expect(try !names().contains(tree))
    do {
      let context = ModelContext(try open(allowsSave: true))
      #expect(try context.fetchCount(FetchDescriptor(predicate: box)) == 4)
      context.insert(IndexedSpots.Spot(x: 5, y: 29, name: "new"))
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor(predicate: box)) == 5)
    }
    #expect(
      try names().isSuperset(of: [
        tree, tree + "_INSERT", tree + "_UPDATE", tree + "_DELETE",
        "Z_Spot_SwiftDataIndexOnBinaryname", "Z_Spot_SwiftDataIndexOnBinarynamey",
      ]))
    #expect(try SQLiteFile.integer("SELECT count(*) FROM \(tree)", in: url) == 31)
    #expect(try SQLiteFile.text("PRAGMA integrity_check", in: url) == "ok")
  }

  @Test func whatIsNoNumberGetsAnOrdinaryIndex() throws {
    let schema = Schema([IndexedSpots.Spot.self])
    let mapping = SchemaMapping(
      schema: schema, descriptors: ["Spot": IndexedSpots.Spot._$descriptor])
    let table = try #require(mapping.tables.first)
    #expect(table.spatialIndexes.map(\.columns) == [["ZX", "ZY"]])
    #expect(
      table.spatialIndexes.map { $0.ordinaryIndex.rendered(in: .sqlite).sql } == [
        "CREATE INDEX Z_Spot_SwiftDataIndexOnBinaryxy ON ZSPOT "
          + "(ZX COLLATE BINARY ASC, ZY COLLATE BINARY ASC)"
      ])
    #expect(table.indexes.map(\.name).contains("Z_Spot_SwiftDataIndexOnBinarynamey"))
  }
}
