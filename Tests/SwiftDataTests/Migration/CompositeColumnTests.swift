import Foundation
import OpenSwiftDataStoreFormat
import SwiftData
import Testing

/// Models with equal version hashes whose structs have their values in other columns: the names of columns have
/// numbers in the order of the declarations.
@Suite struct CompositeColumnTests {
  private let store: MigratedStore

  init() throws { store = try MigratedStore() }

  struct Point: Codable, Equatable { var x: Int; var y: Int }

  enum Before: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Map.self] }

    struct Box: Codable, Equatable { var min: Point; var max: Point }

    @Model final class Map {
      var name: String
      var box: Box

      init(_ name: String) {
        self.name = name
        box = Box(min: Point(x: 1, y: 2), max: Point(x: 3, y: 4))
      }
    }
  }

  enum After: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Map.self] }

    struct Box: Codable, Equatable { var max: Point; var min: Point }

    @Model final class Map {
      var name: String
      var box: Box

      init(_ name: String) {
        self.name = name
        box = Box(max: Point(x: 3, y: 4), min: Point(x: 1, y: 2))
      }
    }
  }

  enum AfterOnly: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [After.self]
    static let stages: [MigrationStage] = []
  }

  enum Both: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Before.self, After.self]
    static let stages: [MigrationStage] = []
  }

  private func makeMap() throws { try store.make(Before.models) { $0.insert(Before.Map("a")) } }

  private func open(
    _ schema: Schema = Schema(versionedSchema: After.self),
    _ plan: (any SchemaMigrationPlan.Type)? = nil,
    _ configure: (inout ModelConfiguration) -> Void = { _ in }
  ) throws -> ModelContext {
    var configuration = ModelConfiguration(url: store.url)
    configure(&configuration)
    return ModelContext(
      try ModelContainer(for: schema, migrationPlan: plan, configurations: [configuration]))
  }

  private func isMigrationNeeded(_ types: [any PersistentModel.Type]) throws -> Bool {
    try #require(
      try ModelContainer.migrationPreview(
        for: Schema(types), configurations: [ModelConfiguration(url: store.url)]
      ).first
    ).isNeeded
  }

  private func expectValues(
    _ context: ModelContext, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let boxes = try context.fetch(FetchDescriptor<After.Map>()).map(\.box)
    #expect(
      boxes == [After.Box(max: Point(x: 3, y: 4), min: Point(x: 1, y: 2))],
      sourceLocation: sourceLocation)
  }

  // MARK: Members

  @Test(arguments: RelationshipMigrationTests.sizes)
  func membersInAnotherOrderKeepTheirValues(_ size: Int64) throws {
    try makeMap()
    try SchemaChange.$smallTable.withValue(size) {
      let context = try store.open(After.models)
      try expectValues(context)
      try #require(try context.fetch(FetchDescriptor<After.Map>()).first).name = "b"
      try context.save()
    }
    #expect(try !isMigrationNeeded(After.models))
    try expectValues(open())
  }

  @Test(arguments: [AfterOnly.self, Both.self] as [any SchemaMigrationPlan.Type])
  func aPlanKeepsThemToo(_ plan: any SchemaMigrationPlan.Type) throws {
    try makeMap()
    for _ in 0..<2 { try expectValues(open(Schema(versionedSchema: After.self), plan)) }
  }

  /// The models are those of the first version, whatever version the schema has.
  @Test func theModelsAreTheVersionWithTheirColumns() throws {
    try makeMap()
    let context = try open(Schema(Before.models), Both.self)
    #expect(
      try context.fetch(FetchDescriptor<Before.Map>()).map(\.box)
        == [Before.Box(min: Point(x: 1, y: 2), max: Point(x: 3, y: 4))])
  }

  @Test func withoutMigrationsTheyAreNotReadFromOtherColumns() throws {
    try makeMap()
    let before = try store.content()
    for plan in [nil, AfterOnly.self, Both.self] as [(any SchemaMigrationPlan.Type)?] {
      let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
        try open(Schema(versionedSchema: After.self), plan) { $0.allowsMigration = false }
      }
      #expect(error?.description.contains("has to be migrated") == true)
    }
    #expect(try store.content() == before)
  }

  @Test func aFileThatDoesNotRecordTheColumnsIsJudgedByItsModel() throws {
    try makeMap()
    try store.forgetCompositeForms()
    #expect(try !isMigrationNeeded(Before.models))
    #expect(try isMigrationNeeded(After.models))
    try expectValues(open())
  }

  @Test(arguments: [true, false])
  func anOpenContainerNoticesTheMigration(_ recordsForms: Bool) throws {
    try makeMap()
    if !recordsForms { try store.forgetCompositeForms() }
    let old = try open(Schema(Before.models))
    #expect(try old.fetchCount(FetchDescriptor<Before.Map>()) == 1)
    try expectValues(open())
    old.insert(Before.Map("late"))
    let error = #expect(throws: SwiftDataError.storeWriteFailure) { try old.save() }
    #expect(error?.description.contains("was migrated by another process") == true)
    try expectValues(open())
  }

  enum Renamed {
    struct Box: Codable, Equatable { var low: Point; var max: Point }

    @Model final class Map {
      var name: String
      var box: Box

      init(_ name: String) {
        self.name = name
        box = Box(low: Point(x: 1, y: 2), max: Point(x: 3, y: 4))
      }
    }
  }

  /// Its column is the same, as in Apple's framework.
  @Test func aRenamedMemberNeedsNoMigration() throws {
    try makeMap()
    #expect(try !isMigrationNeeded([Renamed.Map.self]))
    let boxes = try open(Schema([Renamed.Map.self])).fetch(FetchDescriptor<Renamed.Map>()).map(
      \.box)
    #expect(boxes == [Renamed.Box(low: Point(x: 1, y: 2), max: Point(x: 3, y: 4))])
  }

  /// A description with other names but the same columns.
  @Test func anOpenContainerContinuesIfOnlyNamesChange() throws {
    try makeMap()
    let old = try open(Schema(Before.models))
    var metadata = try RealFile.metadata(store.url)
    var forms = try #require(metadata["OpenSwiftDataCompositeForms"] as? [String: String])
    let text = try #require(forms["Map.box"])
    forms["Map.box"] = text.replacingOccurrences(of: "min.", with: "low.") + " formerly area"
    try #require(forms["Map.box"]?.contains("low.x=") == true)
    metadata["OpenSwiftDataCompositeForms"] = forms
    try store.write(metadata)
    try SQLiteFile.execute("CREATE INDEX Other ON ZMAP (ZNAME)", in: store.url)
    old.insert(Before.Map("late"))
    try old.save()
    #expect(try old.fetchCount(FetchDescriptor<Before.Map>()) == 2)
  }

  // MARK: Properties

  enum Started {
    @Model final class Flight {
      var code: String
      var start: Point
      var stop: Point

      init(_ code: String) {
        (self.code, start, stop) = (code, Point(x: 1, y: 2), Point(x: 3, y: 4))
      }
    }
  }

  enum TakenOff {
    @Model final class Flight {
      var code: String
      @Attribute(originalName: "start") var takeoff: Point
      var stop: Point

      init(_ code: String) {
        (self.code, takeoff, stop) = (code, Point(x: 1, y: 2), Point(x: 3, y: 4))
      }
    }
  }

  enum Unsaid {
    @Model final class Flight {
      var code: String
      var takeoff: Point
      var stop: Point

      init(_ code: String) {
        (self.code, takeoff, stop) = (code, Point(x: 1, y: 2), Point(x: 3, y: 4))
      }
    }
  }

  @Test(arguments: RelationshipMigrationTests.sizes)
  func aRenamedPropertyKeepsItsValues(_ size: Int64) throws {
    try store.make([Started.Flight.self]) { $0.insert(Started.Flight("a")) }
    let text = try store.refusal([Unsaid.Flight.self])
    #expect(text.contains("@Attribute(originalName: \"start\")"), "\(text)")
    try SchemaChange.$smallTable.withValue(size) {
      for _ in 0..<2 {
        let flights = try store.open([TakenOff.Flight.self])
          .fetch(FetchDescriptor<TakenOff.Flight>())
        #expect(flights.map(\.takeoff) == [Point(x: 1, y: 2)])
        #expect(flights.map(\.stop) == [Point(x: 3, y: 4)])
      }
    }
    #expect(try !isMigrationNeeded([TakenOff.Flight.self]))
  }
}
