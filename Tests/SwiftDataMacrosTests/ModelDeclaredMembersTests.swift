import Foundation
import Testing

@Suite("Members the user declared")
struct ModelDeclaredMembersTests {
  @Test(
    "They are not written twice",
    arguments: [
      ("static var schemaMetadata: [Schema.PropertyMetadata] { [] }", "var schemaMetadata"),
      ("init(backingData: any BackingData<Item>) {}", "init(backingData"),
      ("var persistentBackingData: any BackingData<Item> { other }", "var persistentBackingData"),
      ("func access<M>(keyPath: KeyPath<Item, M>) {}", "func access"),
      ("func withMutation<M, R>(keyPath: K<M>, _ m: () -> R) -> R { m() }", "func withMutation"),
      ("struct _SwiftDataNoType {}", "struct _SwiftDataNoType"),
    ])
  func once(member: String, marker: String) {
    let result = expandModel("@Model final class Item { \(member); init() {} }", only: ["Model"])
    #expect(result.text.components(of: marker) == 1)
  }

  @Test("A property may be called like an observation function")
  func propertyNamedAccess() {
    let result = expandModel("@Model final class Item { var access = 1; init() {} }")
    #expect(!result.text.contains("func access"))
  }

  private let hash = "func hash(into hasher: inout Hasher) { hasher.combine(name) }"

  @Test("An equality of the class is the one that Equatable uses")
  func equality() {
    let own = "static func == (a: Item, b: Item) -> Bool { a.name == b.name }; \(hash)"
    let result = expandModel(
      "@Model public final class Item { var name = \"\"; \(own); init() {} }", only: ["Model"])
    #expect(result.messages == [])
    #expect(
      result.text.contains(
        """
          @_implements(Swift.Equatable, ==(_:_:))
          public nonisolated static func _$isEqual(_ a: Item, _ b: Item) -> Bool { a == b }
        """))
  }

  @Test(
    "The parameters may be written in several ways",
    arguments: [
      "a: Self, b: Self", "a: Shop.Item, b: Item", "a: borrowing Item, b: borrowing Shop.Item",
    ])
  func spellings(parameters: String) {
    let result = expandModel(
      """
      @Model final class Item {
        var name = ""
        static func == (\(parameters)) -> Bool { a.name == b.name }
        \(hash)
        init() {}
      }
      """, only: ["Model"])
    #expect(result.messages == [])
    #expect(result.text.contains("_$isEqual(_ a: Item, _ b: Item)"))
  }

  @Test("A conditional equality is used on the same condition")
  func conditionalEquality() {
    let result = expandModel(
      """
      @Model final class Item {
        var name = ""
        #if SHORT && !LONG
          static func == (a: Item, b: Item) -> Bool { a.name.count == b.name.count }
          \(hash)
        #elseif LONG
        #else
          static func == (a: Self, b: Self) -> Bool { a.name == b.name }
        #endif
        init() {}
      }
      """, only: ["Model"])
    #expect(result.messages == [])
    let lines = result.text.split(separator: "\n").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    let start = lines.firstIndex(of: "@_implements(Swift.Equatable, ==(_:_:))") ?? 1
    #expect(
      lines[(start - 1)...].prefix(8) == [
        "#if SHORT && !LONG",
        "@_implements(Swift.Equatable, ==(_:_:))",
        "nonisolated static func _$isEqual(_ a: Item, _ b: Item) -> Bool { a == b }",
        "#elseif LONG",
        "#else",
        "@_implements(Swift.Equatable, ==(_:_:))",
        "nonisolated static func _$isEqual(_ a: Item, _ b: Item) -> Bool { a == b }",
        "#endif",
      ])
  }

  @Test("An equality without a hash is reported")
  func equalityWithoutHash() {
    let result = expandModel(
      """
      @Model final class Item {
        var name = ""
        static func == (a: Item, b: Item) -> Bool { a.name == b.name }
        init() {}
      }
      """, only: ["Model"])
    #expect(result.messages.count == 1)
    #expect(result.messages.first?.contains("func hash(into hasher: inout Hasher)") == true)
    #expect(result.text.contains("_$isEqual"))
  }

  @Test(
    "Other operators need nothing",
    arguments: [
      "static func == (a: Item, b: String) -> Bool { a.name == b }",
      "static func == (a: inout Item, b: Item) -> Bool { true }",
      "static func != (a: Item, b: Item) -> Bool { true }",
      "func isEqual(_ other: Item) -> Bool { true }",
    ])
  func otherOperators(member: String) {
    let result = expandModel("@Model final class Item { \(member); init() {} }")
    #expect(!result.text.contains("_$isEqual"))
  }

  @Test("A conformance that exists is not stated again")
  func conformances() {
    let source = "@Model class Item: Named { init() {} }"
    let result = expandModel(source, conformances: .refined)
    #expect(result.text.contains("extension Item: nonisolated SwiftData._ManagedModel {}"))
    #expect(result.text.contains("var persistentBackingData"))
  }
}
