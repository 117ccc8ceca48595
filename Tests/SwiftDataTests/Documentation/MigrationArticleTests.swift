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

  enum LabelPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self, V3.self] }
    static var stages: [MigrationStage] { [Plan.fillAmounts, insertLabel()] }

    private static func insertLabel() -> MigrationStage {
      let insertLabel = MigrationStage.custom(
        fromVersion: V2.self, toVersion: V3.self, willMigrate: nil,
        didMigrate: { context in
          if context.container.schema.entitiesByName["Expense"] == nil { return }
          context.insert(V3.Expense(label: "opening balance", amount: 0))
          try context.save()
        })
      return insertLabel
    }
  }

  enum TripsV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self] }

    @Model final class Trip {
      var name: String
      var start: Date
      var price: String
      init(name: String, start: Date, price: String) {
        (self.name, self.start, self.price) = (name, start, price)
      }
    }
  }

  enum TripsV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self] }

    @Model final class Trip {
      @Attribute(.unique) var name: String
      var start: Date
      var price: String
      init(name: String) { (self.name, start, price) = (name, .now, "") }
    }
  }

  enum TripsV3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self] }

    @Model final class Trip {
      @Attribute(.unique) var name: String
      var start: Date
      var price: Decimal
      init(name: String) { (self.name, start, price) = (name, .now, 0) }
    }
  }

  enum TripsPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self, TripsV3.self] }
    static var stages: [MigrationStage] { [unify, convertPrices] }

    static let unify = MigrationStage.custom(
      fromVersion: TripsV1.self, toVersion: TripsV2.self,
      willMigrate: { context in
        var seen = Set<String>()
        let trips = try context.fetch(
          FetchDescriptor<TripsV1.Trip>(sortBy: [SortDescriptor(\.start, order: .reverse)]))
        for trip in trips where !seen.insert(trip.name).inserted { context.delete(trip) }
        try context.save()
      }, didMigrate: nil)

    static let convertPrices = MigrationStage.transform(
      fromVersion: TripsV2.self, toVersion: TripsV3.self,
      transformation: { transformation in
        try transformation.forEach(TripsV2.Trip.self, TripsV3.Trip.self) { old, new, context in
          new?.price = Decimal(string: old.price) ?? 0
        }
      })
  }

  private let store: MigratedStore

  /// The file of a server; compiled only.
  private func configurationOfAServer() -> ModelConfiguration {
    let file = URL(filePath: "/var/lib/expenses/expenses.store")
    var configuration = ModelConfiguration(url: file)

    configuration.keepsHistory = false
    return configuration
  }

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

  @Test func aStageInsertsAModelIntoItsStore() throws {
    let container = try ModelContainer(
      for: V3.Expense.self, migrationPlan: LabelPlan.self,
      configurations: ModelConfiguration(url: store.url))
    let expenses = try ModelContext(container).fetch(FetchDescriptor<V3.Expense>())
    #expect(Set(expenses.map(\.label)) == ["tea", "gift", "opening balance"])
  }

  @Test func duplicatesAreRemovedAndPricesBecomeNumbers() throws {
    let store = try MigratedStore()
    try store.make(TripsV1.models) { context in
      for (name, start, price) in [("a", 1.0, "1"), ("b", 2, "none"), ("a", 3, "12.5")] {
        let date = Date(timeIntervalSinceReferenceDate: start)
        context.insert(TripsV1.Trip(name: name, start: date, price: price))
      }
    }
    let configuration = ModelConfiguration(url: store.url)

    let progress = MigrationProgress()
    let container = try ModelContainer(
      for: Schema(versionedSchema: TripsV3.self), migrationPlan: TripsPlan.self,
      configurations: [configuration], migrationProgress: progress)

    #expect(progress.isFinished && progress.fraction == 1)
    let trips = try ModelContext(container).fetch(
      FetchDescriptor<TripsV3.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.name) == ["a", "b"])
    #expect(trips.map(\.price) == [12.5, 0])
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
