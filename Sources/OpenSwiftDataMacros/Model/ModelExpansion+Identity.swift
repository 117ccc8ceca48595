import SwiftSyntax

extension ModelExpansion {
  /// The required initialiser of a subclass at any depth takes the root's backing data.
  var rootModel: String? {
    guard ancestry == .root, !model.isFinal else { return nil }
    return "\(fixed)typealias _$RootModel = \(name)"
  }

  /// The number of the first slot of this class; see `ClassDeclSyntax.slot(of:)`.
  var firstSlot: String? {
    switch ancestry {
    case .subclass(let superclass):
      "\(nonisolated)private static let _$firstSlot: Int = \(superclass)._$descriptor.slotCount"
    case .root where model.possibleSuperclass != nil:
      "\(nonisolated)private static var _$firstSlot: Int { 0 }"
    case .root:
      nil
    }
  }

  var ownDescriptor: String? {
    guard !model.isFinal || ancestry != .root else { return nil }
    return """
      \(nonisolated)private static let _$ownDescriptor = \(newDescriptor)
      """
  }

  var descriptor: String? {
    unlessDeclared(variable: "_$descriptor") {
      if ancestry == .root, model.isFinal {
        "\(nonisolated)\(fixed)static let _$descriptor = \(newDescriptor)"
      } else {
        """
        \(nonisolated)\(overridable)\(override)class var _$descriptor: SwiftData._ModelDescriptor {
          _$ownDescriptor
        }
        """
      }
    }
  }

  private var newDescriptor: String {
    let originalName = model.originalName.map { ", originalName: \($0.trimmedDescription)" } ?? ""
    return "SwiftData._ModelDescriptor(\(name).self\(originalName))"
  }

  /// Properties with default values are set before the body runs; constants are read from the row.
  var initializer: String? {
    guard !model.declared.hasBackingDataInitializer else { return nil }
    let keyword = ancestry == .root && model.isFinal ? "" : "required "
    let backed = ancestry == .root ? name : "_$RootModel"
    var body = model.properties.filter { $0.initialValue == nil && !$0.isConstant }
      .map { "\($0.markerName) = _SwiftDataNoType()" }
    body.append("_$backingData.adopt(backingData)")
    body += constants.map { "\($0.property.identifier.text) = _$backingData.get(\($0.slot))" }
    if ancestry != .root { body.append("super.init(backingData: backingData)") }
    return """
      \(nonisolated)\(fixed)\(keyword)init(backingData: any SwiftData.BackingData<\(backed)>) {
        \(body.joined(separator: "\n  "))
      }
      """
  }

  /// Names the class's own `==` for `Equatable`. In the extension of a macro, Swift 6.3.1 does not
  /// choose between it and that of `PersistentModel`.
  var equality: String? {
    guard !model.equalities.isEmpty, ancestry == .root else { return nil }
    return witness(of: model.equalities).joined(separator: "\n")
  }

  /// On the conditions on which the class has the operators.
  private func witness(of equalities: [EqualityDeclaration]) -> [String] {
    equalities.flatMap { equality in
      switch equality {
      case .always:
        [
          "@_implements(Swift.Equatable, ==(_:_:))",
          "\(fixed)nonisolated static func _$isEqual(_ a: \(name), _ b: \(name)) -> Bool { a == b }",
        ]
      case .conditional(let clauses):
        clauses.flatMap { [$0.directive] + witness(of: $0.equalities) } + ["#endif"]
      }
    }
  }

  var marker: String? {
    guard !model.declared.types.contains("_SwiftDataNoType") else { return nil }
    return "\(nonisolated)struct _SwiftDataNoType {}"
  }
}
