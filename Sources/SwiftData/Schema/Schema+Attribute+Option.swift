import Foundation

extension Schema.Attribute {
  /// An option of `@Attribute`.
  public struct Option: Sendable {
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
      case unique, transformable, externalStorage, allowsCloudEncryption, preserveValueOnDeletion
      case ephemeral, spotlight, codable
    }

    package let kind: Kind
    package let transformerName: String?

    private init(_ kind: Kind, transformerName: String? = nil) {
      self.kind = kind
      self.transformerName = transformerName
    }
  }
}

extension Schema.Attribute.Option {
  /// Values are unique in the entity. Saving a new model with a stored model's value updates that
  /// model.
  public static var unique: Schema.Attribute.Option { .init(.unique) }

  /// Values are stored in the form that a value transformer of this type makes.
  public static func transformable(
    by transformerType: ValueTransformer.Type
  ) -> Schema.Attribute.Option {
    .init(.transformable, transformerName: ValueTransformer.name(registering: transformerType))
  }

  /// Values are stored in the form that the transformer registered under this name makes.
  public static func transformable(by transformerName: String) -> Schema.Attribute.Option {
    .init(.transformable, transformerName: transformerName)
  }

  /// Values over 128 KiB are stored in files beside the store: data, texts, encoded and transformed
  /// ones.
  ///
  /// Each read of the property reads the file, and the model does not keep the value. A fetch opens
  /// no file. A save synchronises each value with the disk before it commits, which costs three to
  /// five flushes.
  public static var externalStorage: Schema.Attribute.Option { .init(.externalStorage) }

  /// Has no effect; for source compatibility. There is no cloud database.
  public static var allowsCloudEncryption: Schema.Attribute.Option {
    .init(.allowsCloudEncryption)
  }

  /// The history keeps the last value of a deleted model.
  public static var preserveValueOnDeletion: Schema.Attribute.Option {
    .init(.preserveValueOnDeletion)
  }

  /// Changes of the value are tracked, but not saved.
  public static var ephemeral: Schema.Attribute.Option { .init(.ephemeral) }

  /// Has no effect; for source compatibility. There is no Spotlight index.
  public static var spotlight: Schema.Attribute.Option { .init(.spotlight) }

  /// The encoded value is stored in a single column, not one column per property.
  public static var codable: Schema.Attribute.Option { .init(.codable) }
}

extension Schema.Attribute.Option: Hashable {
  /// Whether both are the same option with the same transformer.
  public static func == (lhs: Schema.Attribute.Option, rhs: Schema.Attribute.Option) -> Bool {
    lhs.kind == rhs.kind && lhs.transformerName == rhs.transformerName
  }

  /// Hashes the option and the name of the transformer.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(transformerName)
  }
}

extension Schema.Attribute.Option: Codable {
  private enum CodingKeys: CodingKey {
    case kind, transformer
  }

  /// Decodes an option that `encode(to:)` has encoded.
  ///
  /// - Throws: `DecodingError` if the encoded form is not valid.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try container.decode(Kind.self, forKey: .kind),
      transformerName: try container.decodeIfPresent(String.self, forKey: .transformer))
  }

  /// Encodes the option and the name of the transformer.
  ///
  /// - Throws: Any error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(kind, forKey: .kind)
    try container.encodeIfPresent(transformerName, forKey: .transformer)
  }
}

extension Schema.Attribute.Option: CustomDebugStringConvertible {
  /// The option as written in `@Attribute`.
  public var debugDescription: String {
    transformerName.map { ".\(kind.rawValue)(by: \"\($0)\")" } ?? ".\(kind.rawValue)"
  }
}
