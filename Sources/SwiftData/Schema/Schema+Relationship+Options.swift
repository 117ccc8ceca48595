extension Schema.Relationship {
  /// What happens to the models at the other end of a relationship when a model is deleted.
  public enum DeleteRule: String, Codable, Equatable, Hashable, Sendable {
    /// They keep pointing at the deleted model.
    case noAction

    /// They forget the deleted model.
    case nullify

    /// They are deleted too.
    case cascade

    /// The model is not deleted while there are any.
    case deny
  }

  /// One thing that `@Relationship` says about a property beside its delete rule.
  public struct Option: Sendable {
    package enum Kind: String, Sendable, Hashable, Codable {
      case unique
    }

    package let kind: Kind

    private init(_ kind: Kind) {
      self.kind = kind
    }

    /// No two models of the entity lead to the same model.
    public static var unique: Schema.Relationship.Option { .init(.unique) }
  }
}

extension Schema.Relationship.Option: Hashable {
  /// Whether both options are of one kind.
  public static func == (a: Schema.Relationship.Option, b: Schema.Relationship.Option) -> Bool {
    a.kind == b.kind
  }

  /// Hashes the kind.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
  }
}

extension Schema.Relationship.Option: Codable {
  /// Encodes the name of the option.
  ///
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(kind)
  }

  /// Decodes what `encode(to:)` wrote.
  ///
  /// - Throws: `DecodingError` when the encoded form is another one.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(Kind.self))
  }
}

extension Schema.Relationship.Option: CustomDebugStringConvertible {
  /// The option as it is written in `@Relationship`.
  public var debugDescription: String { ".\(kind.rawValue)" }
}
