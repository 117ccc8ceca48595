import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// An index gives the order of a text column as long as all its text is composed. After own saves only their
/// rows are looked at.
struct ComposedTextTests {
  private let container: ModelContainer
  private let context: ModelContext
  private let recorder = StatementRecorder()
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    var configuration = ModelConfiguration(url: folder.store)
    configuration.statementLog = recorder.log()
    container = try ModelContainer(
      for: Asset.self, Photo.self, Holder.self, Mark.self, configurations: configuration)
    context = ModelContext(container)
    for number in 0..<20 { context.insert(Asset(number, name: "n\u{fc} \(number)")) }
    try context.save()
  }

  private enum Look { case none, rows, column }

  /// Fetches a page in the order of the name.
  private func page() throws -> (names: [String], look: Look, sorts: Bool) {
    var descriptor = FetchDescriptor<Asset>(sortBy: [SortDescriptor(\.name)])
    descriptor.fetchLimit = 5
    var names: [String] = []
    let reader = ModelContext(container)
    let texts = try recorder.during { names = try reader.fetch(descriptor).map(\.name) }.map(\.sql)
    let looks = texts.filter { $0.hasPrefix("SELECT 1") }
    let look: Look =
      looks.isEmpty ? .none : looks.contains { $0.contains("Z_PK") } ? .rows : .column
    let last = try #require(texts.last { $0.hasPrefix("SELECT") && $0.contains("ORDER BY") })
    return (names, look, last.contains("swift_canonical"))
  }

  /// A page after a commit: the first ones begin to follow the own writes.
  private func follow() throws {
    for number in 100..<103 {
      context.insert(Asset(number, name: "z \(number)"))
      try context.save()
      _ = try page()
    }
  }

  @Test func afterOwnSavesOnlyTheirRowsAreLookedAt() throws {
    try follow()
    #expect(try page().look == .none)
    for number in 200..<205 {
      let new = Asset(number, name: "a\u{e9} \(number)")
      context.insert(new)
      try context.save()
      let found = try page()
      #expect(found.look == .rows && !found.sorts && found.names.contains(new.name))
      new.name = "zz\u{e9} \(number)"
      try context.save()
      #expect(try page().look == .rows)
    }
    try context.transaction {
      context.insert(Asset(300, name: "first"))
      try context.save()
      context.insert(Asset(301, name: "second"))
    }
    #expect(try page().look == .rows)
    try context.delete(model: Asset.self, where: #Predicate { $0.number == 300 })
    #expect(try page().look == .none)
  }

  @Test func decomposedTextOfAnOwnSaveIsFound() throws {
    try follow()
    let decomposed = Asset(200, name: "ae\u{301}")
    context.insert(decomposed)
    try context.save()
    #expect(try page().sorts)
    decomposed.name = "composed"
    try context.save()
    #expect(try !page().sorts)
    try follow()
    #expect(throws: CancellationError.self) {
      try context.transaction {
        decomposed.name = "ae\u{301}"
        try context.save()
        throw CancellationError()
      }
    }
    #expect(try !page().sorts)
    try follow()
    let edited = try #require(
      try context.fetch(FetchDescriptor<Asset>(predicate: #Predicate { $0.number == 3 })).first)
    edited.name = "be\u{301}"
    try context.save()
    let found = try page()
    #expect(found.sorts && found.look == .rows && found.names.first == "be\u{301}")
  }

  @Test func textOfOtherProgramsIsFound() throws {
    try follow()
    #expect(try page().look == .none)
    let other = try Connection(path: folder.store.path(percentEncoded: false))
    func write(_ name: String) throws {
      try other.execute("UPDATE ZASSET SET ZNAME = '\(name)' WHERE ZNUMBER = 7")
    }
    try write("ae\u{301}")
    var found = try page()
    #expect(found.look == .column && found.sorts && found.names.first == "ae\u{301}")
    try write("b")
    #expect(try !page().sorts)
    try follow()
    // Between two own saves, and before the next page.
    try write("ae\u{301}")
    context.insert(Asset(400, name: "own"))
    try context.save()
    found = try page()
    #expect(found.look == .column && found.sorts)
    try write("b")
    try follow()
    context.insert(Asset(401, name: "own"))
    try context.save()
    try write("ae\u{301}")
    found = try page()
    #expect(found.look == .column && found.sorts)
  }

  @Test func anOlderSnapshotLooksForItself() throws {
    try follow()
    let reader = ModelContext(container)
    var descriptor = FetchDescriptor<Asset>(sortBy: [SortDescriptor(\.name)])
    descriptor.fetchLimit = 5
    let new = Asset(500, name: "ae\u{301}")
    context.insert(new)
    try context.save()
    try reader.snapshot {
      new.name = "composed"
      try context.save()
      #expect(try reader.fetch(descriptor).first?.name == "ae\u{301}")
    }
    #expect(try !page().sorts)
  }

  @Test func mergedRowsAreLookedAt() throws {
    try follow()
    context.insert(Asset(5, name: "ae\u{301}"))
    try context.save()
    let found = try page()
    #expect(found.sorts && found.look == .rows && found.names.first == "ae\u{301}")
  }

  @Test func manyNewRowsAreLookedAtWithTheColumn() throws {
    try follow()
    for number in 1000..<1600 { context.insert(Asset(number, name: "\u{e4} \(number)")) }
    try context.save()
    #expect(try page().look == .column)
    try follow()
    #expect(try page().look == .none)
  }
}
