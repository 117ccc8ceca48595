import SwiftSyntax
import SwiftSyntaxBuilder

extension ModelExpansion {
  /// A subclass at any depth names the root's backing data in its required initialiser.
  var rootModel: DeclSyntax? {
    guard ancestry == .root, !model.isFinal else { return nil }
    return "\(raw: fixed)typealias _$RootModel = \(raw: name)"
  }

  /// See `ClassDeclSyntax.slot(of:)`.
  var firstSlot: DeclSyntax? {
    switch ancestry {
    case .subclass(let superclass):
      "private static let _$firstSlot: Int = \(raw: superclass)._$descriptor.slotCount"
    case .root where model.possibleSuperclass != nil:
      "private static var _$firstSlot: Int { 0 }"
    case .root:
      nil
    }
  }

  var ownDescriptor: DeclSyntax? {
    guard !model.isFinal || ancestry != .root else { return nil }
    return """
      private static let _$ownDescriptor = SwiftData._ModelDescriptor(\(raw: name).self)
      """
  }

  var descriptor: DeclSyntax? {
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
  var initializer: DeclSyntax? {
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

  var marker: DeclSyntax? {
    guard !model.declared.types.contains("_SwiftDataNoType") else { return nil }
    return "struct _SwiftDataNoType {}"
  }
}
