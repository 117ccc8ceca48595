/// What a fetch request asks for, as plain data that a store can read, translate and send.
///
/// Not in Apple's framework.
public struct DataStoreQuery: Hashable, Sendable {
  /// The name of the entity whose rows are requested, with those of its subentities.
  public var entity: String

  /// The condition that rows satisfy; `nil` for all rows.
  public var condition: Expression?

  /// The order; the first element decides, later ones break ties.
  public var order: [Order]

  /// The number of matching rows to skip.
  public var offset: Int

  /// The maximum number of rows; `nil` for no limit.
  public var limit: Int?

  /// The names of the properties to read; empty for all.
  public var properties: [String]

  /// The relationships to prefetch, each as the names of the steps.
  public var prefetchedRelationships: [[String]]

  /// An element of an order.
  public struct Order: Hashable, Sendable {
    /// What rows are ordered by.
    public var expression: Expression
    /// Whether smaller values come first.
    public var isAscending: Bool
    /// How texts are compared; `nil` for other values, and for texts by their scalars.
    public var textComparison: String?
  }

  /// A node of the typed tree of a condition.
  public indirect enum Expression: Hashable, Sendable {
    /// A constant.
    case value(DataStoreValue)
    /// A row: 0 for the requested one; closures bind further ones.
    case variable(Int)
    /// A property of a row or of a composite.
    case property(String, of: Expression)
    /// An operator or a function with its operands.
    case call(String, [Expression])
  }
}
