import Testing

@Suite("Fix-its of models")
struct ModelFixItTests {
  @Test(arguments: [
    ("let a = 1", "var a = 1"),
    ("lazy var a = 1", "@Transient lazy var a = 1"),
    ("@ObservationIgnored var a = 1", "@Transient var a = 1"),
    ("@Attribute(.unique, .unique) var a = 1", "@Attribute(.unique) var a = 1"),
    (
      "@Attribute(.unique, .spotlight, .unique, originalName: \"b\") var a = 1",
      "@Attribute(.unique, .spotlight, originalName: \"b\") var a = 1"
    ),
    ("@Attribute(.unique, .ephemeral) var a = 1", "@Attribute(.ephemeral) var a = 1"),
    ("@Attribute(.ephemeral, .unique) var a = 1", "@Attribute(.ephemeral) var a = 1"),
    ("@Attribute var a: Int { 1 }", "var a: Int { 1 }"),
    ("@Attribute @Transient var a = 1", "@Attribute var a = 1"),
    ("var a = 1, b = 2", "var a = 1\n  var b = 2"),
    ("var isDeleted = false", "@Attribute(originalName: \"isDeleted\") var isRemoved = false"),
    (
      "public var modelContext: Int?",
      "@Attribute(originalName: \"modelContext\") public var context: Int?"
    ),
    ("var a, b: Int", "var a: Int\n  var b: Int"),
  ])
  func body(source: String, fixed: String) {
    func model(_ body: String) -> String {
      "@Model final class Item {\n  \(body)\n  init() {}\n}"
    }
    #expect(expandModel(model(source)).fixed == model(fixed))
  }

  @Test("A missing initializer is written with the properties that need a value")
  func initializer() {
    let result = expandModel(
      """
      @Model public final class Item {
        var name: String
        var count = 1
        var note: String?
      }
      """)
    #expect(
      result.fixed == """
        @Model public final class Item {
          var name: String
          var count = 1
          var note: String?

          public init(name: String) {
            self.name = name
          }
        }
        """)
  }
}
