import SwiftSyntax

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
      .compactMap { $0 }.map(DeclSyntax.init(text:))
  }

  var name: String { model.name }

  func unlessDeclared(variable: String, _ declaration: () -> String) -> String? {
    model.declared.variables.contains(variable) ? nil : declaration()
  }

  var fixed: String { model.access.fixed }

  /// A final class has nothing that could be overridden, so nothing may be `open`.
  var overridable: String { model.isFinal ? model.access.fixed : model.access.overridable }

  /// The members that the library uses on any thread.
  var nonisolated: String { model.isOnMainActor ? "nonisolated " : "" }

  var override: String { ancestry == .root ? "" : "override " }
}
