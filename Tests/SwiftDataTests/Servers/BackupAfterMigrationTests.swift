import Foundation
import SwiftData
import Testing

/// A container makes a backup after another one, as in another process, has migrated its store: the copy is the whole
/// new version.
@Suite struct BackupAfterMigrationTests {
  enum V1 {
    @Model final class Item {
      var code: String
      @Attribute(.externalStorage) var image: Data?

      init(_ code: String) { self.code = code }
    }

    @Model final class Tag {
      var name: String

      init(_ name: String) { self.name = name }
    }
  }

  enum V2 {
    @Model final class Item {
      var code: String
      var extra: String?
      @Attribute(.externalStorage) var image: Data?
      @Attribute(.externalStorage) var sound: Data?

      init(_ code: String) { self.code = code }
    }
  }

  /// The first version without values in files.
  enum Plain {
    @Model final class Item {
      var code: String

      init(_ code: String) { self.code = code }
    }
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(
    _ types: any PersistentModel.Type..., at url: URL? = nil
  ) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(types), configurations: ModelConfiguration(url: url ?? folder.store))
  }

  private func bytes(_ byte: UInt8) -> Data { Data(repeating: byte, count: 300_000) }

  private func expectNewVersion(_ summary: BackupSummary, image: UInt8?) throws {
    #expect(summary.missingValueCount == 0 && summary.externalValueCount == (image == nil ? 1 : 2))
    #expect(summary.rowCounts["ZITEM"] == 1 && summary.rowCounts["ZTAG"] == nil)
    let copy = ModelContext(try open(V2.Item.self, at: summary.url))
    let item = try #require(try copy.fetch(FetchDescriptor<V2.Item>()).first)
    #expect(item.code == "a" && item.extra == "new")
    #expect(item.image == image.map(bytes) && item.sound == bytes(2))
  }

  /// Other processes replace the values while the copy is made.
  private func backUp(
    _ container: ModelContainer, replacingIn newer: ModelContainer
  ) async throws -> BackupSummary {
    try await container.backup(to: folder.url.appending(path: "copy.store")) { [self] _ in
      do {
        let context = ModelContext(newer)
        let item = try #require(try context.fetch(FetchDescriptor<V2.Item>()).first)
        (item.extra, item.image, item.sound) = ("late", bytes(8), bytes(9))
        try context.save()
      } catch {
        Issue.record(error)
      }
    }
  }

  private func migrate() throws -> ModelContainer {
    let newer = try open(V2.Item.self)
    let context = ModelContext(newer)
    let item = try #require(try context.fetch(FetchDescriptor<V2.Item>()).first)
    (item.extra, item.sound) = ("new", bytes(2))
    try context.save()
    return newer
  }

  @Test func ofAStoreWithValuesInFiles() async throws {
    let container = try open(V1.Item.self, V1.Tag.self)
    let context = ModelContext(container)
    let item = V1.Item("a")
    item.image = bytes(1)
    context.insert(item)
    try context.save()
    let newer = try migrate()
    try expectNewVersion(try await backUp(container, replacingIn: newer), image: 1)
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContext(container).fetch(FetchDescriptor<V1.Item>())
    }
    #expect(error?.reason == .schemaMismatch)
  }

  @Test func ofAStoreThatGetsValuesInFiles() async throws {
    let container = try open(Plain.Item.self)
    let context = ModelContext(container)
    context.insert(Plain.Item("a"))
    try context.save()
    let newer = try migrate()
    try expectNewVersion(try await backUp(container, replacingIn: newer), image: nil)
  }
}
