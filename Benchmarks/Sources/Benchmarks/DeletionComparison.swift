import Foundation
import SwiftData

/// Deletions of many rows, by this package and by the statements that a person would write for them.
///
/// Each round works on fresh copies of one store. This package also records each deleted row in the
/// history, and looks after the relationships of the class.
struct DeletionComparison {
  private let folder: URL
  private static let rounds = 3
  private static let members = 400_000

  /// - Parameter folder: Where nothing else is.
  init(in folder: URL) { self.folder = folder }

  func run() throws {
    print("Milliseconds of a deletion: this package, handwritten, their ratio\n")
    let orders = folder.appendingPathComponent("orders.store")
    try createOrders(orders)
    try compare("delete all of 100,000", orders, ["DELETE FROM ZORDER"], deleteOrders)
    let teams = folder.appendingPathComponent("persons.store")
    try createTeam(teams)
    try compare(
      "cascade of 400,000", teams,
      [
        "DELETE FROM ZDEVICE WHERE ZOWNER = 1", "DELETE FROM ZPERSON WHERE Z_PK = 1",
      ], deletePerson)
  }

  /// Runs one of the deletions of this package, for a profiler.
  func profile(_ name: String) throws {
    let file = folder.appendingPathComponent("profile.store")
    if name == "all" { try createOrders(file) } else { try createTeam(file) }
    let container = try container(file)
    print(
      try measured {
        Double(name == "all" ? try deleteOrders(container) : try deletePerson(container))
      })
  }

  private func createOrders(_ file: URL) throws {
    let context = ModelContext(try container(file))
    for number in 0..<Benchmarks.rows { context.insert(Order(OrderValue(number: number))) }
    try context.save()
  }

  private func createTeam(_ file: URL) throws {
    let context = ModelContext(try container(file))
    let person = Person(0)
    context.insert(person)
    for index in 0..<Self.members {
      let device = Device(index)
      context.insert(device)
      device.owner = person
    }
    try context.save()
  }

  private func container(_ file: URL) throws -> ModelContainer {
    try ModelContainer(
      for: Order.self, Person.self, configurations: ModelConfiguration(url: file))
  }

  private func deleteOrders(_ container: ModelContainer) throws -> Int {
    let context = ModelContext(container)
    try context.delete(model: Order.self)
    try context.save()
    return try context.fetchCount(FetchDescriptor<Order>())
  }

  private func deletePerson(_ container: ModelContainer) throws -> Int {
    let context = ModelContext(container)
    for person in try context.fetch(FetchDescriptor<Person>()) { context.delete(person) }
    try context.save()
    return try context.fetchCount(FetchDescriptor<Device>())
  }

  private func compare(
    _ title: String, _ file: URL, _ statements: [String], _ delete: (ModelContainer) throws -> Int
  ) throws {
    var (ours, theirs) = (Double.infinity, Double.infinity)
    for _ in 0..<Self.rounds {
      let container = try container(copy(of: file))
      var start = ContinuousClock.now
      let rest = try delete(container)
      ours = min(ours, (ContinuousClock.now - start) / .milliseconds(1))
      guard rest == 0 else { throw SQLiteFailure(message: "\(rest) rows are left") }
      let other = try copy(of: file)
      let database = try HandwrittenDatabase(path: other.path)
      try database.execute("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8000")
      start = ContinuousClock.now
      try database.execute((["BEGIN"] + statements + ["COMMIT"]).joined(separator: "; "))
      theirs = min(theirs, (ContinuousClock.now - start) / .milliseconds(1))
    }
    print(
      title.padding(toLength: 44, withPad: " ", startingAt: 0)
        + String(format: "%10.2f %10.2f %8.2f x", ours, theirs, ours / theirs))
  }

  private func copy(of file: URL) throws -> URL {
    let copy = folder.appendingPathComponent("\(UUID().uuidString).store")
    try HandwrittenDatabase(path: file.path).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    try FileManager.default.copyItem(at: file, to: copy)
    return copy
  }
}
