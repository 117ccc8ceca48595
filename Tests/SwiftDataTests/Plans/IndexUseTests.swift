import Foundation
import SwiftData
import Testing

/// What `#Index`, `#Unique` and the layout of the tables promise: SQLite finds the rows by an index.
struct IndexUseTests {
  let bench: PlanBench
  let byName = "Z_Asset_SwiftDataIndexOnBinaryname"
  let byRank = "Z_Asset_SwiftDataIndexOnBinaryrank"
  let byKind = "Z_Asset_SwiftDataIndexOnBinarykindcreated"

  init() throws { bench = try PlanBench(Asset.self, Photo.self, Holder.self, Mark.self) }

  private func expect<T: PersistentModel>(
    _ predicate: Predicate<T>, searches index: String, _ comparisons: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let plan = try bench.plan(predicate)
    #expect(plan.searches(index, comparisons), "\(plan)", sourceLocation: sourceLocation)
  }

  @Test func equality() throws {
    let (rank, name, token) = (3, "alpha", UUID())
    try expect(#Predicate<Asset> { $0.rank == rank }, searches: byRank, "ZRANK=?")
    try expect(#Predicate<Asset> { $0.name == name }, searches: byName, "ZNAME=?")
    try expect(
      #Predicate<Asset> { $0.token == token }, searches: "Z_Asset_SwiftDataIndexOnBinarytoken",
      "ZTOKEN=?")
    try expect(
      #Predicate<Asset> { $0.number == 7 }, searches: "Z_Asset_UNIQUE_number", "ZNUMBER=?")
    try expect(
      #Predicate<Asset> { $0.volume == 1 && $0.page == 2 },
      searches: "Z_Asset_UNIQUE_volume_page", "ZVOLUME=? AND ZPAGE=?")
  }

  @Test(arguments: [
    "caf\u{e9}", "cafe\u{301}", "\u{c9}mile", "K\u{f6}ln", "\u{ae40}\u{ce58}",
    "\u{ae40}\u{cca0}\u{c218}\u{ae40}\u{cca0}\u{c218}", "\u{9ce5}\u{53d6}", "a\u{323}\u{302}",
  ])
  func equalityOfTextThatHasSeveralForms(name: String) throws {
    let plan = try bench.plan(#Predicate<Asset> { $0.name == name })
    #expect(plan.searches(byName, "ZNAME"), "\(plan)")
    let names = [name, "x"]
    let membership = try bench.plan(#Predicate<Asset> { names.contains($0.name) })
    #expect(
      membership.searches(byName, "ZNAME") || name.unicodeScalars.count == 6, "\(membership)")
  }

  @Test func ranges() throws {
    let span = 2...4
    let (first, last) = (Date.distantPast, Date.distantFuture)
    try expect(#Predicate<Asset> { $0.rank > 3 }, searches: byRank, "ZRANK>?")
    try expect(
      #Predicate<Asset> { $0.rank >= 3 && $0.rank < 9 }, searches: byRank, "ZRANK>? AND ZRANK<?")
    try expect(
      #Predicate<Asset> { span.contains($0.rank) }, searches: byRank, "ZRANK>? AND ZRANK<?")
    try expect(
      #Predicate<Asset> { $0.kind == "film" && $0.created > first && $0.created < last },
      searches: byKind, "ZKIND=? AND ZCREATED>? AND ZCREATED<?")
  }

  @Test(arguments: ["Al", "\u{c9}m", "K"]) func aPrefixIsARange(start: String) throws {
    let plan = try bench.plan(#Predicate<Asset> { $0.name.hasPrefix(start) })
    #expect(plan.searches(byName, "ZNAME>? AND ZNAME<?"), "\(plan)")
    let letters = try bench.plan(#Predicate<Asset> { $0.name.starts(with: start) })
    #expect(letters.searches(byName, "ZNAME>? AND ZNAME<?"), "\(letters)")
  }

  @Test func eitherOfTwoIndexes() throws {
    let plan = try bench.plan(#Predicate<Asset> { $0.rank == 1 || $0.name == "b" })
    #expect(plan.searches(byRank, "ZRANK=?") && plan.searches(byName, "ZNAME=?"), "\(plan)")
  }

  @Test(arguments: [1, 3, 500]) func lists(count: Int) throws {
    let (ranks, names) = (Array(0..<count), (0..<count).map(String.init))
    let tokens = (0..<count).map { _ in UUID() }
    try expect(#Predicate<Asset> { ranks.contains($0.rank) }, searches: byRank, "ZRANK=?")
    try expect(#Predicate<Asset> { names.contains($0.name) }, searches: byName, "ZNAME=?")
    try expect(
      #Predicate<Asset> { tokens.contains($0.token) },
      searches: "Z_Asset_SwiftDataIndexOnBinarytoken", "ZTOKEN=?")
  }

  @Test func identifiers() throws {
    let asset = Asset(1, name: "a")
    bench.context.insert(asset)
    try bench.context.save()
    let id = asset.persistentModelID
    let ids = Set([id])
    let one = try bench.plan(#Predicate<Asset> { $0.persistentModelID == id })
    #expect(one.searchesKeys, "\(one)")
    let some = try bench.plan(#Predicate<Asset> { ids.contains($0.persistentModelID) })
    #expect(some.searchesKeys, "\(some)")
  }

  @Test func toOneRelationships() throws {
    let holder = Holder(name: "Ann", city: "Rome")
    bench.context.insert(holder)
    try bench.context.save()
    let id = holder.persistentModelID
    let ids = [id]
    let index = "ZASSET_ZOWNER_INDEX"
    try expect(#Predicate<Asset> { $0.owner == holder }, searches: index, "ZOWNER=?")
    try expect(
      #Predicate<Asset> { $0.owner?.persistentModelID == id }, searches: index, "ZOWNER=?")
    try expect(
      #Predicate<Asset> { $0.owner.flatMap { ids.contains($0.persistentModelID) } ?? false },
      searches: index, "ZOWNER=?")
    // The index of the destination is found through the join, and leads back by the key.
    let name = try bench.plan(#Predicate<Asset> { $0.owner?.name == "Ann" })
    #expect(
      name.searches("Z_Holder_SwiftDataIndexOnBinaryname", "ZNAME=?")
        && name.searches(index, "ZOWNER=?"), "\(name)")
  }

  @Test func subentities() throws {
    try expect(#Predicate<Photo> { $0.name == "a" }, searches: byName, "ZNAME=?")
    try expect(
      #Predicate<Photo> { $0.width == 3 }, searches: "Z_Photo_SwiftDataIndexOnBinarywidth",
      "ZWIDTH=?")
    let all = try bench.plan(FetchDescriptor<Photo>().predicate)
    #expect(all.searches("ZASSET_Z_ENT_INDEX", "Z_ENT=?"), "\(all)")
  }

  @Test func faults() throws {
    let holder = Holder(name: "Ann", city: "Rome")
    let mark = Mark(text: "m")
    for index in 0..<3 {
      let asset = Asset(index, name: "a", owner: holder)
      bench.context.insert(asset)
      asset.marks = [mark]
    }
    try bench.context.save()
    let context = ModelContext(bench.container)
    let other = try #require(try context.fetch(FetchDescriptor<Holder>()).first)
    let members = try bench.statements { #expect(other.assets.count == 3) }
    let plan = try bench.plan(of: try #require(members.last))
    #expect(plan.searches("ZASSET_ZOWNER_INDEX", "ZOWNER=?"), "\(plan)")
    let tag = try #require(try context.fetch(FetchDescriptor<Mark>()).first)
    let pairs = try bench.plan(
      of: try #require(try bench.statements { #expect(tag.assets.count == 3) }.last))
    #expect(!pairs.steps.contains { $0.hasPrefix("SCAN") }, "\(pairs)")
  }

  @Test func ordersOfIndexedValues() throws {
    let rank = try bench.plan(sortBy: [SortDescriptor(\Asset.rank)], limit: 50)
    #expect(rank.walks(byRank) && !rank.sorts, "\(rank)")
    let reverse = try bench.plan(sortBy: [SortDescriptor(\Asset.rank, order: .reverse)])
    #expect(reverse.walks(byRank) && !reverse.sorts, "\(reverse)")
    let newest = try bench.plan(
      #Predicate<Asset> { $0.kind == "film" },
      sortBy: [SortDescriptor(\.created, order: .reverse)], limit: 10)
    #expect(newest.searches(byKind, "ZKIND=?") && !newest.sorts, "\(newest)")
  }

  /// The key would change nothing, and SQLite would sort again because of it.
  @Test func anOrderByUniqueValuesHasNoKey() throws {
    let last = try bench.plan(sortBy: [SortDescriptor(\Asset.number, order: .reverse)], limit: 10)
    #expect(last.walks("Z_Asset_UNIQUE_number") && !last.sortsParts, "\(last)")
    let other = try bench.plan(sortBy: [SortDescriptor(\Asset.rank, order: .reverse)], limit: 10)
    #expect(other.walks(byRank) && other.sortsParts, "\(other)")
  }

  @Test func ordersOfText() throws {
    let context = bench.context
    let names = ["b", "caf\u{e9}", "B", "a", "", "cafz", "z"]
    for (number, name) in names.enumerated() { context.insert(Asset(number, name: name)) }
    try context.save()
    let order = [SortDescriptor(\Asset.name)]
    func fetched(_ predicate: Predicate<Asset>? = nil) throws -> [String] {
      try ModelContext(bench.container)
        .fetch(FetchDescriptor<Asset>(predicate: predicate, sortBy: order)).map(\.name)
    }
    let composed = try bench.plan(sortBy: order, limit: 5)
    #expect(composed.walks(byName) && !composed.sorts, "\(composed)")
    try expect(
      #Predicate<Asset> { $0.name >= "c" && $0.name < "d" }, searches: byName,
      "ZNAME>? AND ZNAME<?")
    #expect(try fetched() == names.sorted())

    // Sorts behind "cafz", but its bytes do not.
    let decomposed = Asset(100, name: "cafe\u{301}s")
    context.insert(decomposed)
    try context.save()
    #expect(try bench.plan(sortBy: order, limit: 5).sorts)
    #expect(try fetched() == (names + [decomposed.name]).sorted())
    #expect(try fetched(#Predicate { $0.name > "cafz" }).count == 3)

    decomposed.name = "caf\u{e9}s"
    try context.save()
    #expect(try !bench.plan(sortBy: order, limit: 5).sorts)
    let narrowed = try bench.plan(#Predicate<Asset> { $0.rank == 3 }, sortBy: order)
    #expect(narrowed.searches(byRank, "ZRANK=?"), "\(narrowed)")
  }

  @Test func membersOfToManyRelationships() throws {
    let whole = try bench.plan(#Predicate<Holder> { $0.assets.contains { $0.page > 3 } })
    #expect(whole.searchesKeys && !whole.asksForEachRow, "\(whole)")
    let none = try bench.plan(#Predicate<Holder> { !$0.assets.contains { $0.page > 3 } })
    #expect(!none.asksForEachRow, "\(none)")
    let few = try bench.plan(
      #Predicate<Holder> { $0.name == "Ann" && $0.assets.contains { $0.page > 3 } })
    #expect(
      few.searches("Z_Holder_SwiftDataIndexOnBinaryname", "ZNAME=?") && few.asksForEachRow
        && few.searches("ZASSET_ZOWNER_INDEX", "ZOWNER=?"), "\(few)")
    let either = try bench.plan(
      #Predicate<Holder> {
        ($0.name == "Ann" || $0.city == "Rome") && $0.assets.contains { $0.page > 3 }
      })
    #expect(!either.asksForEachRow, "\(either)")
    let pairs = try bench.plan(#Predicate<Asset> { $0.marks.contains { $0.text == "a" } })
    #expect(
      pairs.searchesKeys && pairs.searches("Z_Mark_SwiftDataIndexOnBinarytext", "ZTEXT=?"),
      "\(pairs)")
    // The condition of a page, and a member that an index finds.
    let page = try bench.plan(
      #Predicate<Holder> { $0.name < "M" && $0.assets.contains { $0.rank == 3 } })
    #expect(page.searchesKeys && page.searches(byRank, "ZRANK=?"), "\(page)")
    #expect(!page.asksForEachRow, "\(page)")
    for narrow in try [
      bench.plan(
        #Predicate<Holder> {
          $0.name > "A" && $0.name < "B" && $0.assets.contains { $0.rank == 3 }
        }),
      bench.plan(#Predicate<Holder> { $0.name < "M" && $0.assets.contains { $0.rank > 3 } }),
      bench.plan(#Predicate<Holder> { $0.name < "M" && $0.assets.contains { $0.page == 3 } }),
    ] {
      #expect(narrow.asksForEachRow, "\(narrow)")
    }
    let empty = try bench.plan(#Predicate<Holder> { $0.assets.isEmpty })
    #expect(empty.searches("ZASSET_ZOWNER_INDEX", "ZOWNER=?"), "\(empty)")
  }
}
