import Foundation
import SwiftData
import Testing

/// Errors and losses of a migration name the Swift types of integers, also where a column type has several.
@Suite(.databases) struct IntegerTypeTextTests {
  struct Size: Codable, Equatable {
    var width: UInt16 = 0
    var height: Int8? = nil
  }
  struct SmallSize: Codable, Equatable {
    var width: Int8 = 0
    var height: Int8? = nil
  }
  struct Width: Codable, Equatable { var width: UInt16 = 0 }

  enum Unsigned {
    @Model final class Item {
      var whole: UInt64 = UInt64.max
      var short: UInt16 = UInt16.max
      var maybe: UInt32? = UInt32.max
      var plain: Int = Int.max
      var size = Size(width: .max, height: 1)
      init() {}
    }
  }
  enum Signed {
    @Model final class Item {
      var whole: Int = 0
      var short: Int16 = 0
      var maybe: Int32?
      var plain: UInt8 = 0
      var size = SmallSize()
      init() {}
    }
  }
  enum Smaller {
    @Model final class Item {
      static let removedProperties: Set<String> = ["whole", "short"]
      var maybe: UInt32? = UInt32.max
      var plain: Int = 0
      var size = Width()
      init() {}
    }
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ type: any PersistentModel.Type) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema([type]), configurations: ModelConfiguration(url: folder.store)))
  }

  private func make() throws {
    let context = try open(Unsigned.Item.self)
    context.insert(Unsigned.Item())
    try context.save()
  }

  @Test func aRefusalNamesTheStoredTypes() throws {
    try make()
    let error = #expect(throws: SwiftDataError.self) { try open(Signed.Item.self) }
    let text = error?.description ?? ""
    for part in [
      "Item.whole is Int, but UInt64 in the store", "Item.short is Int16, but UInt16 in the store",
      "Item.maybe is Int32?, but UInt32? in the store",
      "Item.plain is UInt8, but Int in the store",
      "with the columns width: Int8, height: Int8?, but",
      "with the columns width: UInt16, height: Int8? in the store",
    ] {
      #expect(text.contains(part), "\(part): \(text)")
    }
  }

  @Test(.sqliteOnly("the preview of a file")) func aPreviewNamesTheStoredTypes() throws {
    try make()
    let preview = try ModelContainer.migrationPreview(
      for: Schema([Smaller.Item.self]),
      configurations: [ModelConfiguration(url: folder.store)])[0].stages[0]
    let types = preview.losses.map { "\($0.property ?? ""): \($0.type)" }
    #expect(types.sorted() == ["short: UInt16", "size.height: Int8?", "whole: UInt64"])
    #expect(preview.changes.contains("Item.whole (UInt64) is removed"))
  }
}
