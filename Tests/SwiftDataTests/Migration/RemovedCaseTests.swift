import Foundation
import SwiftData
import Testing

/// Cases of enums with raw values that are removed, or get another raw value, while rows have the old one.
@Suite(.databases) struct RemovedCaseTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  enum Color: String, Codable { case red, green, blue }
  enum Paint: String, Codable { case red, green }
  enum Code: String, Codable { case red = "R", green = "G" }

  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Wall.self] }

    struct Side: Codable { var color: Color? }

    @Model final class Wall {
      var number: Int
      var color: Color
      var other: Color?
      var side: Side

      init(_ number: Int, _ color: Color = .red, other: Color? = nil, side: Color? = nil) {
        (self.number, self.color, self.other) = (number, color, other)
        self.side = Side(color: side)
      }
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Wall.self] }

    struct Side: Codable { var color: Paint? }

    @Model final class Wall {
      var number: Int
      var color: Paint
      var other: Paint?
      var side: Side
      var note: String?

      init() { (number, color, side) = (0, .red, Side(color: nil)) }
    }
  }

  enum Coded: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Wall.self] }

    @Model final class Wall {
      var number: Int
      var color: Code
      var note: String?

      init() { (number, color) = (0, .red) }
    }
  }

  private func open(
    _ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContext {
    let configuration = ModelConfiguration(url: folder.store)
    return ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), migrationPlan: plan, configurations: configuration))
  }

  private func make(_ walls: V1.Wall...) throws {
    let context = try open(V1.self)
    for wall in walls { context.insert(wall) }
    try context.save()
  }

  private func refusal(_ version: any VersionedSchema.Type) throws -> String {
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) { try open(version) }
    // The old models can open the store.
    _ = try open(V1.self)
    return error?.description ?? ""
  }

  @Test func aCaseThatRowsHaveIsNotRemoved() throws {
    try make(V1.Wall(1), V1.Wall(2, .blue))
    let text = try refusal(V2.self)
    #expect(
      text.contains(
        "Wall.color is Paint, but an enum with other raw values in the store: 1 row (p2) have a value"
      ),
      "\(text)")
    #expect(!text.contains("blue"))
  }

  @Test func theSameAppliesToOptionalPropertiesAndMembersOfStructs() throws {
    try make(V1.Wall(1, other: .blue), V1.Wall(2, other: .green), V1.Wall(3, side: .blue))
    let text = try refusal(V2.self)
    #expect(text.contains("Wall.other is Paint") && text.contains("1 row (p1)"), "\(text)")
    #expect(text.contains("Wall.side is a value whose member color is Paint"), "\(text)")
    #expect(text.contains("1 row (p3)") && !text.contains("Wall.color"), "\(text)")
  }

  @Test func otherRawValuesOfTheSameCasesAreRefused() throws {
    try make(V1.Wall(1), V1.Wall(2, .green))
    let text = try refusal(Coded.self)
    #expect(text.contains("Wall.color is Code") && text.contains("2 rows (p1, p2)"), "\(text)")
  }

  @Test func aCaseThatNoRowHasIsRemoved() throws {
    try make(V1.Wall(1, other: .green, side: .red))
    let context = try open(V2.self)
    let wall = try #require(try context.fetch(FetchDescriptor<V2.Wall>()).first)
    #expect(wall.color == .red)
    #expect(wall.other == .green)
    #expect(wall.side.color == .red)
  }

  // MARK: Plans

  enum TransformPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, Coded.self]
    static let stages = [
      MigrationStage.transform(fromVersion: V1.self, toVersion: Coded.self) { transformation in
        try transformation.forEach(V1.Wall.self, Coded.Wall.self) { old, new, _ in
          if old.number < 9 { new?.color = old.color == .red ? .red : .green }
        }
      }
    ]
  }

  enum CodePlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, Coded.self]
    static let stages = [
      MigrationStage.custom(
        fromVersion: V1.self, toVersion: Coded.self, willMigrate: { _ in },
        didMigrate: { context in
          for wall in try context.fetch(FetchDescriptor<Coded.Wall>()) { wall.color = .green }
          try context.save()
        })
    ]
  }

  @Test(.sqliteOnly("losses that need no consent")) func aTransformationReplacesRawValues() throws {
    try make(V1.Wall(1), V1.Wall(2, .blue))
    let context = try open(Coded.self, TransformPlan.self)
    let order = [SortDescriptor(\Coded.Wall.number)]
    #expect(
      try context.fetch(FetchDescriptor(sortBy: order)).map(\Coded.Wall.color) == [.red, .green])
    #expect(context.unreadableValues.isEmpty)
  }

  @Test func aValueThatATransformationDoesNotReplaceIsMissing() throws {
    try make(V1.Wall(1), V1.Wall(9, .blue))
    let error = #expect(throws: SwiftDataError.self) { try open(Coded.self, TransformPlan.self) }
    #expect(error?.description.contains("Wall.color") == true, "\(error?.description ?? "")")
  }

  @Test func codeAfterTheChangeReplacesRawValues() throws {
    try make(V1.Wall(1), V1.Wall(2, .blue))
    let context = try open(Coded.self, CodePlan.self)
    #expect(
      try context.fetch(FetchDescriptor<Coded.Wall>()).map(\Coded.Wall.color) == [.green, .green])
  }
}
