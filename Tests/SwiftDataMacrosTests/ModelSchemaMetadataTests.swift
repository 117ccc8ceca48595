import Testing

@Suite("Schema metadata")
struct ModelSchemaMetadataTests {
  @Test(
    "Default values take the written type",
    arguments: [
      ("var a = false", "false"),
      ("var a: Double = 0", "(0) as Double"),
      ("var a: Status = .active", "(.active) as Status"),
      ("var a: Status? = .active", "(.active) as Status?"),
      ("var a: String! = \"x\"", "(\"x\") as String?"),
      ("var a: String? = nil", "nil"),
      ("var a: [Int] = []", "([]) as [Int]"),
      ("var a = [Int]()", "[Int]()"),
      ("var a: String", "nil"),
      ("var a = if b { 1 } else { 2 }", "{ if b { 1 } else { 2 } }()"),
      (
        "var a: Int = switch b { case true: 1; case false: 2 }",
        "{ () -> Int in switch b { case true: 1; case false: 2 } }()"
      ),
    ])
  func defaultValue(property: String, value: String) {
    let text = expandModel("@Model final class Item { \(property); init() {} }").text
    #expect(text.contains(#"name: "a", keypath: \Item.a, defaultValue: \#(value),"#))
  }

  @Test(
    "Arguments are passed on as they are",
    arguments: [
      (
        "@Attribute(.unique, originalName: \"b\") var a: Int",
        "Attribute(.unique, originalName: \"b\")"
      ),
      ("@Attribute var a: Int", "Attribute()"),
      ("@SwiftData.Attribute(.unique) var a: Int", "Attribute(.unique)"),
      ("@Relationship var a: Item?", "Relationship()"),
      (
        #"@Relationship(deleteRule: .cascade, inverse: \Other.item) var a: [Other] = []"#,
        "Relationship(deleteRule: .cascade, "
          + #"inverse: SwiftData._keyPath(from: (Other).self, \.item))"#
      ),
      (
        #"@Relationship(inverse: \Outer.Other.item) var a: [Other] = []"#,
        #"Relationship(inverse: SwiftData._keyPath(from: (Outer.Other).self, \.item))"#
      ),
    ])
  func metadata(property: String, construction: String) {
    let text = expandModel("@Model final class Item { \(property); init() {} }").text
    #expect(text.contains("metadata: SwiftData.Schema.\(construction))"))
  }

  @Test("Indexes come first, then uniqueness")
  func constraints() throws {
    let text = expandModel(
      #"""
      @Model final class Item {
        #Unique<Item>([\.a])
        #Index<Item>([\.a], [\.a, \.b])
        var a: Int
        var b: Int
        init() {}
      }
      """#
    ).text
    let index = try #require(
      text.firstRange(of: #"metadata: SwiftData.Schema.Index<Item>([\.a], [\.a, \.b])))"#))
    let unique = try #require(
      text.firstRange(of: #"metadata: SwiftData.Schema.Unique<Item>([\.a])))"#))
    #expect(index.upperBound < unique.lowerBound)
  }
}
