extension DataStoreQuery: Codable {
  private enum Keys: String, CodingKey {
    case entity, subentities, condition, order, offset, limit, properties, prefetch
  }

  /// Decodes a query; what is missing has no effect, except for the entity.
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: A `DecodingError` for an unknown function, a wrong number of operands, or an
  ///   expression that is nested too deeply.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    self.init(
      entity: try container.decode(String.self, forKey: .entity),
      includesSubentities: try container.decodeIfPresent(Bool.self, forKey: .subentities) ?? true,
      condition: try container.decodeIfPresent(Expression.self, forKey: .condition),
      order: try container.decodeIfPresent([Order].self, forKey: .order) ?? [],
      offset: try container.decodeIfPresent(Int.self, forKey: .offset) ?? 0,
      limit: try container.decodeIfPresent(Int.self, forKey: .limit),
      properties: try container.decodeIfPresent([String].self, forKey: .properties) ?? [],
      prefetchedRelationships:
        try container.decodeIfPresent([[String]].self, forKey: .prefetch) ?? [])
    guard offset >= 0, limit ?? 1 > 0 else {
      throw DecodingError.dataCorruptedError(
        forKey: offset < 0 ? .offset : .limit, in: container,
        debugDescription: "The offset must be at least 0, and the limit at least 1.")
    }
  }

  /// Encodes the query, without what has no effect.
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: Errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(entity, forKey: .entity)
    if !includesSubentities { try container.encode(false, forKey: .subentities) }
    try container.encodeIfPresent(condition, forKey: .condition)
    if !order.isEmpty { try container.encode(order, forKey: .order) }
    if offset != 0 { try container.encode(offset, forKey: .offset) }
    try container.encodeIfPresent(limit, forKey: .limit)
    if !properties.isEmpty { try container.encode(properties, forKey: .properties) }
    if !prefetchedRelationships.isEmpty {
      try container.encode(prefetchedRelationships, forKey: .prefetch)
    }
  }
}

extension DataStoreQuery.Order: Codable {
  private enum Keys: String, CodingKey { case by, ascending, text }

  /// Decodes `{"by": …, "ascending": false, "text": "lexical"}`.
  ///
  /// - Throws: A `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    self.init(
      try container.decode(DataStoreQuery.Expression.self, forKey: .by),
      isAscending: try container.decodeIfPresent(Bool.self, forKey: .ascending) ?? true,
      textComparison: try container.decodeIfPresent(
        DataStoreQuery.TextComparison.self, forKey: .text))
  }

  /// Encodes the element; ascending order and no comparison of texts are left out.
  ///
  /// - Throws: Errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(expression, forKey: .by)
    if !isAscending { try container.encode(false, forKey: .ascending) }
    try container.encodeIfPresent(textComparison, forKey: .text)
  }
}
