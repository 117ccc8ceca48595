import SwiftSyntax
import SwiftSyntaxBuilder

extension ModelExpansion {
  var backingData: DeclSyntax? {
    unlessDeclared(variable: "_$backingData") {
      """
      @exclusivity(unchecked) private var _$backingData = SwiftData._ModelBacking(\(raw: name).self)
      """
    }
  }

  /// A subclass uses the inherited one, whose type cannot be overridden.
  var persistentBackingData: DeclSyntax? {
    guard ancestry == .root else { return nil }
    return unlessDeclared(variable: "persistentBackingData") {
      """
      public var persistentBackingData: any SwiftData.BackingData<\(raw: name)> {
        get { SwiftData._ManagedBackingData<\(raw: name)>(_$storage, of: self) }
        set { _$backingData.adopt(newValue) }
      }
      """
    }
  }

  var storage: DeclSyntax? {
    unlessDeclared(variable: "_$storage") {
      switch ancestry {
      case .root:
        """
        \(raw: overridable)var _$storage: SwiftData._ModelStorage {
          _$backingData.storage(of: self)
        }
        """
      case .subclass:
        """
        \(raw: overridable)override var _$storage: SwiftData._ModelStorage {
          _$backingData.unify(
            of: self, inherited: super._$storage,
            replaceInherited: { super._$replaceStorage($0) })
        }
        """
      }
    }
  }

  var replaceStorage: DeclSyntax? {
    guard !model.declared.functions.contains("_$replaceStorage(_:)") else { return nil }
    switch ancestry {
    case .root where model.isFinal:
      return nil
    case .root:
      return """
        \(raw: overridable)func _$replaceStorage(_ storage: SwiftData._ModelStorage) {
          _$backingData.replace(with: storage)
        }
        """
    case .subclass:
      return """
        \(raw: overridable)override func _$replaceStorage(_ storage: SwiftData._ModelStorage) {
          _$backingData.replace(with: storage)
          super._$replaceStorage(storage)
        }
        """
    }
  }
}
