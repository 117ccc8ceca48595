import SwiftSyntax

extension ModelExpansion {
  var backingData: String? {
    unlessDeclared(variable: "_$backingData") {
      """
      @safe @exclusivity(unchecked) \(unchecked)private var _$backingData = SwiftData._ModelBacking(\(name).self)
      """
    }
  }

  private var unchecked: String { model.mayBeIsolated ? "nonisolated(unsafe) " : "" }

  /// The constants, each with the source text of its slot.
  var constants: [(property: PropertyDeclaration, slot: String)] {
    model.properties.enumerated().filter(\.element.isConstant).map { index, property in
      (property, ancestry == .root ? "\(index)" : "\(name)._$firstSlot + \(index)")
    }
  }

  /// The argument that copies constants, set by the user's initialiser, to the storage.
  private var keepingConstants: String {
    if constants.isEmpty { return "" }
    let calls = constants.map { constant in
      "$0.initialize(\(name).self, \(constant.slot), to: self.\(constant.property.identifier.text))"
    }
    return ", keepingConstants: { \(calls.joined(separator: "; ")) }"
  }

  /// A subclass uses the inherited one, whose type cannot be overridden.
  var persistentBackingData: String? {
    guard ancestry == .root else { return nil }
    return unlessDeclared(variable: "persistentBackingData") {
      """
      \(nonisolated)public var persistentBackingData: any SwiftData.BackingData<\(name)> {
        get { SwiftData._ManagedBackingData<\(name)>(_$storage, of: self) }
        set { _$backingData.adopt(newValue) }
      }
      """
    }
  }

  var storage: String? {
    unlessDeclared(variable: "_$storage") {
      switch ancestry {
      case .root:
        """
        \(nonisolated)\(overridable)var _$storage: SwiftData._ModelStorage {
          _$backingData.storage(of: self\(keepingConstants))
        }
        """
      case .subclass:
        """
        \(nonisolated)\(overridable)override var _$storage: SwiftData._ModelStorage {
          _$backingData.unify(
            of: self, inherited: super._$storage,
            replaceInherited: { super._$replaceStorage($0) }\(keepingConstants))
        }
        """
      }
    }
  }

  var replaceStorage: String? {
    guard !model.declared.functions.contains("_$replaceStorage(_:)") else { return nil }
    switch ancestry {
    case .root where model.isFinal:
      return nil
    case .root:
      return """
        \(nonisolated)\(overridable)func _$replaceStorage(_ storage: SwiftData._ModelStorage) {
          _$backingData.replace(with: storage)
        }
        """
    case .subclass:
      return """
        \(nonisolated)\(overridable)override func _$replaceStorage(_ storage: SwiftData._ModelStorage) {
          _$backingData.replace(with: storage)
          super._$replaceStorage(storage)
        }
        """
    }
  }
}
