import Foundation
import SwiftData
import Testing

/// What a dry run tells, and that it changes nothing.
@Suite struct MigrationPreviewTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func preview(
    _ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)?
  ) throws -> MigrationPreview {
    let previews = try ModelContainer.migrationPreview(
      for: Schema(versionedSchema: version), migrationPlan: plan,
      configurations: [ModelConfiguration(url: folder.store)])
    #expect(previews.count == 1)
    return try #require(previews.first)
  }

  private func content() throws -> [String: Data] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
      .reduce(into: [:]) { $0[$1] = try Data(contentsOf: folder.url.appending(path: $1)) }
  }

  @Test func aPreviewListsTheChangesAndChangesNothing() throws {
    try Journey.make(folder.store)
    let before = try content()
    let preview = try preview(Journey.V3.self, Journey.PlainPlan.self)
    #expect(try content() == before)
    #expect(preview.isNeeded && preview.fromVersion == "1.0.0" && preview.toVersion == "3.0.0")
    #expect(preview.rowCounts == ["Trip": 3, "Stop": 3, "Memo": 1])
    #expect(preview.stages.map(\.toVersion) == ["2.0.0", "3.0.0"])
    let (first, second) = (preview.stages[0], preview.stages[1])
    #expect(first.isChecked && !second.isChecked && first.problems.isEmpty)
    #expect(first.changes.contains("Trip.name is renamed to title"))
    #expect(first.changes.contains("Trip.days (Int) is new"))
    #expect(first.changes.contains("the model Guide is new"))
    #expect(second.changes.contains("the model Memo is removed"))
    #expect(second.changes.contains("Trip has new unique values: title"))
    #expect(first.statements.contains { $0.contains("ZTRIP") })
    #expect(second.statements.contains { $0.contains("ZMEMO") })
  }

  enum Plain {
    @Model final class Item {
      var number = 0
      var size = 0
      init() {}
    }
  }
  enum Indexed {
    @Model final class Item {
      #Index<Item>([\.number])
      var number = 0
      var size = 0
      init() {}
    }
  }
  enum Later {
    @Model final class Item {
      #Index<Item>([\.number], [\.size])
      var number = 0
      var size = 0.0
      init() {}
    }
  }

  /// A new index is no migration: opening the store creates it.
  @Test func anIndexThatExistsIsNotNew() throws {
    func configurations(_ schema: Schema) -> [ModelConfiguration] {
      [ModelConfiguration(schema: schema, url: folder.store)]
    }
    for type in [Plain.Item.self, Indexed.Item.self] as [any PersistentModel.Type] {
      let schema = Schema([type])
      _ = try ModelContainer(for: schema, configurations: configurations(schema))
    }
    let schema = Schema([Later.Item.self])
    let preview = try ModelContainer.migrationPreview(
      for: schema, configurations: configurations(schema))[0]
    #expect(
      preview.stages[0].changes
        == ["Item.size changes from Int to Double", "Item has a new index: size"])
  }

  @Test func codeOfStagesIsNotRun() throws {
    try Journey.make(folder.store)
    let preview = try preview(Journey.V3.self, Journey.Plan.self)
    #expect(preview.stages.map(\.kind) == [.custom, .custom])
    // The first stage has code behind the change of the tables only.
    #expect(preview.stages.map(\.isChecked) == [true, false] && preview.problems.isEmpty)
    let context = try Journey.open(Journey.V1.self, at: folder.store)
    #expect(try context.fetchCount(FetchDescriptor<Journey.V1.Trip>()) == 3)
  }

  @Test func whatStandsInTheWayIsListed() throws {
    do {
      let context = try Journey.open(Journey.V2.self, at: folder.store)
      for _ in 0..<2 { context.insert(Journey.V2.Trip(title: "Rome")) }
      try context.save()
    }
    let preview = try preview(Journey.V3.self, nil)
    let problem = try #require(preview.problems.first)
    #expect(problem.entity == "Trip" && problem.property == "title" && problem.rowCount == 1)
    #expect(problem.examples == ["p2"])
    #expect(preview.description.contains("problem: Trip.title"))
    let copy = try JSONDecoder().decode(
      MigrationPreview.self, from: JSONEncoder().encode(preview))
    #expect(copy == preview && copy.description == preview.description)
  }

  @Test func whereNothingIsToDoItSaysSo() throws {
    let missing = try preview(Journey.V3.self, Journey.Plan.self)
    #expect(!missing.isNeeded && missing.fromVersion == nil)
    #expect(missing.description.contains("no store exists; it will be created with version 3.0.0"))
    #expect(try content().isEmpty)
    _ = try Journey.open(Journey.V3.self, at: folder.store, plan: Journey.Plan.self)
    let current = try preview(Journey.V3.self, Journey.Plan.self)
    #expect(!current.isNeeded && current.fromVersion == "3.0.0")
    #expect(current.description.contains("nothing to do"))
    #expect(throws: SwiftDataError.backwardMigration) { try preview(Journey.V2.self, nil) }
  }

  @Test func theStatementsAreThoseOfTheMigration() throws {
    try Journey.make(folder.store)
    let expected = try preview(Journey.V2.self, nil).stages.flatMap(\.statements)
    let recorder = StatementRecorder()
    var configuration = ModelConfiguration(url: folder.store)
    configuration.statementLog = recorder.log()
    let statements = try recorder.during {
      _ = try ModelContainer(
        for: Schema(versionedSchema: Journey.V2.self), configurations: configuration)
    }
    let run = Set(statements.map(\.sql))
    #expect(!expected.isEmpty)
    // Rows are copied in portions.
    for statement in expected where !statement.hasPrefix("INSERT") {
      #expect(run.contains(statement))
    }
  }

  enum Priced {
    enum V1 {
      @Model final class Item {
        var price: Decimal = 3
        var count = 1

        init() {}
      }
    }

    enum V2 {
      @Model final class Item {
        var price: Decimal = 3
        var count = 2
        var note: String?

        init() {}
      }
    }
  }

  /// A file does not tell the default of a decimal number.
  @Test func theDefaultOfADecimalNumberIsNotListed() throws {
    do {
      let container = try ModelContainer(
        for: Priced.V1.Item.self, configurations: ModelConfiguration(url: folder.store))
      let context = ModelContext(container)
      context.insert(Priced.V1.Item())
      try context.save()
    }
    let preview = try #require(
      try ModelContainer.migrationPreview(
        for: Schema([Priced.V2.Item.self]), configurations: [ModelConfiguration(url: folder.store)]
      ).first)
    #expect(
      Set(preview.stages.flatMap(\.changes))
        == ["Item.note (String?) is new", "the default value of Item.count changes"])
  }

  // MARK: Configurations that do not fit together

  @Test func whatTheContainerRefusesGetsNoPreview() throws {
    try Journey.make(folder.store)
    let before = try content()
    let schema = Schema([Journey.V1.Memo.self])
    let others: [(Schema, [ModelConfiguration])] = [
      // Another class of the entity.
      (
        Schema(versionedSchema: Journey.V2.self),
        [configuration(Schema(versionedSchema: Journey.V1.self))]
      ),
      // A model that the container does not have.
      (schema, [configuration(Schema([Journey.V1.Memo.self, Journey.V1.Stop.self]))]),
      // Two stores with one name.
      (schema, [configuration(schema), configuration(schema)]),
    ]
    for (schema, configurations) in others {
      let refused = #expect(throws: SwiftDataError.self) {
        try ModelContainer(for: schema, configurations: configurations)
      }
      let error = #expect(throws: SwiftDataError.self) {
        try ModelContainer.migrationPreview(for: schema, configurations: configurations)
      }
      #expect(error == refused && error?.description == refused?.description)
    }
    #expect(try content() == before)
  }

  private func configuration(_ schema: Schema) -> ModelConfiguration {
    ModelConfiguration(schema: schema, url: folder.store)
  }
}
