import SwiftSyntax

/// The access level of a declaration, and the access level of its generated members.
enum AccessLevel: String {
  case `open`, `public`, `package`, `internal`, `fileprivate`, `private`

  init(of modifiers: DeclModifierListSyntax) {
    let stated = modifiers.lazy
      .filter { $0.detail == nil }
      .compactMap { AccessLevel(rawValue: $0.name.text) }
      .first
    self = stated ?? .internal
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
