import Foundation
import SwiftData
import Testing

/// A stored property that becomes `.ephemeral` loses its values, as a removed one does.
@Suite struct EphemeralMigrationTests {
  enum Stored {
    @Model class Item {
      var key: Int
      var value: Int
      init(_ key: Int, _ value: Int) { (self.key, self.value) = (key, value) }
    }
    @Model final class Box: Item {
      var size: String
      init(_ key: Int, size: String) {
        self.size = size
        super.init(key, 5)
      }
    }
  }

  enum Ephemeral {
    @Model class Item {
      var key: Int
      @Attribute(.ephemeral) var value = "none"
      init(_ key: Int) { self.key = key }
    }
    @Model final class Box: Item {
      @Attribute(.ephemeral) var size = ""
      override init(_ key: Int) { super.init(key) }
    }
  }

  enum Back {
    @Model class Item {
      var key: Int
      var value = 7
      init(_ key: Int) { self.key = key }
    }
    @Model final class Box: Item {
      var size: String?
      override init(_ key: Int) { super.init(key) }
    }
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ types: any PersistentModel.Type...) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(types), configurations: ModelConfiguration(url: folder.store)))
  }

  private func preview(_ types: any PersistentModel.Type...) throws -> MigrationPreview {
    try #require(
      try ModelContainer.migrationPreview(
        for: Schema(types), configurations: [ModelConfiguration(url: folder.store)]
      ).first)
  }

  @Test func itsValuesAreDeleted() throws {
    do {
      let context = try open(Stored.Item.self, Stored.Box.self)
      context.insert(Stored.Item(1, 42))
      context.insert(Stored.Box(2, size: "large"))
      try context.save()
    }
    let preview = try preview(Ephemeral.Item.self, Ephemeral.Box.self)
    #expect(preview.isNeeded && preview.problems.isEmpty)
    #expect(
      Set(preview.losses.map(\.description)) == [
        "2 values of Item.value (Int)", "1 value of Box.size (String)",
      ])
    do {
      let context = try open(Ephemeral.Item.self, Ephemeral.Box.self)
      let items = try context.fetch(FetchDescriptor<Ephemeral.Item>())
      #expect(items.map(\.value) == ["none", "none"])
      for item in items { item.value = "changed" }
      context.insert(Ephemeral.Item(3))
      try context.save()
      #expect(try !self.preview(Ephemeral.Item.self, Ephemeral.Box.self).isNeeded)
    }
    // An older program notices it, and new rows have no nil in a required property.
    let context = try open(Back.Item.self, Back.Box.self)
    #expect(try context.fetch(FetchDescriptor<Back.Item>()).map(\.value) == [7, 7, 7])
    #expect(try context.fetch(FetchDescriptor<Back.Box>()).map(\.size) == [nil])
  }
}
