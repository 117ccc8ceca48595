import Foundation
import SwiftData
import Testing

/// Properties whose columns would have the names that every table has.
@Suite struct ReservedColumnTests {
  @Model final class Odd {
    var _pk: Int
    var _ent = "e"
    var _opt: Double?

    init(_pk: Int) { self._pk = _pk }
  }

  @Test func propertiesMayHaveTheNamesOfOwnColumns() throws {
    let folder = try TemporaryFolder()
    let configuration = ModelConfiguration(url: folder.url.appending(path: "odd.store"))
    do {
      let context = ModelContext(try ModelContainer(for: Odd.self, configurations: configuration))
      for number in 1...3 { context.insert(Odd(_pk: number * 10)) }
      try context.save()
    }
    let context = ModelContext(try ModelContainer(for: Odd.self, configurations: configuration))
    let found = try context.fetch(
      FetchDescriptor<Odd>(
        predicate: #Predicate { $0._pk > 10 && $0._ent == "e" && $0._opt == nil },
        sortBy: [SortDescriptor(\._pk)]))
    #expect(found.map(\._pk) == [20, 30])
    found[0]._opt = 1.5
    found[0]._ent = "f"
    try context.save()
    let again = try ModelContext(context.container).fetch(
      FetchDescriptor<Odd>(predicate: #Predicate { $0._opt == 1.5 }))
    #expect(again.map(\._ent) == ["f"])
  }

  /// SQLite keeps a whole number of a column for real numbers as an integer, which has no negative zero.
  @Test func negativeZeroIsStoredAsZero() throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Odd.self, configurations: ModelConfiguration(url: folder.url.appending(path: "z.store")))
    let context = ModelContext(container)
    let odd = Odd(_pk: 1)
    odd._opt = -0.0
    context.insert(odd)
    try context.save()
    let stored = try #require(ModelContext(container).fetch(FetchDescriptor<Odd>()).first?._opt)
    #expect(stored == -0.0)
    #expect(stored.sign == .plus)
  }
}
