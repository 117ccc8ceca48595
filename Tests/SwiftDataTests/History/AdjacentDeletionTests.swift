import Foundation
import SwiftData
import Testing

/// Statements for many rows take the range of adjacent keys. The rows and the history must be the same
/// as with lists of keys.
@Suite struct AdjacentDeletionTests {
  @Model final class Crate {
    var number: Int
    @Relationship(deleteRule: .cascade, inverse: \Jar.crate) var jars: [Jar] = []

    init(_ number: Int) { self.number = number }
  }

  @Model final class Jar {
    @Attribute(.preserveValueOnDeletion) var label: String
    var crate: Crate?
    var neighbour: Jar?

    init(_ label: String, in crate: Crate?) {
      self.label = label
      self.crate = crate
    }
  }

  private typealias Program = (HistoryStore) throws -> Void

  /// Three crates with four jars each, in the order of their keys, and two jars of none.
  private func filled() throws -> HistoryStore {
    let store = try HistoryStore([Crate.self])
    for number in 0..<3 {
      let crate = Crate(number)
      store.context.insert(crate)
      try store.context.save()
      for jar in 0..<4 {
        store.context.insert(Jar("\(number).\(jar)", in: crate))
        try store.context.save()
      }
    }
    for label in ["a", "b"] { store.context.insert(Jar(label, in: nil)) }
    try store.context.save()
    return store
  }

  private func result(rangesFrom minimum: Int, _ program: Program) throws -> [String] {
    try KeyList.$rangeMinimum.withValue(minimum) {
      let store = try filled()
      try program(store)
      let changes = try store.lines(
        """
        SELECT Z_PK || ' ' || ZCHANGETYPE || ' ' || ZENTITY || ' ' || ZENTITYPK || ' ' \
        || ZTRANSACTIONID || ' ' || coalesce(hex(ZCOLUMNS), '-') || ' ' \
        || coalesce(ZTOMBSTONE0, '-') FROM ACHANGE ORDER BY Z_PK
        """)
      let last = try store.lines("SELECT Z_NAME || ' ' || Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT")
      let jars = try store.lines(
        "SELECT Z_PK || ' ' || Z_OPT || ' ' || ZLABEL FROM ZJAR ORDER BY Z_PK")
      let crates = try store.lines("SELECT Z_PK || ' ' || Z_OPT FROM ZCRATE ORDER BY Z_PK")
      return changes + last + jars + crates
    }
  }

  private func compare(_ program: Program) throws {
    let listed = try result(rangesFrom: .max, program)
    #expect(try result(rangesFrom: 2, program) == listed)
  }

  private static func delete(_ labels: Set<String>, _ store: HistoryStore) throws {
    for jar in try store.context.fetch(FetchDescriptor<Jar>()) where labels.contains(jar.label) {
      store.context.delete(jar)
    }
    try store.context.save()
  }

  @Test func allRowsOfATable() throws {
    try compare { try $0.context.delete(model: Jar.self) }
    try compare { try $0.context.delete(model: Crate.self) }
  }

  @Test func adjacentRowsAmongOthers() throws {
    try compare { try Self.delete(["0.2", "0.3", "1.0", "1.1"], $0) }
  }

  @Test func rowsWithAGap() throws {
    try compare { try Self.delete(["0.2", "0.3", "1.1"], $0) }
  }

  @Test func aCascadeToAdjacentRows() throws {
    try compare { store in
      for crate in try store.context.fetch(FetchDescriptor<Crate>()) where crate.number == 1 {
        store.context.delete(crate)
      }
      try store.context.save()
    }
  }

  /// The models are still in memory, so their keys are adjacent, but one row does not exist.
  @Test func aRowThatAnotherContextHasDeleted() throws {
    try compare { store in
      let jars = try store.context.fetch(FetchDescriptor<Jar>())
      let other = try store.reopened()
      for jar in try other.fetch(FetchDescriptor<Jar>()) where jar.label == "1.1" {
        other.delete(jar)
      }
      try other.save()
      for jar in jars where jar.label.hasPrefix("1.") { store.context.delete(jar) }
      try store.context.save()
    }
  }

  @Test func rowsThatOthersReferTo() throws {
    try compare { store in
      let jars = try store.context.fetch(FetchDescriptor<Jar>(sortBy: [SortDescriptor(\.label)]))
      for (jar, next) in zip(jars, jars.dropFirst()) { jar.neighbour = next }
      try store.context.save()
      try Self.delete(["1.0", "1.1", "1.2", "1.3"], store)
    }
  }
}
