import Foundation
import SwiftData
import Testing

/// Decimals with more digits than a `Double` has, in rows that are written again from memory.
@Suite(.databases) struct LongDecimalTests {
  struct Price: Codable, Equatable {
    var net: Decimal
    var currency: String
  }

  enum Rate: Codable, Equatable {
    case fixed(Decimal)
    case none
  }

  @Model class Account {
    #Unique<Account>([\.bank, \.balance])
    var bank: String
    var balance: Decimal
    var limit: Decimal?
    var price: Price
    var rate: Rate

    init(_ bank: String, _ balance: Decimal) {
      self.bank = bank
      self.balance = balance
      limit = balance
      price = Price(net: balance, currency: "€")
      rate = .fixed(balance)
    }
  }

  @Model final class Deposit: Account {
    var interest: Decimal = 0

    init(_ bank: String, interest: Decimal) {
      self.interest = interest
      super.init(bank, interest)
    }
  }

  private static let texts = [
    "1234567.0123456789", "12345678901234567890.5", "-0.00000000000000000000123456789012345678",
    "123456789012345", "0.1", "NaN",
  ]

  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: Account.self, Deposit.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  @Test(arguments: texts, [false, true])
  func aModelThatIsInsertedAgainKeepsAllDigits(_ text: String, byUndo: Bool) throws {
    let number = text == "NaN" ? .nan : try #require(Decimal(string: text))
    let container = try container()
    let first = ModelContext(container)
    first.insert(Deposit("a", interest: number))
    try first.save()

    let context = ModelContext(container)
    context.undoManager = byUndo ? UndoManager() : nil
    let deposit = try #require(try context.fetch(FetchDescriptor<Deposit>()).first)
    context.delete(deposit)
    try context.save()
    if byUndo { context.undoManager?.undo() } else { context.insert(deposit) }
    try context.save()

    let found = try #require(try ModelContext(container).fetch(FetchDescriptor<Deposit>()).first)
    let values = [found.interest, found.balance, found.limit, found.price.net]
    #expect(values.map(\.?.description) == Array(repeating: number.description, count: 4))
    #expect(found.rate == .fixed(number))
  }

  @Test func aUniqueDecimalOfAFetchedRowIsFound() throws {
    let number = try #require(Decimal(string: "1234567.0123456789"))
    let container = try container()
    let first = ModelContext(container)
    first.insert(Account("a", number))
    first.insert(Account("b", number))
    try first.save()

    let context = ModelContext(container)
    let query = FetchDescriptor<Account>(sortBy: [SortDescriptor(\.bank)])
    let accounts = try context.fetch(query)
    context.delete(accounts[1])
    try context.save()
    accounts[1].bank = "a"
    context.insert(accounts[1])
    try context.save()
    let found = try ModelContext(container).fetch(query)
    #expect(found.map(\.bank) == ["a"] && found.first?.balance == number)

    first.insert(Account("b", number))
    try first.save()
    let other = try #require(try context.fetch(query).last)
    other.bank = "a"
    context.uniquenessPolicy = .refuse
    #expect(throws: SwiftDataError.self) { try context.save() }
  }
}
