public import SwiftSyntax
public import SwiftSyntaxMacros
import SwiftSyntaxBuilder

extension PersistentModelMacro: ExtensionMacro {
  public static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard let model = declaration.as(ClassDeclSyntax.self) else { return [] }
    let availability = Availability(of: model.attributes, in: context.lexicalContext).text
    let missing = Set(protocols.map(\.lastName))
    var extensions: [DeclSyntax] = []
    let conformances = ["PersistentModel", "Observable", "_ManagedModel"].filter(missing.contains)
    if !conformances.isEmpty {
      // All announced conformances are written: Swift 6.3.1 crashes on a subclass if a conformance
      // of its superclass is only implied.
      let list = conformances.map { "nonisolated SwiftData.\(moduleName[$0, default: $0])" }
      extensions.append(
        "\(raw: availability)extension \(type.trimmed): \(raw: list.joined(separator: ", ")) {}")
    }
    if missing.contains("Sendable") {
      extensions.append(
        """
        \(raw: availability)@available(*, unavailable, message: "\(raw: notSendable)")
        extension \(type.trimmed): Sendable {}
        """)
    }
    return extensions.compactMap { $0.as(ExtensionDeclSyntax.self) }
  }

  /// `_Observable` is an alias, so that a model may be called `Observation`.
  private static let moduleName = ["Observable": "_Observable"]

  private static let notSendable = "models are not Sendable; pass the persistentModelID instead"
}
