extension Schema {
  /// The uniqueness constraints of a model type, as declared with `#Unique`.
  public final class Unique<T> where T: PersistentModel {
    /// The keys of the encoded form.
    public enum CodingKeys: CodingKey {
      /// The names of the properties of each constraint.
      case constraints
    }

    /// The name of the entry in the model's metadata.
    public final var name: String = "SwiftData.Schema.Unique"

    /// The same as `name`.
    public final var originalName: String = "SwiftData.Schema.Unique"

    /// The model type.
    public final var valueType: any Any.Type = T.self

    /// The groups of properties in which no two models may have equal values.
    public final let constraints: [[PartialKeyPath<T>]]

    /// Creates a constraint for each group of key paths.
    public init(_ constraints: [PartialKeyPath<T>]...) {
      self.constraints = constraints
    }

    /// Decodes an empty list: key paths cannot be created from names.
    ///
    /// - Throws: Nothing.
    public init(from decoder: any Decoder) throws {
      self.constraints = []
    }
  }
}

extension Schema.Unique: SchemaProperty, CustomDebugStringConvertible {
  /// Always `true`.
  public final var isUnique: Bool { true }

  /// Encodes the names of the properties of each constraint.
  ///
  /// - Throws: Errors of the encoder.
  public final func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(propertyNames, forKey: .constraints)
  }

  /// Whether both have the same constraints in the same order.
  public static func == (lhs: Schema.Unique<T>, rhs: Schema.Unique<T>) -> Bool {
    lhs.constraints == rhs.constraints
  }

  /// Hashes the key paths.
  public final func hash(into hasher: inout Hasher) {
    hasher.combine(constraints)
  }

  /// The names of the properties of each constraint.
  public final var debugDescription: String {
    "Unique(\(propertyNames))"
  }
}

extension Schema.Unique {
  private var propertyNames: [[String]] {
    constraints.map { $0.map(KeyPathName.name(of:)) }
  }
}
