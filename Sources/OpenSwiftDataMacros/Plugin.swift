import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct SwiftDataPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    PersistentModelMacro.self,
    PersistedPropertyMacro.self,
    TransformablePersistedPropertyMacro.self,
    AttributePropertyMacro.self,
    RelationshipPropertyMacro.self,
    TransientPropertyMacro.self,
    UniqueConstraintsMacro.self,
    IndexMacro.self,
    PersistentModelActorMacro.self,
    QueryMacro.self,
    PredicateExpansion.self,
    ExpressionExpansion.self,
  ]
}
