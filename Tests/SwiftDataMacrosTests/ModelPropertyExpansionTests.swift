import Testing

@Suite("Persisted properties")
struct ModelPropertyExpansionTests {
  private static let properties: Set = [
    "Model", "_PersistedProperty", "_TransformablePersistedProperty",
  ]

  @Test("A property gets accessors over its slot and a marker")
  func accessors() {
    let result = expandModel(
      """
      class Item {
        @_PersistedProperty(2) public var name: String
      }
      """)
    let expected = #"""
      class Item {
        public var name: String {
          @storageRestrictions(accesses: _$backingData, initializes: _name)
          init(initialValue) {
        #sourceLocation(file: "Tests.swift", line: 2)
            _$backingData.initialize(Item.self, 2, to: initialValue)
        #sourceLocation()
            _name = _SwiftDataNoType()
          }
          get {
            _$backingData.access(self, 2)
            return _$backingData.get(2)
          }
          set {
            _$backingData.set(2, to: newValue, of: self)
          }
        }

        private var _name: _SwiftDataNoType
      }
      """#
    #if canImport(SwiftSyntax601)
      #expect(result.text == expected)
    #else
      // Its formatter indents accessors once more.
      #expect(result.text.withoutIndentation == expected.withoutIndentation)
    #endif
  }

  @Test("An array that may hold models is changed in place")
  func arraysOfModels() {
    let result = expandModel(
      """
      class Item {
        @_PersistedProperty(2) var parts: [Part]
        @_PersistedProperty(3) var others: [Part]?
        @_PersistedProperty(4) var names: [String]
      }
      """)
    let accessor = #"""
      _modify {
        _$backingData.access(self, 2)
        var value: [Part] = _$backingData.lend(2)
        defer { _$backingData.takeBack(2, &value, of: self) }
        yield &value
      }
      """#
    #expect(result.text.withoutIndentation.contains(accessor.withoutIndentation))
    #expect(result.text.contains("var value: [Part]? = _$backingData.lend(3)"))
    #expect(!result.text.contains("lend(4)"))
  }

  @Test("Without an argument the slot is looked up")
  func slotAtRunTime() {
    let result = expandModel("class Item { @_PersistedProperty var name: String }")
    #expect(result.text.contains(#"_$backingData.get(Item._$slot(for: \Item.name))"#))
  }

  @Test("A macro of another library stays, and its property is persisted")
  func foreignAttributes() {
    let result = expandModel(
      """
      @Model final class Item {
        @NotExport var first: Int
        @NotExport @Attribute(.unique) public var second: Int
        init() {}
      }
      """, only: Self.properties)
    #expect(result.messages == [])
    #expect(result.text.contains("@NotExport"))
    #expect(result.text.contains("_$backingData.get(1)"))
    // The other macro, or a property wrapper, may declare `_first`.
    #expect(result.text.contains("private var _$first: _SwiftDataNoType"))
    #expect(result.text.contains("_$first = _SwiftDataNoType()"))
    #expect(result.text.contains("if '@NotExport' is a property wrapper, mark 'first' @Transient"))
  }

  @Test("Slots are numbered over persisted properties alone")
  func slots() {
    let result = expandModel(
      """
      @Model final class Item {
        var first = 1
        @Transient var skipped = 2
        static var shared = 3
        var computed: Int { 4 }
        @Attribute(.unique) var second: Int
        @Attribute(.transformable(by: "Name")) var third: Int
        @Relationship var fourth: Item?
        init() {}
      }
      """, only: ["Model"])
    #expect(result.messages == [])
    #expect(result.text.contains("@_PersistedProperty(0)\n  var first"))
    #expect(result.text.contains("@_PersistedProperty(1) var second"))
    #expect(result.text.contains("@_TransformablePersistedProperty(2) var third"))
    #expect(result.text.contains("@_PersistedProperty(3) var fourth"))
    #expect(result.text.components(of: "PersistedProperty(") == 4)
  }

  @Test("Behind a possible superclass the slot is relative")
  func relativeSlots() {
    let result = expandModel(
      "@Model class Sub: Base, Codable { var size: Int; init() {} }", only: ["Model"])
    #expect(result.text.contains("@_PersistedProperty(Sub._$firstSlot + 0)"))
    #expect(result.text.contains("private static var _$firstSlot: Int { 0 }"))
  }

  @Test("Behind known protocols the slot is a constant", arguments: ["Codable", "Swift.Hashable"])
  func constantSlots(inherited: String) {
    let result = expandModel(
      "@Model class Item: \(inherited) { var size: Int; init() {} }", only: ["Model"])
    #expect(result.text.contains("@_PersistedProperty(0)"))
    #expect(!result.text.contains("_$firstSlot"))
  }

  @Test("Transformable values use their own accessors")
  func transformable() {
    let result = expandModel(
      """
      @Model final class Item {
        @Attribute(Schema.Attribute.Option.transformable(by: T.self)) var color: Color
        init() {}
      }
      """, only: Self.properties)
    #expect(result.text.contains("_$backingData.initializeTransformable(Item.self, 0, to:"))
    #expect(result.text.contains("return _$backingData.getTransformable(0)"))
    #expect(result.text.contains("_$backingData.setTransformable(0, to: newValue"))
  }

  @Test("A constant is stored in the object, and copied to the storage and from the row")
  func constants() {
    let result = expandModel(
      """
      @Model final class Item {
        var size = 1
        @Attribute(.unique) let code: String
        init(code: String) { self.code = code }
      }
      """, only: Self.properties)
    #expect(result.messages == [])
    #expect(result.text.contains("@Attribute(.unique) let code: String\n"))
    #expect(
      result.text.contains(
        "of: self, keepingConstants: { $0.initialize(Item.self, 1, to: self.code) })"))
    #expect(result.text.contains("code = _$backingData.get(1)"))
    #expect(result.text.contains(#"name: "code", keypath: \Item.code"#))
    #expect(!result.text.contains("_code"))
  }

  @Test("An overriding property with observers belongs to the superclass")
  func overriding() {
    let result = expandModel(
      "@Model class Sub: Base { override var size: Int { didSet {} }; var b: Int; init() {} }",
      only: Self.properties, conformances: .inherited)
    #expect(result.messages == [])
    #expect(result.text.contains("override var size: Int { didSet {} }"))
    #expect(!result.text.contains("_size"))
    #expect(result.text.contains("_$backingData.get(Sub._$firstSlot + 0)"))
  }

  @Test(
    "Members of a model that may be isolated, which the library uses, are not isolated",
    arguments: [
      "@MainActor @Model final class Item { var a: Int; init() {} }",
      "@Model final class Item: Identifiable, Named { var a: Int; init() {} }",
    ])
  func mainActor(source: String) {
    let result = expandModel(source, only: ["Model"])
    #expect(result.messages == [])
    for member in [
      "nonisolated(unsafe) private var _$backingData", "nonisolated public var persistentBacking",
      "nonisolated var _$storage", "nonisolated static var schemaMetadata",
      "nonisolated static let _$descriptor", "nonisolated init(backingData:",
      "SwiftData._withoutIsolation {", "nonisolated struct _SwiftDataNoType",
    ] {
      #expect(result.text.contains(member), "\(member)")
    }
  }

  @Test("A model that inherits only known protocols has no isolation")
  func notIsolated() {
    let source = "@Model final class Item: Codable, Swift.Hashable { var a: Int; init() {} }"
    let result = expandModel(source, only: ["Model"])
    #expect(!result.text.contains("nonisolated(unsafe)"))
    #expect(!result.text.contains("_withoutIsolation"))
  }

  @Test("A local class gets no members, which would not compile")
  func local() {
    let result = expandModel("func f() { @Model final class Item { var a: Int; init() {} } }")
    #expect(
      result.messages == [
        "error: @Model cannot be applied to local class 'Item'; declare it outside the function"
      ])
    #expect(!result.text.contains("_$backingData"))
  }

  @Test("Back-ticks stay where code is written and go where names are")
  func backticks() {
    let result = expandModel(
      "@Model final class Item { var `default`: Int; init() {} }", only: Self.properties)
    #expect(result.text.contains("initializes: _default)"))
    #expect(result.text.contains("private var _default: _SwiftDataNoType"))
    #expect(result.text.contains(#"name: "default", keypath: \Item.`default`"#))
  }
}
