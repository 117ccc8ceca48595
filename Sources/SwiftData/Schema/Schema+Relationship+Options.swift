extension Schema.Relationship {
  /// What happens to related models when a model is deleted.
  public enum DeleteRule: String, Codable, Equatable, Hashable, Sendable {
    /// Related models keep their reference to the deleted model.
    case noAction

    /// References of related models to the deleted model are removed.
    case nullify

    /// Related models are deleted too.
    case cascade

    /// The model cannot be deleted while it has related models: the save throws.
    case deny
  }

  /// An option of `@Relationship`.
  public struct Option: Sendable {
    package enum Kind: String, Sendable, Hashable, Codable {
      case unique
    }

    package let kind: Kind

    private init(_ kind: Kind) {
      self.kind = kind
    }

    /// A model can be related to only one model of the entity.
    public static var unique: Schema.Relationship.Option { .init(.unique) }
  }
}

extension Schema.Relationship.Option: Hashable {
  /// Whether both are the same option.
  public static func == (a: Schema.Relationship.Option, b: Schema.Relationship.Option) -> Bool {
    a.kind == b.kind
  }

  /// Hashes the option.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
  }
}

extension Schema.Relationship.Option: Codable {
  /// Encodes the name of the option.
  ///
  /// - Throws: Any error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(kind)
  }

  /// Decodes an option that `encode(to:)` has encoded.
  ///
  /// - Throws: `DecodingError` if the encoded form is not valid.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(Kind.self))
  }
}

extension Schema.Relationship.Option: CustomDebugStringConvertible {
  /// The option as written in `@Relationship`.
  public var debugDescription: String { ".\(kind.rawValue)" }
}
