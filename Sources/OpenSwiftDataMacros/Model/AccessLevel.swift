import SwiftSyntax

/// The access level of a declaration, and the access level of its generated members.
enum AccessLevel: String {
  case `open`, `public`, `package`, `internal`, `fileprivate`, `private`

  init(of modifiers: DeclModifierListSyntax) {
    self = Self.stated(by: modifiers) ?? .internal
  }

  /// The level of a type, which is that of the extension around it if it states none.
  init(of modifiers: DeclModifierListSyntax, in lexicalContext: [Syntax]) {
    let extended = lexicalContext.first?.as(ExtensionDeclSyntax.self)
    self =
      Self.stated(by: modifiers) ?? extended.flatMap { Self.stated(by: $0.modifiers) } ?? .internal
  }

  private static func stated(by modifiers: DeclModifierListSyntax) -> AccessLevel? {
    modifiers.lazy
      .filter { $0.detail == nil }
      .compactMap { AccessLevel(rawValue: $0.name.text) }
      .first
  }

  /// For members that a subclass in another module overrides.
  var overridable: String {
    switch self {
    case .open: "open "
    default: fixed
    }
  }

  /// For members that cannot be `open`: static ones, initialisers, type aliases.
  var fixed: String {
    switch self {
    case .open, .public: "public "
    case .package: "package "
    case .internal, .fileprivate, .private: ""
    }
  }
}
