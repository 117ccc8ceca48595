import SwiftSyntax

/// Generates the members of a model, except those that the user declares.
struct ModelExpansion {
  let model: ModelDeclaration
  let ancestry: ModelAncestry

  var members: [DeclSyntax] {
    let storage = [backingData, persistentBackingData, storage, replaceStorage]
    let schema = SchemaMetadataExpansion(model: model, ancestry: ancestry).members
    let identity = [rootModel, firstSlot, ownDescriptor, descriptor]
    let observation = [access, withMutation]
    return (storage + schema + identity + [initializer] + observation + [equality, marker])
      .compactMap { $0 }.map(DeclSyntax.init(text:))
  }

  var name: String { model.name }

  func unlessDeclared(variable: String, _ declaration: () -> String) -> String? {
    model.declared.variables.contains(variable) ? nil : declaration()
  }

  var fixed: String { model.access.fixed }

  /// Members of a final class cannot be overridden, so they cannot be `open`.
  var overridable: String { model.isFinal ? model.access.fixed : model.access.overridable }

  /// For members that the library uses on any thread.
  var nonisolated: String { model.mayBeIsolated ? "nonisolated " : "" }

  var override: String { ancestry == .root ? "" : "override " }
}
