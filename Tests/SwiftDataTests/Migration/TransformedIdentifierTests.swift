import Foundation
import SwiftData
import Synchronization
import Testing

/// Identifiers in values of old models, which a transformation reads after the rows have got others.
@Suite(.databases) struct TransformedIdentifierTests {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static let models: [any PersistentModel.Type] = [Item.self, Other.self, Mark.self]

    @Model final class Item {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Other {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Mark {
      var name = ""
      var days = [1]
      var target: PersistentIdentifier?
      init() {}
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static let models: [any PersistentModel.Type] = [Item.self, Other.self, Mark.self]

    @Model(originalName: "Other") final class Item {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model(originalName: "Item") final class Other {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Mark {
      var name = ""
      var days = [1]
      @Attribute(originalName: "target") var goal: PersistentIdentifier?
      var copy: PersistentIdentifier?
      var goals: [PersistentIdentifier] = []
      init() {}
    }
  }

  enum Plan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages = [
      MigrationStage.transform(
        fromVersion: V1.self, toVersion: V2.self,
        transformation: { transformation in
          var current: [PersistentIdentifier: PersistentIdentifier] = [:]
          try transformation.forEach(V1.Item.self, V2.Other.self) { old, new, _ in
            current[old.persistentModelID] = new?.persistentModelID
          }
          try transformation.forEach(V1.Mark.self, V2.Mark.self) { old, new, _ in
            new?.copy = old.target.flatMap { current[$0] }
            new?.goals = [new?.goal].compactMap(\.self)
          }
        })
    ]
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(
    _ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), migrationPlan: plan,
        configurations: ModelConfiguration(url: folder.store)))
  }

  /// Migrates a store with a row of each model, and returns it with the lines about identifiers.
  private func migrate(withTarget: Bool) throws -> (ModelContext, lines: [String]) {
    do {
      let context = try open(V1.self)
      let (item, mark) = (V1.Item("item"), V1.Mark())
      context.insert(item)
      context.insert(V1.Other("other"))
      try context.save()
      context.insert(mark)
      if withTarget { mark.target = item.persistentModelID }
      try context.save()
    }
    let lines = Mutex<[String]>([])
    let context = try WarningLog.$receiver.withValue(
      { line in lines.withLock { $0.append(line) } }, operation: { try open(V2.self, Plan.self) })
    return (context, lines.withLock { $0 }.filter { $0.contains("other identifiers") })
  }

  @Test func aTransformationReadsEarlierIdentifiersAndIsWarned() throws {
    let (context, lines) = try migrate(withTarget: true)
    #expect(lines.count == 1)
    #expect(lines.first?.contains("the rows of Item, Other.") == true)
    #expect(lines.first?.contains("in Mark.target:") == true)
    let row = try context.fetch(FetchDescriptor<V2.Other>())[0].persistentModelID
    let mark = try context.fetch(FetchDescriptor<V2.Mark>())[0]
    #expect(mark.goal == row)
    #expect(mark.copy == row)
    #expect(mark.goals == [row])
  }

  @Test func nothingIsSaidWithoutIdentifiersInValues() throws {
    #expect(try migrate(withTarget: false).lines.isEmpty)
  }
}
