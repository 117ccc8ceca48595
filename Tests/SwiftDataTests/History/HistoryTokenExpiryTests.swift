import Foundation
import OpenSwiftDataTestModels
import SwiftData
import Testing

/// A fetch behind a token gives all that came since, or throws.
@Suite(.databases) struct HistoryTokenExpiryTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func context(keepsHistory: Bool = true) throws -> ModelContext {
    var configuration = ModelConfiguration(url: folder.store)
    configuration.keepsHistory = keepsHistory
    return ModelContext(try ModelContainer(for: Note.self, configurations: configuration))
  }

  private func save(_ context: ModelContext, _ count: Int = 1) throws {
    for number in 0..<count {
      context.insert(Note("\(number)"))
      try context.save()
    }
  }

  private func tokens(_ context: ModelContext) throws -> [DefaultHistoryToken] {
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map(\.token)
  }

  private func numbers(
    _ context: ModelContext, behind token: DefaultHistoryToken
  ) throws -> [Int64] {
    try context.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
    ).map(\.transactionIdentifier)
  }

  /// The sentence of the error.
  private func expectExpired(
    _ context: ModelContext, _ token: DefaultHistoryToken,
    _ location: SourceLocation = #_sourceLocation
  ) -> String {
    let error = #expect(throws: SwiftDataError.self, sourceLocation: location) {
      try numbers(context, behind: token)
    }
    #expect(error == .historyTokenExpired, sourceLocation: location)
    return error?.description ?? ""
  }

  @Test func tokensBeforeADeletedPartExpire() throws {
    let context = try context()
    try save(context, 6)
    let tokens = try tokens(context)
    let fourth = tokens[3]
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= fourth }))
    #expect(expectExpired(context, tokens[2]).contains("transaction 3"))
    #expect(try numbers(context, behind: tokens[3]) == [5, 6])
    #expect(try numbers(context, behind: tokens[5]) == [])
    // What does not ask for what comes behind it is no question of expiry.
    let third = tokens[2]
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token < third }))
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(expectExpired(context, tokens[4]).contains("All transactions are deleted"))
    #expect(try numbers(context, behind: tokens[5]) == [])
    try save(context)
    #expect(try numbers(context, behind: tokens[5]) == [7])
    #expect(try numbers(self.context(), behind: tokens[5]) == [7])
  }

  @Test(.sqliteOnly("writes without history")) func tokensBeforeChangesWithoutHistoryExpire() throws
  {
    let context = try context()
    try save(context, 2)
    let before = try tokens(context)
    let loading = try self.context(keepsHistory: false)
    try save(loading, 2)
    #expect(expectExpired(context, before[1]).contains("without history"))
    let marker = try #require(try tokens(context).last)
    #expect(try numbers(context, behind: marker) == [])
    try save(loading)
    _ = expectExpired(context, marker)
    try save(context)
    let last = try #require(try tokens(context).dropLast().last)
    #expect(try numbers(context, behind: last).count == 1)
    _ = expectExpired(context, before[0])
  }

  /// The gap does not reach to the numbers of transactions that were deleted after it.
  @Test(.sqliteOnly("writes without history")) func deletionsAfterAGapExpireNoToken() throws {
    let (context, loading) = (try context(), try self.context(keepsHistory: false))
    try save(context)
    try save(loading, 2)
    context.author = "a"
    try save(context)
    let tokens = try tokens(context)
    #expect(tokens.count == 3)
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == "a" }))
    for token in tokens[1...] { #expect(try numbers(context, behind: token) == []) }
    #expect(expectExpired(context, tokens[0]).contains("without history"))
    try save(context)
    for token in tokens[1...] { #expect(try numbers(self.context(), behind: token) == [5]) }
    try save(loading)
    for token in tokens { _ = expectExpired(context, token) }
  }

  @Test(.sqliteOnly("replaces the file")) func anOlderCopyOfTheFileIsNoticed() throws {
    let copy = folder.url.appending(path: "copy.store")
    var last: DefaultHistoryToken?
    do {
      let context = try context()
      try save(context, 2)
      try FileManager.default.copyItem(at: folder.store, to: copy)
      try? FileManager.default.copyItem(
        at: folder.url.appending(path: folder.store.lastPathComponent + "-wal"),
        to: folder.url.appending(path: "copy.store-wal"))
      try save(context, 3)
      last = try tokens(context).last
    }
    let token = try #require(last)
    let context = ModelContext(
      try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: copy)))
    #expect(expectExpired(context, token).contains("older copy"))
    #expect(try tokens(context).count == 2)
    // Its later transactions have the numbers of those that are lost.
    for _ in 0..<3 {
      try save(context)
      #expect(expectExpired(context, token).contains("older copy"))
    }
    try save(context)
    let coded = try JSONDecoder().decode(
      DefaultHistoryToken.self, from: JSONEncoder().encode(token))
    #expect(expectExpired(context, coded).contains("older copy"))
    #expect(try numbers(context, behind: tokens(context)[4]) == [6])
  }

  @Test func aTokenOfAnotherStoreIsNamed() throws {
    let context = try context()
    try save(context)
    let other = ModelContext(
      try ModelContainer(
        for: Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    try save(other)
    let token = try #require(try tokens(other).last)
    let text = expectExpired(context, token)
    #expect(text.contains(token.storeIdentifier))
    #expect(text.contains("another store") || text.contains("belongs to the store"))
  }

  @Test func tokensSurviveCoding() throws {
    let context = try context()
    try save(context, 3)
    let token = try #require(try tokens(context).dropLast().last)
    let coded = try JSONDecoder().decode(
      DefaultHistoryToken.self, from: JSONEncoder().encode(token))
    #expect(coded == token)
    #expect(try numbers(self.context(), behind: coded) == [3])
    #expect(coded.storeIdentifier == context.container.stores.first?.identifier)
  }
}
