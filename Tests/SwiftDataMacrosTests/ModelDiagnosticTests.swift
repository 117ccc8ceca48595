import Testing

@Suite("Diagnostics of models")
struct ModelDiagnosticTests {
  /// What stands in the body of a class `Item`, and what is said about it.
  @Test(arguments: bodies)
  func body(source: String, message: String) {
    let result = expandModel("@Model final class Item { \(source); init() {} }")
    #expect(result.messages == [message])
  }

  @Test(arguments: ["name", #""\(1)""#, #""""#, #""a" + "b""#])
  func originalNameThatIsNoText(_ argument: String) {
    let result = expandModel(
      "@Model(originalName: \(argument)) final class Item { init() {} }", only: ["Model"])
    #expect(
      result.messages == [
        "error: @Model requires 'originalName' of 'Item' to be a string literal: the former name of the class"
      ])
  }

  @Test func aPropertyWithARawIdentifierIsNotExpanded() {
    let result = expandModel(
      "@Model final class Item { var `a b` = 1; var `class` = 2; init() {} }")
    #expect(result.messages == [Self.rawIdentifier("a b")])
    #expect(!result.text.contains("_a b") && !result.text.contains("\"a b\""))
    #expect(result.text.contains("private var _class: _SwiftDataNoType"))
  }

  private static func rawIdentifier(_ name: String) -> String {
    "error: @Model cannot persist a property named '\(name)', because stores have no such names; use letters, digits "
      + "and underscores, or mark it @Transient"
  }

  private static func conditional(_ macro: String, of owner: String) -> String {
    "error: @Model cannot tell whether '\(macro)' of '\(owner)' inside '#if' is compiled; move it out, or use the "
      + "condition 'canImport(SwiftData)'"
  }

  @Test func attributesWhereSwiftDataCanBeImportedAreRead() {
    let source = """
      @Model final class Item {
        #if canImport(SwiftData)
        #Unique<Item>([\\.b])
        #endif
        #if canImport(SwiftData)
        @Attribute(.unique)
        #endif
        var a = 1
        #if !canImport(SwiftData)
        @Transient
        #else
        @Attribute(originalName: "old")
        #endif
        var b = 2
        #if canImport(SwiftData)
        @Transient
        #else
        @Attribute(.unique)
        #endif
        var c = 3
        #if DEBUG
        init() {}
        #else
        init(a: Int) {}
        #endif
      }
      """
    let result = expandModel(source, only: ["Model"])
    #expect(result.messages == [])
    #expect(result.text.contains("metadata: SwiftData.Schema.Attribute(.unique)"))
    #expect(result.text.contains(#"metadata: SwiftData.Schema.Attribute(originalName: "old")"#))
    #expect(result.text.contains("SwiftData.Schema.Unique<Item>"))
    #expect(!result.text.contains(#"name: "c""#))
  }

  @Test func aModelInsideAConditionHasMarkers() {
    let result = expandModel(
      "#if DEBUG\n@Model\n#endif\nfinal class Item { @Relationship var a: Item?; init() {} }")
    #expect(result.messages == [])
  }

  private static let bodies: [(String, String)] = [
    (
      "let a = 1",
      "error: @Model cannot restore constant 'a', because its declaration sets the value; declare it with "
        + "'var', or set it in the initializer"
    ),
    (
      "lazy var a = 1",
      "error: @Model cannot persist lazy property 'a'; remove 'lazy' or mark it @Transient"
    ),
    (
      "unowned var a: Item",
      "error: @Model cannot persist unowned property 'a'; remove 'unowned' or mark it @Transient"
    ),
    (
      "@ObservationIgnored var a = 1",
      "error: persisted property 'a' is always observed; mark it @Transient instead of @ObservationIgnored"
    ),
    (
      "@Published var a = 1",
      "error: @Model cannot persist property 'a' with property wrapper '@Published'; mark it "
        + "@Transient, or persist the wrapped value in a property without it"
    ),
    (
      "@Combine.Published var a = 1",
      "error: @Model cannot persist property 'a' with property wrapper '@Published'; mark it "
        + "@Transient, or persist the wrapped value in a property without it"
    ),
    (
      "var isDeleted = false",
      "error: @Model cannot persist a property named 'isDeleted', which hides 'isDeleted' of "
        + "PersistentModel; give it another name, and keep stored values with "
        + "@Attribute(originalName: \"isDeleted\")"
    ),
    ("var `hello world` = 1", rawIdentifier("hello world")),
    ("var `a.b`: Int", rawIdentifier("a.b")),
    (#"@Attribute(.unique) var `a"b`: Int"#, rawIdentifier(#"a"b"#)),
    (
      "var persistentModelID: Int",
      "error: @Model cannot persist a property named 'persistentModelID', which hides "
        + "'persistentModelID' of PersistentModel; give it another name, and keep stored values with "
        + "@Attribute(originalName: \"persistentModelID\")"
    ),
    (
      #"#Unique<Other>([\.a]); var a: Int"#,
      "error: #Unique<Other> has no effect inside 'Item'; write it in 'Other'"
    ),
    (
      #"#Index<Item>([\.a?.name]); @Relationship var a: Item?"#,
      "error: #Index cannot follow relationship 'a' of 'Item'; name a property of 'Item'"
    ),
    (
      #"#Unique<Item>([\.a]); @Attribute(.transformable(by: "T")) var a: Int"#,
      "error: #Unique cannot cover transformable property 'a'; its stored form has no order"
    ),
    ("var a = 1 { didSet { f() } }", "warning: observers of persisted property 'a' are not called"),
    (
      "var a = 1, b = 2",
      "error: @Model requires a separate declaration for each of 'a', 'b'"
    ),
    (
      "var (a, b) = (1, 2)", "error: @Model cannot persist properties declared with a tuple pattern"
    ),
    ("var a", "error: @Model requires persisted property 'a' to have a type or a default value"),
    (
      "\n#if DEBUG\nvar a = 1\n#endif\n",
      "error: @Model cannot persist property 'a' inside '#if'; move it out or mark it @Transient"
    ),
    (
      "\n#if DEBUG\n@Attribute(.unique)\n#endif\nvar a = 1",
      conditional("@Attribute", of: "a")
    ),
    (
      "\n#if canImport(SwiftUI)\n#else\n@Transient\n#endif\nvar a = 1",
      conditional("@Transient", of: "a")
    ),
    (
      "\n#if os(Linux)\n#Unique<Item>([\\.a])\n#endif\nvar a = 1",
      conditional("#Unique", of: "Item")
    ),
    (
      "var a: Int??",
      "error: @Model cannot persist nested optional 'a'; a column stores only one level of nil"
    ),
    (
      "var a: Optional<Int?> = nil",
      "error: @Model cannot persist nested optional 'a'; a column stores only one level of nil"
    ),
    (
      "@Transient var a: Int",
      "error: @Transient requires non-optional property 'a' to have a default value"
    ),
    (
      "@Attribute(.unique) var a: Int { 1 }",
      "error: @Attribute cannot be applied to computed property 'a'"
    ),
    (
      "@Relationship static var a: Item?",
      "error: @Relationship cannot be applied to static property 'a'"
    ),
    (
      "@Attribute @Relationship var a: Item?",
      "error: @Attribute and @Relationship cannot be combined on property 'a'"
    ),
    (
      "@Attribute @Transient var a = 1",
      "error: @Attribute and @Transient cannot be combined on property 'a'"
    ),
    ("@Attribute @Attribute var a = 1", "error: @Attribute is repeated on property 'a'"),
    (
      "@Attribute(.unique, .spotlight, .unique) var a = 1",
      "error: option 'unique' is repeated on property 'a'"
    ),
    (
      "@Attribute(.unique, .ephemeral) var a = 1",
      "error: options 'unique' and 'ephemeral' cannot be combined on property 'a': an ephemeral value is "
        + "not stored, so no store can compare it"
    ),
    (
      "@Relationship var a: String",
      "error: @Relationship requires 'a' to hold a model or models; 'String' is not a model"
    ),
    (
      "@Relationship var a: [Int]?",
      "error: @Relationship requires 'a' to hold a model or models; '[Int]?' is not a model"
    ),
    (
      #"@Relationship(inverse: \Item.b) var a: Item?"#,
      "error: inverse 'b' is not a persisted property of 'Item'"
    ),
    (#"#Index<Item>([\.b])"#, "note: #Index names 'b', which is not a property of 'Item'"),
    (
      #"#Unique<Item>([\.b]); var b: Int { 1 }"#,
      "error: #Unique names 'b', which 'Item' does not persist"
    ),
  ]

  @Test(
    "What is right is let through",
    arguments: [
      "@Transient let a = 1", "@Transient var a: Int?", "@Transient lazy var a = 1",
      "@Transient weak var a: Item?", "static let a = 1", "var a: Int { 1 }",
      "private(set) var a = 1", "let a: Int", "@Attribute(.unique) let a: Int", "weak var a: Item?",
      "@Library.Coded var a = 1", "@NotExport var a = 1", "@Clamped(0...9) var a = 1",
      "@Relationship(.unique) var a: String", "var a = 1 { didSet {} }", "var id = 1",
      "var isDeleted: Bool { true }", "static var isDeleted = true", "@DatabaseActor var a = 1",
      "@Transient @Clamped var a = 1",
      #"#Unique<Module.Item>([\.a]); var a: Int"#, #"#Unique([\.a.b]); var a: Size"#,
      "var a: Optional<Int>", "@Transient var a = 1 { didSet {} }",
      #"@Relationship(inverse: \Other.missing) var a: Item?"#,
      #"@Relationship(inverse: \Item.b) var a: Item?; var b: Item?"#,
      #"#Index<Item>([\.a], [\.a, \.b]); var a: Int; var b: Int"#,
    ])
  func silence(source: String) {
    #expect(expandModel("@Model final class Item { \(source); init() {} }").messages == [])
  }

  @Test(arguments: declarations)
  func declaration(source: String, messages: [String]) {
    #expect(expandModel(source).messages == messages)
  }

  private static let declarations: [(String, [String])] = [
    ("@Model struct Item {}", ["error: '@Model' cannot be applied to struct type 'Item'"]),
    ("@Model actor Item {}", ["error: '@Model' cannot be applied to actor type 'Item'"]),
    ("@Model enum Item {}", ["error: '@Model' cannot be applied to enum type 'Item'"]),
    ("@Model protocol Item {}", ["error: '@Model' cannot be applied to protocol type 'Item'"]),
    (
      "@Model class Item { var a = 1 }",
      ["error: @Model requires an initializer be provided for 'Item'"]
    ),
    (
      "@Model class Item<T> { init() {} }",
      ["error: @Model cannot be applied to generic class 'Item'"]
    ),
    ("@MainActor @Model class Item { init() {} }", []),
    (#"@Model class Sub: Base { #Index<Base>([\.inherited]); init() {} }"#, []),
    (#"@Model class Sub: Base { #Index<Sub>([\.inherited]); init() {} }"#, []),
    (
      "struct Item { @Attribute(.unique) var a: Int }",
      ["warning: @Attribute has no effect outside a class with @Model"]
    ),
    (
      #"class Item { #Unique<Item>([\.a]) }"#,
      ["warning: #Unique has no effect outside the body of a class with @Model"]
    ),
    ("@ModelActor class Item {}", ["error: '@ModelActor' cannot be applied to class type 'Item'"]),
    (
      "@ModelActor actor Item { let a: Int }",
      ["error: @ModelActor requires 'a' to have a default value or 'Item' to have an initializer"]
    ),
  ]
}
