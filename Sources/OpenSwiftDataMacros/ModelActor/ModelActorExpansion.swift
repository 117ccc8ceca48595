import SwiftSyntax
import SwiftSyntaxBuilder

/// Generates the members of a model actor, except those that the user declares.
struct ModelActorExpansion {
  private let access: String
  private let declared: DeclaredMembers
  private let declaresContainerInitializer: Bool
  /// The first stored property that a generated initialiser could not set.
  let uninitialized: PatternSyntax?

  init(_ node: ActorDeclSyntax, in lexicalContext: [Syntax]) {
    let members = node.memberBlock.members.map(\.decl)
    access = AccessLevel(of: node.modifiers, in: lexicalContext).fixed
    declared = DeclaredMembers(members)
    declaresContainerInitializer = members.lazy
      .compactMap { $0.as(InitializerDeclSyntax.self) }
      .contains { $0.labels == ["modelContainer"] }
    uninitialized = members.lazy.compactMap { $0.as(VariableDeclSyntax.self) }
      .compactMap(\.firstUninitialized)
      .first { !["modelExecutor", "modelContainer"].contains($0.trimmedDescription) }
  }

  /// The actor has no initialiser, and `uninitialized` has no default value.
  var lacksInitializer: Bool { uninitialized != nil && !declared.hasInitializer }

  var members: [DeclSyntax] {
    [executor, container, initializer].compactMap { $0 }
  }

  private var executor: DeclSyntax? {
    guard !declared.variables.contains("modelExecutor") else { return nil }
    return "\(raw: access)nonisolated let modelExecutor: any SwiftData.ModelExecutor"
  }

  private var container: DeclSyntax? {
    guard !declared.variables.contains("modelContainer") else { return nil }
    return "\(raw: access)nonisolated let modelContainer: SwiftData.ModelContainer"
  }

  private var initializer: DeclSyntax? {
    guard !declaresContainerInitializer, uninitialized == nil else { return nil }
    return """
      \(raw: access)init(modelContainer: SwiftData.ModelContainer) {
        let modelContext = SwiftData.ModelContext(modelContainer)
        self.modelExecutor = SwiftData.DefaultSerialModelExecutor(modelContext: modelContext)
        self.modelContainer = modelContainer
      }
      """
  }
}

extension VariableDeclSyntax {
  /// A stored instance property that every initialiser must set.
  fileprivate var firstUninitialized: PatternSyntax? {
    guard !isStatic, !modifiers.has(.lazy) else { return nil }
    let type = bindings.last?.typeAnnotation?.type
    let isVariable = bindingSpecifier.tokenKind == .keyword(.var)
    return bindings.first { binding in
      let isOptional = (binding.typeAnnotation?.type ?? type)?.isOptional ?? false
      return !binding.isComputed && binding.initializer == nil && !(isVariable && isOptional)
    }?.pattern
  }
}
