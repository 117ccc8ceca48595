extension Schema {
  /// The indexes of a model type, as declared with `#Index`.
  public final class Index<T> where T: PersistentModel {
    /// One index: its kind and the properties it covers, in order.
    public enum Types<P> where P: PersistentModel {
      /// An ordinary index.
      case binary([PartialKeyPath<P>])

      /// An index over up to five numbers or dates, for conditions on ranges of several of them.
      case rtree([PartialKeyPath<P>])
    }

    /// The keys of the encoded form.
    public enum CodingKeys: CodingKey {
      /// The names of the properties of each index.
      case indices
    }

    /// The name of the entry in the model's metadata.
    public final var name: String = "SwiftData.Schema.Index"

    /// The same as `name`.
    public final var originalName: String = "SwiftData.Schema.Index"

    /// The model type.
    public final var valueType: any Any.Type = T.self

    /// The indexes in the order of their declaration.
    public final let indices: [Schema.Index<T>.Types<T>]

    /// Creates indexes of the given kinds.
    public init(_ indices: Schema.Index<T>.Types<T>...) {
      self.indices = indices
    }

    /// Creates ordinary indexes.
    public init(_ binaryIndices: [PartialKeyPath<T>]...) {
      self.indices = binaryIndices.map { .binary($0) }
    }

    /// Decodes an empty list: key paths cannot be created from names.
    ///
    /// - Throws: Nothing.
    public init(from decoder: any Decoder) throws {
      self.indices = []
    }
  }
}

extension Schema.Index: SchemaProperty, CustomDebugStringConvertible {
  /// Always `false`: an index does not forbid equal values.
  public final var isUnique: Bool { false }

  /// Encodes the names of the properties of each index.
  ///
  /// - Throws: Errors of the encoder.
  public final func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(propertyNames, forKey: .indices)
  }

  /// Whether both have the same indexes in the same order.
  public static func == (lhs: Schema.Index<T>, rhs: Schema.Index<T>) -> Bool {
    lhs.indices.elementsEqual(rhs.indices) {
      $0.isBinary == $1.isBinary && $0.keyPaths == $1.keyPaths
    }
  }

  /// Hashes the key paths.
  public final func hash(into hasher: inout Hasher) {
    hasher.combine(keyPaths)
  }

  /// The names of the properties of each index.
  public final var debugDescription: String {
    "Index(\(propertyNames))"
  }
}

extension Schema.Index.Types {
  var isBinary: Bool {
    if case .binary = self { true } else { false }
  }

  var keyPaths: [PartialKeyPath<P>] {
    switch self {
    case .binary(let keyPaths), .rtree(let keyPaths): keyPaths
    }
  }
}

extension Schema.Index {
  private var keyPaths: [[PartialKeyPath<T>]] { indices.map(\.keyPaths) }

  private var propertyNames: [[String]] {
    keyPaths.map { $0.map(KeyPathName.name(of:)) }
  }
}
