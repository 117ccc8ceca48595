import Foundation

extension Schema.Attribute {
  /// One thing that `@Attribute` says about a property.
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
  /// No two models of the entity have the same value; inserting a second one updates the first.
  public static var unique: Schema.Attribute.Option { .init(.unique) }

  /// A value transformer of this type makes the stored form.
  public static func transformable(
    by transformerType: ValueTransformer.Type
  ) -> Schema.Attribute.Option {
    .init(.transformable, transformerName: ValueTransformer.name(registering: transformerType))
  }

  /// The value transformer registered under this name makes the stored form.
  public static func transformable(by transformerName: String) -> Schema.Attribute.Option {
    .init(.transformable, transformerName: transformerName)
  }

  /// Values over 128 KiB are kept in files beside the store: data, texts, encoded and transformed ones.
  ///
  /// The property reads the file each time, and the model does not keep what was read. A fetch opens no file. A
  /// save puts each value on the disk before it commits, which costs three to five flushes.
  public static var externalStorage: Schema.Attribute.Option { .init(.externalStorage) }

  /// Kept for source compatibility: there is no cloud database to encrypt for.
  public static var allowsCloudEncryption: Schema.Attribute.Option {
    .init(.allowsCloudEncryption)
  }

  /// The value stays in the history after its model was deleted.
  public static var preserveValueOnDeletion: Schema.Attribute.Option {
    .init(.preserveValueOnDeletion)
  }

  /// Changes of the value are tracked but not saved.
  public static var ephemeral: Schema.Attribute.Option { .init(.ephemeral) }

  /// Kept for source compatibility: there is no Spotlight index.
  public static var spotlight: Schema.Attribute.Option { .init(.spotlight) }

  /// The value is stored whole, as it encodes itself, and not by its properties.
  public static var codable: Schema.Attribute.Option { .init(.codable) }
}

extension Schema.Attribute.Option: Hashable {
  /// Whether both options are of one kind and name the same transformer.
  public static func == (lhs: Schema.Attribute.Option, rhs: Schema.Attribute.Option) -> Bool {
    lhs.kind == rhs.kind && lhs.transformerName == rhs.transformerName
  }

  /// Hashes the kind and the name of the transformer.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(transformerName)
  }
}

extension Schema.Attribute.Option: Codable {
  private enum CodingKeys: CodingKey {
    case kind, transformer
  }

  /// Decodes what `encode(to:)` wrote.
  ///
  /// - Throws: `DecodingError` when the encoded form is another one.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try container.decode(Kind.self, forKey: .kind),
      transformerName: try container.decodeIfPresent(String.self, forKey: .transformer))
  }

  /// Encodes the kind and the name of the transformer.
  ///
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(kind, forKey: .kind)
    try container.encodeIfPresent(transformerName, forKey: .transformer)
  }
}

extension Schema.Attribute.Option: CustomDebugStringConvertible {
  /// The option as it is written in `@Attribute`.
  public var debugDescription: String {
    transformerName.map { ".\(kind.rawValue)(by: \"\($0)\")" } ?? ".\(kind.rawValue)"
  }
}
