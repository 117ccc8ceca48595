import Foundation
import SwiftData
import Testing

/// Generic repositories over any model, with predicates passed around.
enum FinanceApp {
  @Model final class Account {
    #Unique<Account>([\.bank, \.number])
    var bank: String
    var number: String
    var opened: Date
    @Relationship(deleteRule: .deny, inverse: \Payment.account) var payments: [Payment] = []

    init(bank: String, number: String, opened: Date = .distantPast) {
      self.bank = bank
      self.number = number
      self.opened = opened
    }

    var balance: Decimal { payments.reduce(0) { $0 + $1.amount } }
  }

  @Model final class Payment {
    #Index<Payment>([\.date], [\.date, \.amount])
    var amount: Decimal
    var date: Date
    var memo: String?
    var isCleared: Bool = false
    var account: Account?

    init(_ amount: Decimal, date: Date = .now, memo: String? = nil, account: Account? = nil) {
      self.amount = amount
      self.date = date
      self.memo = memo
      self.account = account
    }
  }

  protocol Repository<Entity> {
    associatedtype Entity: PersistentModel
    func all(
      where filter: Predicate<Entity>?, by order: [SortDescriptor<Entity>]
    ) throws -> [Entity]
  }

  struct Store<T: PersistentModel>: Repository {
    let context: ModelContext

    func all(
      where filter: Predicate<T>? = nil, by order: [SortDescriptor<T>] = []
    ) throws -> [T] {
      try context.fetch(FetchDescriptor<T>(predicate: filter, sortBy: order))
    }

    func first(where filter: Predicate<T>?) throws -> T? {
      var descriptor = FetchDescriptor<T>(predicate: filter)
      descriptor.fetchLimit = 1
      return try context.fetch(descriptor).first
    }

    func count(where filter: Predicate<T>? = nil) throws -> Int {
      try context.fetchCount(FetchDescriptor(predicate: filter))
    }

    func add(_ models: T...) throws {
      for model in models { context.insert(model) }
      try context.save()
    }

    func find(_ id: T.ID) throws -> T? where T.ID == PersistentIdentifier {
      try first(where: #Predicate { $0.persistentModelID == id })
    }

    func removeAll() throws { try context.delete(model: T.self) }
  }

  static let models: [any PersistentModel.Type] = [Account.self, Payment.self]
}

@Suite(.databases) struct FinanceAppTests {
  private func context() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(FinanceApp.models, version: .init(1, 0, 0)),
        configurations: ModelConfiguration("finance", isStoredInMemoryOnly: true)))
  }

  @Test func genericRepositoriesFetchCountAndDelete() throws {
    let context = try context()
    let accounts = FinanceApp.Store<FinanceApp.Account>(context: context)
    let payments = FinanceApp.Store<FinanceApp.Payment>(context: context)
    let account = FinanceApp.Account(bank: "A", number: "1")
    try accounts.add(account, FinanceApp.Account(bank: "A", number: "2"))
    try payments.add(
      FinanceApp.Payment(Decimal(string: "19.99")!, memo: "shoes", account: account),
      FinanceApp.Payment(-5, account: account), FinanceApp.Payment(1))
    #expect(account.balance == Decimal(string: "14.99"))
    #expect(try payments.count() == 3)
    #expect(try payments.count(where: #Predicate { $0.account != nil && $0.amount < 0 }) == 1)
    #expect(try payments.all(where: nil, by: [SortDescriptor(\.amount)]).map(\.amount).first == -5)
    #expect(try payments.all(where: #Predicate { $0.memo?.contains("sho") ?? false }).count == 1)
    #expect(try accounts.find(account.persistentModelID) === account)
    #expect(try accounts.find(account.id)?.number == "1")
    #expect(throws: SwiftDataError.self) { try accounts.removeAll() }
    try payments.removeAll()
    try accounts.removeAll()
    #expect(try accounts.count() == 0)
  }

  @Test func anyRepositoryIsUsedThroughItsProtocol() throws {
    let context = try context()
    try FinanceApp.Store(context: context).add(FinanceApp.Account(bank: "B", number: "9"))
    let repository: any FinanceApp.Repository<FinanceApp.Account> = FinanceApp.Store(
      context: context)
    let filter: Predicate<FinanceApp.Account>? = #Predicate { $0.bank == "B" }
    #expect(try repository.all(where: filter, by: []).count == 1)
  }

  @Test func allModelsOfASchemaAreCountedThroughTheirTypes() throws {
    func count<T: PersistentModel>(_ type: T.Type, in context: ModelContext) throws -> Int {
      try context.fetchCount(FetchDescriptor<T>())
    }
    let context = try context()
    context.insert(FinanceApp.Payment(1, account: FinanceApp.Account(bank: "C", number: "1")))
    let counts = try FinanceApp.models.map { try count($0, in: context) }
    #expect(counts == [1, 1])
    let inserted: [any PersistentModel] = context.insertedModelsArray
    for model in inserted { context.delete(model) }
    #expect(!context.hasChanges)
  }
}
