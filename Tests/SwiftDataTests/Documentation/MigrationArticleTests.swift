import Foundation
import SwiftData
import Testing

/// The samples of the article *Migrations*.
@Suite struct MigrationArticleTests {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Expense.self] }

    @Model final class Expense {
      var label: String
      var amount: String
      init(label: String, amount: String) { (self.label, self.amount) = (label, amount) }
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Expense.self] }

    @Model final class Expense {
      var label: String
      @Attribute(originalName: "amount") var amountText: String
      var amount: Double?
      init(label: String) { (self.label, amountText) = (label, "") }
    }
  }

  enum V3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Expense.self] }

    @Model final class Expense {
      var label: String
      var amount: Double
      init(label: String, amount: Double) { (self.label, self.amount) = (label, amount) }
    }
  }

  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self, V3.self] }
    static var stages: [MigrationStage] { [fillAmounts, dropTexts] }

    static let fillAmounts = MigrationStage.custom(
      fromVersion: V1.self, toVersion: V2.self, willMigrate: nil,
      didMigrate: { context in
        for expense in try context.fetch(FetchDescriptor<V2.Expense>()) {
          expense.amount = Double(expense.amountText) ?? 0
        }
        try context.save()
      })

    static let dropTexts = MigrationStage.lightweight(fromVersion: V2.self, toVersion: V3.self)
  }

  private let store: MigratedStore

  init() throws {
    store = try MigratedStore()
    try store.make(V1.models) { context in
      for (label, amount) in [("tea", "2.5"), ("gift", "none")] {
        context.insert(V1.Expense(label: label, amount: amount))
      }
    }
  }

  enum Priced {
    @Model final class Expense {
      var price: Double
      init(_ price: Double) { self.price = price }
    }
  }

  enum Renamed {
    @Model final class Expense {
      @Attribute(originalName: "price") var cost: Double?
      init() {}
    }
  }

  enum Removed {
    @Model final class Expense {
      static let removedProperties: Set<String> = ["price"]
      var cost: Double?
      init() {}
    }
  }

  @Test func aNewNameAndARemovalAreDeclared() throws {
    for isRenamed in [true, false] {
      let store = try MigratedStore()
      try store.make([Priced.Expense.self]) { $0.insert(Priced.Expense(2.5)) }
      if isRenamed {
        let expenses = try store.open([Renamed.Expense.self])
          .fetch(FetchDescriptor<Renamed.Expense>())
        #expect(expenses.map(\.cost) == [2.5])
      } else {
        let expenses = try store.open([Removed.Expense.self])
          .fetch(FetchDescriptor<Removed.Expense>())
        #expect(expenses.map(\.cost) == [nil])
      }
    }
  }

  @Test func changingATypeInTwoStages() throws {
    let configuration = ModelConfiguration(url: store.url)

    let container = try ModelContainer(
      for: V3.Expense.self, migrationPlan: Plan.self, configurations: configuration)

    let expenses = try ModelContext(container).fetch(
      FetchDescriptor<V3.Expense>(sortBy: [SortDescriptor(\.label)]))
    #expect(expenses.map(\.amount) == [0, 2.5])
  }

  @Test func aServerAsksBefore() throws {
    var configuration = ModelConfiguration(url: store.url)
    configuration.allowsMigration = false
    configuration.keepsMigrationBackup = true

    for preview in try ModelContainer.migrationPreview(
      for: Schema(versionedSchema: V3.self), migrationPlan: Plan.self,
      configurations: [configuration])
    where preview.isNeeded {
      print(preview)
    }

    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: V3.Expense.self, migrationPlan: Plan.self, configurations: configuration)
    }
  }
}
