extension Schema {
  /// The version of a schema in three numbers.
  public struct Version: Sendable {
    /// Counts changes that need a migration.
    public let major: Int

    /// Counts additions.
    public let minor: Int

    /// Counts corrections.
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
  /// Whether all three numbers agree.
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
  /// The numbers with dots between them.
  public var description: String { "\(major).\(minor).\(patch)" }
}

extension Schema.Version: Codable {
  private enum CodingKeys: CodingKey {
    case major, minor, patch
  }

  /// Encodes the numbers by name.
  ///
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(major, forKey: .major)
    try container.encode(minor, forKey: .minor)
    try container.encode(patch, forKey: .patch)
  }

  /// Decodes what `encode(to:)` wrote.
  ///
  /// - Throws: `DecodingError` when the encoded form is another one.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try container.decode(Int.self, forKey: .major),
      try container.decode(Int.self, forKey: .minor),
      try container.decode(Int.self, forKey: .patch))
  }
}
