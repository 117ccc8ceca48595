import Testing

@Suite("@Model on a root class")
struct ModelRootExpansionTests {
  @Test("An earlier name is kept by the descriptor")
  func originalName() {
    let final = expandModel(
      #"@Model(originalName: "Thing") final class Item { var a = 1; init() {} }"#, only: ["Model"])
    #expect(final.messages == [])
    #expect(
      final.text.contains(
        #"let _$descriptor = SwiftData._ModelDescriptor(Item.self, originalName: "Thing")"#))
    let open = expandModel(
      #"@Model(originalName: "Thing") open class Item { var a = 1; init() {} }"#, only: ["Model"])
    #expect(
      open.text.contains(
        #"let _$ownDescriptor = SwiftData._ModelDescriptor(Item.self, originalName: "Thing")"#))
  }

  @Test("An open class is described for its subclasses too")
  func openClass() {
    let result = expandModel(
      """
      @Model open class Item {
        public var name: String
        public init(name: String) { self.name = name }
      }
      """, only: ["Model"])
    #expect(result.messages == [])
    #expect(
      result.text == #"""
        open class Item {
          @_PersistedProperty(0)
          public var name: String
          public init(name: String) { self.name = name }

          @safe @exclusivity(unchecked) private var _$backingData = SwiftData._ModelBacking(Item.self)

          public var persistentBackingData: any SwiftData.BackingData<Item> {
            get { SwiftData._ManagedBackingData<Item>(_$storage, of: self) }
            set { _$backingData.adopt(newValue) }
          }

          open var _$storage: SwiftData._ModelStorage {
            _$backingData.storage(of: self)
          }

          open func _$replaceStorage(_ storage: SwiftData._ModelStorage) {
            _$backingData.replace(with: storage)
          }

          open class var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
            _$schemaMetadata(for: Item.self)
          }

          public static func _$schemaMetadata<_M: Item>(
            for _type: _M.Type
          ) -> [SwiftData.Schema.PropertyMetadata] {
            var _metadata: [SwiftData.Schema.PropertyMetadata] = []
            _metadata.append(SwiftData.Schema.PropertyMetadata(
              name: "name", keypath: \_M.name, defaultValue: nil,
              metadata: nil))
            return _metadata
          }

          public typealias _$RootModel = Item

          private static let _$ownDescriptor = SwiftData._ModelDescriptor(Item.self)

          open class var _$descriptor: SwiftData._ModelDescriptor {
            _$ownDescriptor
          }

          public required init(backingData: any SwiftData.BackingData<Item>) {
            _name = _SwiftDataNoType()
            _$backingData.adopt(backingData)
          }

          internal nonisolated func access<_M>(keyPath: KeyPath<Item, _M>) {
            _$backingData.access(self, keyPath: keyPath)
          }

          internal nonisolated func withMutation<_M, _MR>(
            keyPath: KeyPath<Item, _M>, _ mutation: () throws -> _MR
          ) rethrows -> _MR {
            try _$backingData.withMutation(self, keyPath: keyPath, mutation)
          }

          struct _SwiftDataNoType {}
        }

        extension Item: nonisolated SwiftData.PersistentModel, nonisolated SwiftData._Observable, nonisolated SwiftData._ManagedModel {}

        @available(*, unavailable, message: "models are not Sendable; pass the persistentModelID instead")
        extension Item: Sendable {}
        """#)
  }

  @Test("A final class has static members and nothing to override")
  func finalClass() {
    let result = expandModel(
      """
      @Model final class Item {
        var isRead = false
        init() {}
      }
      """, only: ["Model"])
    #expect(result.messages == [])
    #expect(
      result.text == #"""
        final class Item {
          @_PersistedProperty(0)
          var isRead = false
          init() {}

          @safe @exclusivity(unchecked) private var _$backingData = SwiftData._ModelBacking(Item.self)

          public var persistentBackingData: any SwiftData.BackingData<Item> {
            get { SwiftData._ManagedBackingData<Item>(_$storage, of: self) }
            set { _$backingData.adopt(newValue) }
          }

          var _$storage: SwiftData._ModelStorage {
            _$backingData.storage(of: self)
          }

          static var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
            var _metadata: [SwiftData.Schema.PropertyMetadata] = []
            _metadata.append(SwiftData.Schema.PropertyMetadata(
              name: "isRead", keypath: \Item.isRead, defaultValue: false,
              metadata: nil))
            return _metadata
          }

          static let _$descriptor = SwiftData._ModelDescriptor(Item.self)

          init(backingData: any SwiftData.BackingData<Item>) {
            _$backingData.adopt(backingData)
          }

          internal nonisolated func access<_M>(keyPath: KeyPath<Item, _M>) {
            _$backingData.access(self, keyPath: keyPath)
          }

          internal nonisolated func withMutation<_M, _MR>(
            keyPath: KeyPath<Item, _M>, _ mutation: () throws -> _MR
          ) rethrows -> _MR {
            try _$backingData.withMutation(self, keyPath: keyPath, mutation)
          }

          struct _SwiftDataNoType {}
        }

        extension Item: nonisolated SwiftData.PersistentModel, nonisolated SwiftData._Observable, nonisolated SwiftData._ManagedModel {}

        @available(*, unavailable, message: "models are not Sendable; pass the persistentModelID instead")
        extension Item: Sendable {}
        """#)
  }

  @Test("Availability is carried to the extensions")
  func availability() {
    let text = expandModel("@available(macOS 26, *) @Model final class Item { init() {} }").text
    #expect(text.components(of: "@available(macOS 26, *)\n") == 2)
  }

  @Test("A class in an unavailable scope takes that scope's availability")
  func scopeAvailability() {
    let text = expandModel(
      """
      @available(macOS 26, *) enum Version {
        @Model final class Item { init() {} }
      }
      """
    ).text
    #expect(text.contains("@available(macOS 26, *)\nextension Version.Item"))
  }

  @Test(
    "Members follow the access of the class",
    arguments: [
      ("private", ""), ("fileprivate", ""), ("internal", ""), ("package", "package "),
      ("public", "public "),
    ])
  func access(stated: String, written: String) {
    let text = expandModel("@Model \(stated) final class Item { init() {} }").text
    #expect(text.contains("\n  \(written)static let _$descriptor"))
    #expect(text.contains("\n  \(written)init(backingData:"))
  }

  @Test(
    "Members of a class without an access level follow the extension around it",
    arguments: [("", ""), ("fileprivate ", ""), ("package ", "package "), ("public ", "public ")])
  func accessOfAnExtension(stated: String, written: String) {
    func text(_ model: String) -> String {
      expandModel("\(stated)extension Version {\n  \(model)\n}").text
    }
    #expect(text("@Model final class Item {}").contains("\n    \(written)init(backingData:"))
    #expect(
      text("@Model internal final class Item {}").contains("\n    init(backingData:"))
    #expect(
      text("enum Inner { @Model final class Item {} }").contains("  init(backingData:"))
    #expect(
      text("@ModelActor actor Importer {}").contains(
        "\n    \(written)nonisolated let modelExecutor"))
  }
}
