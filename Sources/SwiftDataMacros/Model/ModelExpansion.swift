import SwiftSyntax
import SwiftSyntaxBuilder

/// Writes the members of a model. What the user declared is left out.
struct ModelExpansion {
  let model: ModelDeclaration
  let ancestry: ModelAncestry

  var members: [DeclSyntax] {
    let storage = [backingData, persistentBackingData, storage, replaceStorage]
    let schema = SchemaMetadataExpansion(model: model, ancestry: ancestry).members
    let identity = [rootModel, firstSlot, ownDescriptor, descriptor]
    let observation = [access, withMutation]
    return (storage + schema + identity + [initializer] + observation + [marker])
      .compactMap { $0 }
  }

  var name: String { model.name }

  func unlessDeclared(variable: String, _ declaration: () -> DeclSyntax) -> DeclSyntax? {
    model.declared.variables.contains(variable) ? nil : declaration()
  }
}

// MARK: - Storage

extension ModelExpansion {
  private var backingData: DeclSyntax? {
    unlessDeclared(variable: "_$backingData") {
      "private var _$backingData = SwiftData._ModelBacking()"
    }
  }

  /// A subclass uses the inherited one, whose type cannot be overridden.
  private var persistentBackingData: DeclSyntax? {
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

  private var storage: DeclSyntax? {
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

  private var replaceStorage: DeclSyntax? {
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

// MARK: - Identity

extension ModelExpansion {
  /// A subclass at any depth names the root's backing data in its required initialiser.
  private var rootModel: DeclSyntax? {
    guard ancestry == .root, !model.isFinal else { return nil }
    return "\(raw: fixed)typealias _$RootModel = \(raw: name)"
  }

  /// See `ClassDeclSyntax.slot(of:)`.
  private var firstSlot: DeclSyntax? {
    switch ancestry {
    case .subclass(let superclass):
      "private static let _$firstSlot: Int = \(raw: superclass)._$descriptor.slotCount"
    case .root where model.possibleSuperclass != nil:
      "private static var _$firstSlot: Int { 0 }"
    case .root:
      nil
    }
  }

  private var ownDescriptor: DeclSyntax? {
    guard !model.isFinal || ancestry != .root else { return nil }
    return """
      private static let _$ownDescriptor = SwiftData._ModelDescriptor(\(raw: name).self)
      """
  }

  private var descriptor: DeclSyntax? {
    unlessDeclared(variable: "_$descriptor") {
      if ancestry == .root, model.isFinal {
        "\(raw: fixed)static let _$descriptor = SwiftData._ModelDescriptor(\(raw: name).self)"
      } else {
        """
        \(raw: overridable)\(raw: override)class var _$descriptor: SwiftData._ModelDescriptor {
          _$ownDescriptor
        }
        """
      }
    }
  }

  /// Properties with a value of their own are set before the body runs.
  private var initializer: DeclSyntax? {
    guard !model.declared.hasBackingDataInitializer else { return nil }
    let keyword = ancestry == .root && model.isFinal ? "" : "required "
    let backed = ancestry == .root ? name : "_$RootModel"
    var body = model.properties.filter { $0.initialValue == nil }
      .map { "\($0.markerName) = _SwiftDataNoType()" }
    body.append("_$backingData.adopt(backingData)")
    if ancestry != .root { body.append("super.init(backingData: backingData)") }
    return """
      \(raw: fixed)\(raw: keyword)init(backingData: any SwiftData.BackingData<\(raw: backed)>) {
        \(raw: body.joined(separator: "\n  "))
      }
      """
  }

  private var marker: DeclSyntax? {
    guard !model.declared.types.contains("_SwiftDataNoType") else { return nil }
    return "struct _SwiftDataNoType {}"
  }
}

// MARK: - Observation

extension ModelExpansion {
  private var access: DeclSyntax? {
    guard !model.declared.functions.contains("access(keyPath:)") else { return nil }
    return unlessDeclared(variable: "access") {
      """
      internal nonisolated func access<_M>(keyPath: KeyPath<\(raw: name), _M>) {
        _$backingData.access(self, keyPath: keyPath)
      }
      """
    }
  }

  private var withMutation: DeclSyntax? {
    guard !model.declared.functions.contains("withMutation(keyPath:_:)") else { return nil }
    return unlessDeclared(variable: "withMutation") {
      """
      internal nonisolated func withMutation<_M, _MR>(
        keyPath: KeyPath<\(raw: name), _M>, _ mutation: () throws -> _MR
      ) rethrows -> _MR {
        try _$backingData.withMutation(self, keyPath: keyPath, mutation)
      }
      """
    }
  }
}

// MARK: - Modifiers

extension ModelExpansion {
  private var fixed: String { model.access.fixed }
  /// A final class has nothing that could be overridden, so nothing may be `open`.
  private var overridable: String { model.isFinal ? model.access.fixed : model.access.overridable }
  private var override: String { ancestry == .root ? "" : "override " }
}
