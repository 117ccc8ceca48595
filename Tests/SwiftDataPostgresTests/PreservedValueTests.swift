import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

/// Values of deleted models in the history: those of the default store.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct PreservedValueTests {
  let address: String
  let folder: CopyFolder

  init() throws {
    address = try PostgresServer.shared.addressOfNewSchema()
    folder = try CopyFolder()
  }

  private func database(_ schema: Schema = Preserved.V1.schema) throws -> ModelContainer {
    try ModelContainer(for: schema, configurations: [PostgresConfiguration(url: address)])
  }

  private func file(_ url: URL) throws -> ModelContainer {
    try ModelContainer(
      for: Preserved.V1.schema, configurations: ModelConfiguration(url: url))
  }

  /// Deletes rows in all ways.
  private func fillAndDelete(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    let items = (0..<6).map { Preserved.V1.Item($0) }
    for item in items { context.insert(item) }
    let box = Preserved.V1.Box("box")
    context.insert(box)
    items[1].box = box
    items[2].box = box
    context.insert(Preserved.V1.Lid("lid", weight: 2.5))
    try context.save()
    context.delete(items[0])
    try context.save()
    // A cascade.
    context.delete(box)
    try context.save()
    try context.delete(model: Preserved.V1.Item.self, where: #Predicate { $0.number < 5 })
    try context.save()
    try context.delete(model: Preserved.V1.Item.self)
    try context.delete(model: Preserved.V1.Box.self)
    try context.save()
  }

  @Test func allTypesAreKeptInAllDeletionsAsInTheDefaultStore() throws {
    let (server, url) = (try database(), folder.file("a.store"))
    try fillAndDelete(server)
    try fillAndDelete(try file(url))
    let found = try Preserved.deletions(server)
    #expect(found.count == 8)
    #expect(found == (try Preserved.deletions(try file(url))))
    #expect(found.contains("lid weight 2.5"), "\(found)")
    let first = try #require(found.first { $0.hasPrefix("0 ") })
    #expect(first.contains("12345678901234567890.123456789"))
    #expect(first.contains("18446744073709551615"))
    #expect(first.contains("it's \\ \"quoted\" 😀"))
  }

  @Test func theyAreCopiedIntoAFileAndBack() throws {
    let server = try database()
    try fillAndDelete(server)
    let expected = try Preserved.deletions(server)
    let url = folder.file("b.store")
    let report = try StoreCopy(from: .database(address), to: .file(url)).run()
    #expect(try Preserved.deletions(try file(url)) == expected)
    let second = try PostgresServer.shared.addressOfNewSchema()
    let back = try StoreCopy(from: .file(url), to: .database(second)).run()
    #expect(back.tables == report.tables)
    let copy = try ModelContainer(
      for: Preserved.V1.schema, configurations: [PostgresConfiguration(url: second)])
    #expect(try Preserved.deletions(copy) == expected)
  }

  @Test func severalWritersKeepTheValuesOfTheirDeletions() async throws {
    let context = ModelContext(try database())
    for number in 0..<40 { context.insert(Preserved.V1.Box("\(number)")) }
    try context.save()
    let address = address
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          let context = ModelContext(
            try ModelContainer(
              for: Preserved.V1.schema, configurations: [PostgresConfiguration(url: address)]))
          for number in stride(from: writer, to: 40, by: 4) {
            let label = "\(number)"
            let boxes = try context.fetch(
              FetchDescriptor<Preserved.V1.Box>(predicate: #Predicate { $0.label == label }))
            for box in boxes { context.delete(box) }
            try context.save()
          }
        }
      }
      try await group.waitForAll()
    }
    let found = try Preserved.deletions(try database())
    #expect(found.sorted() == (0..<40).map { "\($0)" }.sorted())
  }

  @Test func migrationsAddAndRemovePreservedAttributes() throws {
    var context = ModelContext(try database(Preserved.V0.schema))
    for label in ["a", "b", "c"] { context.insert(Preserved.V0.Box(label)) }
    try context.save()
    func delete<M: PersistentModel>(_ type: M.Type, _ predicate: Predicate<M>) throws {
      try context.delete(model: type, where: predicate)
      try context.save()
    }
    try delete(Preserved.V0.Box.self, #Predicate { $0.label == "a" })
    context = ModelContext(try database(Preserved.V2.schema))
    func values() throws -> [String] {
      try Preserved.deletions(context.container).sorted()
    }
    #expect(try values() == ["a nil"])
    try delete(Preserved.V2.Box.self, #Predicate { $0.label == "b" })
    #expect(try values() == ["a nil", "b 7"])
    context = ModelContext(try database(Preserved.V3.schema))
    try delete(Preserved.V3.Box.self, #Predicate { $0.label == "c" })
    #expect(try values() == ["7", "7", "nil"])
  }
}
