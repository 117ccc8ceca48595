import Testing

@Suite("@Model on a subclass")
struct ModelSubclassExpansionTests {
  @Test("A subclass extends what its superclass wrote")
  func subclass() {
    let result = expandModel(
      """
      @Model class Sub: Base {
        var size: Int
        init(size: Int) { self.size = size }
      }
      """, only: ["Model"], conformances: .inherited)
    #expect(result.messages == [])
    #expect(
      result.text == #"""
        class Sub: Base {
          @_PersistedProperty(Sub._$firstSlot + 0)
          var size: Int
          init(size: Int) { self.size = size }

          @safe @exclusivity(unchecked) nonisolated(unsafe) private var _$backingData = SwiftData._ModelBacking(Sub.self)

          nonisolated override var _$storage: SwiftData._ModelStorage {
            _$backingData.unify(
              of: self, inherited: super._$storage,
              replaceInherited: { super._$replaceStorage($0) })
          }

          nonisolated override func _$replaceStorage(_ storage: SwiftData._ModelStorage) {
            _$backingData.replace(with: storage)
            super._$replaceStorage(storage)
          }

          nonisolated override class var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
            _$schemaMetadata(for: Sub.self)
          }

          nonisolated static func _$schemaMetadata<_M: Sub>(
            for _type: _M.Type
          ) -> [SwiftData.Schema.PropertyMetadata] {
            return SwiftData._withoutIsolation { @MainActor () -> [SwiftData.Schema.PropertyMetadata] in
              var _metadata: [SwiftData.Schema.PropertyMetadata] = Base._$schemaMetadata(for: _type)
              _metadata.append(SwiftData.Schema.PropertyMetadata(
              name: "size", keypath: \_M.size, defaultValue: nil,
              metadata: nil))
              return _metadata
            }
          }

          nonisolated private static let _$firstSlot: Int = Base._$descriptor.slotCount

          nonisolated private static let _$ownDescriptor = SwiftData._ModelDescriptor(Sub.self)

          nonisolated override class var _$descriptor: SwiftData._ModelDescriptor {
            _$ownDescriptor
          }

          nonisolated required init(backingData: any SwiftData.BackingData<_$RootModel>) {
            _size = _SwiftDataNoType()
            _$backingData.adopt(backingData)
            super.init(backingData: backingData)
          }

          internal nonisolated func access<_M>(keyPath: KeyPath<Sub, _M>) {
            _$backingData.access(self, keyPath: keyPath)
          }

          internal nonisolated func withMutation<_M, _MR>(
            keyPath: KeyPath<Sub, _M>, _ mutation: () throws -> _MR
          ) rethrows -> _MR {
            try _$backingData.withMutation(self, keyPath: keyPath, mutation)
          }

          nonisolated struct _SwiftDataNoType {}
        }
        """#)
  }

  @Test("A final subclass still overrides")
  func finalSubclass() {
    let text = expandModel(
      "@Model public final class Sub: Base { init() {} }", conformances: .inherited
    ).text
    #expect(text.contains("public override class var schemaMetadata"))
    #expect(text.contains("Base._$schemaMetadata(for: Sub.self)"))
    #expect(text.contains("public override class var _$descriptor"))
    #expect(text.contains("public required init(backingData:"))
    #expect(!text.contains("static func _$schemaMetadata"))
  }
}
