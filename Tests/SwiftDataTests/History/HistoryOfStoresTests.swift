import Foundation
import OpenSwiftDataTestModels
import SwiftData
import Testing

/// History of containers with several stores, and of files whose models have changed.
@Suite(.databases) struct HistoryOfStoresTests {
  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: Schema([Note.self, Tally.self]),
      configurations: [
        ModelConfiguration("notes", schema: Schema([Note.self]), isStoredInMemoryOnly: true),
        ModelConfiguration("tallies", schema: Schema([Tally.self]), isStoredInMemoryOnly: true),
      ])
  }

  @Test func storesAreMergedInTimeOrder() throws {
    let context = ModelContext(try container())
    let stores = context.container.stores.map(\.identifier)
    func save(_ model: any PersistentModel) throws {
      context.insert(model)
      try context.save()
    }
    try save(Note("1"))
    try save(Tally(2))
    try save(Tally(3))
    try save(Note("4"))
    let all = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(all.map(\.storeIdentifier) == [stores[0], stores[1], stores[1], stores[0]])
    #expect(all.map(\.id) == [1, 1, 2, 2])
    #expect(
      all.map(\.token.tokenValue) == [
        [stores[0]: 1, stores[1]: 0], [stores[0]: 1, stores[1]: 1], [stores[0]: 1, stores[1]: 2],
        [stores[0]: 2, stores[1]: 2],
      ])
    #expect(all.map(\.token) == all.map(\.token).sorted())
  }

  @Test func tokensOfSeveralStoresGoOnInEach() throws {
    let context = ModelContext(try container())
    var seen: [String] = []
    var token: DefaultHistoryToken?
    func follow(limit: UInt64) throws {
      var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
      if let token { descriptor.predicate = #Predicate { $0.token > token } }
      descriptor.fetchLimit = limit
      for transaction in try context.fetchHistory(descriptor) {
        seen.append("\(transaction.storeIdentifier) \(transaction.id)")
        token = transaction.token
      }
    }
    for number in 1...12 {
      if number % 3 == 0 { context.insert(Note("\(number)")) }
      if number % 2 == 0 { context.insert(Tally(number)) }
      try context.save()
      if number % 4 == 0 { try follow(limit: UInt64(number % 8 == 0 ? 1 : 2)) }
    }
    for _ in 0..<10 { try follow(limit: 3) }
    let stores = context.container.stores.map(\.identifier)
    let expected = (1...4).map { "\(stores[0]) \($0)" } + (1...6).map { "\(stores[1]) \($0)" }
    #expect(seen.sorted() == expected.sorted())
  }

  @Test func tokensOfAnOrderedFetchContainAllStores() throws {
    let context = ModelContext(try container())
    let stores = context.container.stores.map(\.identifier)
    for model in [Note("1"), Tally(2), Tally(3), Note("4")] as [any PersistentModel] {
      context.insert(model)
      try context.save()
    }
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    let committed = try context.fetchHistory(descriptor).map(\.token.tokenValue)
    descriptor.sortBy = [SortDescriptor(\.timestamp, order: .reverse)]
    #expect(try context.fetchHistory(descriptor).map(\.token.tokenValue) == committed.reversed())
    descriptor.sortBy = [
      SortDescriptor(\.transactionIdentifier), SortDescriptor(\.timestamp, order: .reverse),
    ]
    #expect(
      try context.fetchHistory(descriptor).map(\.token.tokenValue)
        == [committed[1], committed[0], committed[3], committed[2]])

    descriptor.sortBy = [SortDescriptor(\.timestamp, order: .reverse)]
    descriptor.fetchLimit = 1
    let newest = try #require(try context.fetchHistory(descriptor).first?.token)
    #expect(newest.tokenValue == [stores[0]: 2, stores[1]: 2])
    let next = HistoryDescriptor<DefaultHistoryTransaction>(
      predicate: #Predicate { $0.token > newest })
    #expect(try context.fetchHistory(next).isEmpty)
    context.insert(Tally(5))
    try context.save()
    #expect(try context.fetchHistory(next).map(\.storeIdentifier) == [stores[1]])
  }

  /// The authors are merged in memory, and ordered by the language as in one store.
  @Test(arguments: [1, 2]) func textsAreOrderedByTheLanguage(_ stores: Int) throws {
    let container =
      stores == 2
      ? try container()
      : try ModelContainer(
        for: Note.self, Tally.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    for author in ["Zoë", "Évelyne", "bob", "Bea"] {
      let context = ModelContext(container)
      context.author = author
      context.insert(Note(author))
      context.insert(Tally(1))
      try context.save()
    }
    let context = ModelContext(container)
    func authors(_ order: SortDescriptor<DefaultHistoryTransaction>) throws -> [String?] {
      let found = try context.fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(sortBy: [order]))
      #expect(found.count == 4 * stores)
      return stride(from: 0, to: found.count, by: stores).map { found[$0].author }
    }
    let expected = ["Bea", "bob", "Évelyne", "Zoë"]
    for comparator in [String.StandardComparator.localizedStandard, .localized] {
      #expect(try authors(SortDescriptor(\.author, comparator: comparator)) == expected)
      var reverse = SortDescriptor(\DefaultHistoryTransaction.author, comparator: comparator)
      reverse.order = .reverse
      #expect(try authors(reverse) == expected.reversed())
    }
    var newest = SortDescriptor(\DefaultHistoryTransaction.transactionIdentifier)
    newest.order = .reverse
    #expect(try authors(newest) == ["Bea", "bob", "Évelyne", "Zoë"])
  }

  /// The token of a transaction contains transactions of the other store, which are earlier.
  @Test(arguments: 0..<6) func aFetchComparesTokensAsMemoryDoes(_ index: Int) throws {
    let context = ModelContext(try container())
    for number in 0..<3 {
      for model in [Note("\(number)"), Tally(number)] as [any PersistentModel] {
        context.insert(model)
        try context.save()
      }
    }
    typealias Transaction = DefaultHistoryTransaction
    let all = try context.fetchHistory(HistoryDescriptor<Transaction>())
    let token = try JSONDecoder().decode(
      DefaultHistoryToken.self, from: JSONEncoder().encode(all[index].token))
    let first = all[0].token
    let (some, set) = ([all[index].token, all[5].token], Set([all[index].token, first]))
    func check(
      _ predicate: Predicate<Transaction>, _ expected: some Collection<Transaction>,
      line: SourceLocation = #_sourceLocation
    ) throws {
      let found = try context.fetchHistory(HistoryDescriptor(predicate: predicate))
      func names(_ list: some Collection<Transaction>) -> [String] {
        list.map { "\($0.storeIdentifier) \($0.id)" }
      }
      #expect(names(found) == names(expected), sourceLocation: line)
      #expect(try names(all.filter(predicate.evaluate)) == names(expected), sourceLocation: line)
    }
    try check(#Predicate { $0.token == token }, all[index...index])
    try check(#Predicate { $0.token != token }, all[..<index] + all[(index + 1)...])
    try check(#Predicate { $0.token > token }, all[(index + 1)...])
    try check(#Predicate { $0.token >= token }, all[index...])
    try check(#Predicate { $0.token < token }, all[..<index])
    try check(#Predicate { $0.token <= token }, all[...index])
    try check(#Predicate { token < $0.token }, all[(index + 1)...])
    try check(#Predicate { token <= $0.token }, all[index...])
    try check(#Predicate { token > $0.token }, all[..<index])
    try check(#Predicate { token >= $0.token }, all[...index])
    try check(#Predicate { (first...token).contains($0.token) }, all[...index])
    try check(#Predicate { (first..<token).contains($0.token) }, all[..<index])
    try check(#Predicate { some.contains($0.token) }, all.filter { some.contains($0.token) })
    try check(#Predicate { set.contains($0.token) }, all.filter { set.contains($0.token) })
    // SQL has no change counts, so these are judged in memory.
    try check(#Predicate { $0.token == token && $0.changes.count == 1 }, all[index...index])
    try check(#Predicate { $0.token >= token && $0.changes.count == 1 }, all[index...])
    try check(#Predicate { $0.token < token && $0.changes.count == 1 }, all[..<index])

    try context.deleteHistory(
      HistoryDescriptor<Transaction>(predicate: #Predicate { $0.token < token }))
    #expect(
      try context.fetchHistory(HistoryDescriptor<Transaction>()).map(\.timestamp)
        == all[index...].map(\.timestamp))
  }

  /// The fetch has read the last transaction of the second store only.
  @Test func aTokenLacksAStoreWhoseEarlierTransactionsALimitHasLeftOut() throws {
    let context = ModelContext(try container())
    let stores = context.container.stores.map(\.identifier)
    for model in [Note("1"), Note("2"), Note("3"), Tally(4), Tally(5)] as [any PersistentModel] {
      context.insert(model)
      try context.save()
    }
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
      sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
    descriptor.fetchLimit = 1
    let last = try #require(try context.fetchHistory(descriptor).first?.token)
    #expect(last.tokenValue == [stores[0]: 3])
    let next = HistoryDescriptor<DefaultHistoryTransaction>(
      predicate: #Predicate { $0.token > last })
    let following = try context.fetchHistory(next)
    #expect(following.map(\.storeIdentifier) == [stores[1], stores[1]])
    #expect(following.map(\.id) == [1, 2])
  }

  @Test func aLimitCountsOverAllStores() throws {
    let context = ModelContext(try container())
    for number in 1...3 {
      context.insert(Note("\(number)"))
      context.insert(Tally(number))
      try context.save()
    }
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    descriptor.fetchLimit = 4
    #expect(try context.fetchHistory(descriptor).count == 4)
    descriptor.sortBy = [SortDescriptor(\.timestamp, order: .reverse)]
    let latest = try context.fetchHistory(descriptor)
    #expect(latest.count == 4)
    #expect(latest.map(\.timestamp) == latest.map(\.timestamp).sorted(by: >))
  }

  @Test func aDeletionWithALimitDeletesWhatAFetchReturns() throws {
    let context = ModelContext(try container())
    for number in 1...5 {
      context.insert(Note("\(number)"))
      try context.save()
    }
    for number in 1...5 {
      context.insert(Tally(number))
      try context.save()
    }
    let all = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    func expectLeft(_ range: Range<Int>) throws {
      let left = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      #expect(left.map(\.storeIdentifier) == all[range].map(\.storeIdentifier))
      #expect(left.map(\.id) == all[range].map(\.id))
    }
    descriptor.fetchLimit = 3
    try context.deleteHistory(descriptor)
    try expectLeft(3..<10)
    try context.deleteHistory(descriptor)
    try expectLeft(6..<10)
    descriptor.sortBy = [SortDescriptor(\.timestamp, order: .reverse)]
    try context.deleteHistory(descriptor)
    try expectLeft(6..<7)
  }

  @Test func aModelThatIsGoneFromTheSchemaIsKnownByIdentifier() throws {
    let folder = try TemporaryFolder()
    var tally: PersistentIdentifier?
    do {
      let context = ModelContext(
        try ModelContainer(
          for: Note.self, Tally.self, configurations: ModelConfiguration(url: folder.store)))
      let (one, two) = (Tally(1), Note("2"))
      context.insert(one)
      context.insert(two)
      try context.save()
      one.number = 3
      try context.save()
      tally = one.persistentModelID
      context.delete(one)
      try context.save()
    }
    let context = ModelContext(
      try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: folder.store)))
    let changes = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      .flatMap(\.changes)
    let ofTally = changes.filter { $0.changedPersistentIdentifier.entityName == "Tally" }
    #expect(ofTally.count == 3)
    #expect(ofTally.allSatisfy { $0.changedPersistentIdentifier == tally })
    let typed = changes.filter {
      switch $0 {
      case .insert(let change): change is DefaultHistoryInsert<Tally>
      case .update(let change): change is DefaultHistoryUpdate<Tally>
      case .delete(let change): change is DefaultHistoryDelete<Tally>
      }
    }
    #expect(typed.isEmpty)
    #expect(changes.count == 4)
  }
}
