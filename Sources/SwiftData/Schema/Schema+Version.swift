extension Schema {
  /// The version of a schema, with three numbers.
  public struct Version: Sendable {
    /// Increment it for changes that need a migration.
    public let major: Int

    /// Increment it for additions.
    public let minor: Int

    /// Increment it for corrections.
    public let patch: Int

    /// Makes a version of three numbers.
    public init(_ major: Int, _ minor: Int, _ patch: Int) {
      self.major = major
      self.minor = minor
      self.patch = patch
    }
  }
}

extension Schema.Version: Hashable, Comparable {
  /// Whether all three numbers are equal.
  public static func == (lhs: Schema.Version, rhs: Schema.Version) -> Bool {
    (lhs.major, lhs.minor, lhs.patch) == (rhs.major, rhs.minor, rhs.patch)
  }

  /// Orders by major, then minor, then patch.
  public static func < (lhs: Schema.Version, rhs: Schema.Version) -> Bool {
    (lhs.major, lhs.minor, lhs.patch) < (rhs.major, rhs.minor, rhs.patch)
  }

  /// Hashes the three numbers.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(major)
    hasher.combine(minor)
    hasher.combine(patch)
  }
}

extension Schema.Version: CustomStringConvertible {
  /// The numbers, separated by dots.
  public var description: String { "\(major).\(minor).\(patch)" }
}

extension Schema.Version: Codable {
  private enum CodingKeys: CodingKey {
    case major, minor, patch
  }

  /// Encodes the three numbers by name.
  ///
  /// - Throws: Any error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(major, forKey: .major)
    try container.encode(minor, forKey: .minor)
    try container.encode(patch, forKey: .patch)
  }

  /// Decodes a version that `encode(to:)` has encoded.
  ///
  /// - Throws: `DecodingError` if the encoded form is not valid.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try container.decode(Int.self, forKey: .major),
      try container.decode(Int.self, forKey: .minor),
      try container.decode(Int.self, forKey: .patch))
  }
}
