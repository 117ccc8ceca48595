import Foundation
import SwiftData

/// Fetches with prefetched relationships, by this package and by SQL that a person wrote for them.
///
/// Both read the same file of 100,000 persons in 1,000 teams, with 400,000 devices. Rounds take turns,
/// the best one counts.
struct LinkComparison {
  private let container: ModelContainer
  private let database: HandwrittenDatabase
  private static let rounds = 5
  private static let persons = 100_000
  private static let page = 20
  private static let pages = 500

  /// - Parameter path: A file that does not exist yet.
  init(path: String) throws {
    container = try ModelContainer(
      for: Person.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
    let context = ModelContext(container)
    let teams = (0..<1_000).map(Team.init)
    for team in teams { context.insert(team) }
    for index in 0..<Self.persons {
      let person = Person(index)
      context.insert(person)
      person.team = teams[(index &* 7919) % teams.count]
      for number in 0..<4 {
        let device = Device(index * 4 + number)
        context.insert(device)
        device.owner = person
      }
    }
    try context.save()
    database = try HandwrittenDatabase(path: path)
  }

  func run() throws {
    print("Milliseconds: this package, handwritten, their ratio\n")
    try compare("\(Self.pages) fetches of \(Self.page) with both", pages, handwrittenPages)
    try compare("400,000 links of all", all, handwrittenAll)
  }

  /// Runs one of the fetches of this package, for a profiler.
  func profile(_ name: String) throws {
    print(try measured { Double(name == "all" ? try all() : try pages()) })
  }

  private func compare(
    _ title: String, _ ours: @escaping () throws -> Int, _ theirs: @escaping () throws -> Int
  ) throws {
    var best = [Double.infinity, .infinity]
    var sums: Set<Int> = []
    for _ in 0..<Self.rounds {
      for (index, body) in [ours, theirs].enumerated() {
        let start = ContinuousClock.now
        sums.insert(try body())
        best[index] = min(best[index], (ContinuousClock.now - start) / .milliseconds(1))
      }
    }
    guard sums.count == 1 else {
      throw SQLiteFailure(message: "wrong answer to “\(title)”: \(sums)")
    }
    print(
      title.padding(toLength: 44, withPad: " ", startingAt: 0)
        + String(format: "%10.2f %10.2f %8.2f x", best[0], best[1], best[0] / best[1]))
  }

  // MARK: This package

  private func pages() throws -> Int {
    try (0..<Self.pages).reduce(0) { sum, page in
      let context = ModelContext(container)
      let first = page * 197 * Self.page % Self.persons
      let end = first + Self.page
      var descriptor = FetchDescriptor<Person>(
        predicate: #Predicate { $0.number >= first && $0.number < end })
      descriptor.relationshipKeyPathsForPrefetching = [\.team, \.devices]
      return try context.fetch(descriptor).reduce(sum) {
        $0 + ($1.team?.name.utf8.count ?? 0) + $1.devices.count
      }
    }
  }

  private func all() throws -> Int {
    var descriptor = FetchDescriptor<Person>()
    descriptor.relationshipKeyPathsForPrefetching = [\.devices]
    let context = ModelContext(container)
    return try context.fetch(descriptor).reduce(0) { $0 + $1.devices.count }
  }

  // MARK: Handwritten

  private struct TeamRow {
    var key: Int64
    var name: String
  }

  private struct PersonRow {
    var key: Int64
    var number: Int64
    var name: String
    var team: Int64
    var devices: [DeviceRow] = []

    init(_ statement: HandwrittenStatement) {
      key = statement.integer(0)
      number = statement.integer(1)
      name = statement.text(2)
      team = statement.integer(3)
    }
  }

  private struct DeviceRow {
    var key: Int64
    var serial: Int64
    var label: String

    init(_ statement: HandwrittenStatement) {
      key = statement.integer(1)
      serial = statement.integer(2)
      label = statement.text(3)
    }
  }

  private func handwrittenPages() throws -> Int {
    let marks = repeatElement("?", count: Self.page).joined(separator: ", ")
    let persons = try database.prepare(
      "SELECT Z_PK, ZNUMBER, ZNAME, ZTEAM FROM ZPERSON WHERE ZNUMBER >= ? AND ZNUMBER < ?")
    let teams = try database.prepare("SELECT Z_PK, ZNAME FROM ZTEAM WHERE Z_PK IN (\(marks))")
    let devices = try database.prepare(
      "SELECT ZOWNER, Z_PK, ZSERIAL, ZLABEL FROM ZDEVICE WHERE ZOWNER IN (\(marks))")
    return (0..<Self.pages).reduce(0) { sum, page in
      let first = Int64(page * 197 * Self.page % Self.persons)
      persons.bind([first, first + Int64(Self.page)])
      var rows: [PersonRow] = []
      while persons.step() { rows.append(PersonRow(persons)) }
      teams.bind(rows.map(\.team))
      var teamRows: [Int64: TeamRow] = [:]
      while teams.step() {
        teamRows[teams.integer(0)] = TeamRow(key: teams.integer(0), name: teams.text(1))
      }
      devices.bind(rows.map(\.key))
      addDevices(devices, to: &rows)
      return rows.reduce(sum) {
        $0 + (teamRows[$1.team]?.name.utf8.count ?? 0) + $1.devices.count
      }
    }
  }

  private func handwrittenAll() throws -> Int {
    let persons = try database.prepare("SELECT Z_PK, ZNUMBER, ZNAME, ZTEAM FROM ZPERSON")
    var rows: [PersonRow] = []
    while persons.step() { rows.append(PersonRow(persons)) }
    addDevices(
      try database.prepare("SELECT ZOWNER, Z_PK, ZSERIAL, ZLABEL FROM ZDEVICE ORDER BY ZOWNER"),
      to: &rows)
    return rows.reduce(0) { $0 + $1.devices.count }
  }

  private func addDevices(_ statement: HandwrittenStatement, to rows: inout [PersonRow]) {
    let indices = Dictionary(uniqueKeysWithValues: zip(rows.map(\.key), rows.indices))
    while statement.step() {
      guard let index = indices[statement.integer(0)] else { continue }
      rows[index].devices.append(DeviceRow(statement))
    }
  }
}
