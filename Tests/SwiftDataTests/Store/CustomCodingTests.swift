import Foundation
import SwiftData
import Testing

/// Values whose types have an `init(from:)` or `encode(to:)` of their own, read by another container.
@Suite(.databases) struct CustomCodingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func context<M: PersistentModel>(_ type: M.Type) throws -> ModelContext {
    ModelContext(
      try ModelContainer(for: type, configurations: ModelConfiguration(url: folder.store)))
  }

  /// The model as another container reads it.
  private func stored<M: PersistentModel>(_ model: M) throws -> M {
    let context = try context(M.self)
    context.insert(model)
    try context.save()
    let found = try self.context(M.self).fetch(FetchDescriptor<M>())
    #expect(found.count == 1)
    return try #require(found.first)
  }

  // MARK: An older form that is a single value

  struct Tag: Codable, Equatable {
    var name: String
    var color: String

    init(name: String, color: String) { (self.name, self.color) = (name, color) }

    enum CodingKeys: CodingKey { case name, color }

    init(from decoder: any Decoder) throws {
      if let name = try? decoder.singleValueContainer().decode(String.self) {
        (self.name, color) = (name, "red")
      } else {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        color = try container.decode(String.self, forKey: .color)
      }
    }
  }

  struct Tagged: Codable, Equatable {
    var tag: Tag
    var other: Tag?
  }

  @Model final class Labelled {
    var tag: Tag?
    var tagged = Tagged(tag: Tag(name: "a", color: "b"), other: nil)

    init() {}
  }

  @Test func aStructThatAlsoDecodesASingleValueIsRead() throws {
    let model = Labelled()
    model.tag = Tag(name: "sea", color: "blue")
    model.tagged.other = Tag(name: "wood", color: "green")
    let found = try stored(model)
    #expect(found.tag == Tag(name: "sea", color: "blue"))
    #expect(
      found.tagged
        == Tagged(tag: Tag(name: "a", color: "b"), other: Tag(name: "wood", color: "green")))
  }
}
