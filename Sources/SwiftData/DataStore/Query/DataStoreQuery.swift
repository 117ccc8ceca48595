/// What a request asks for, as plain data that a store can translate, send and log.
///
/// A store over HTTP or over a document file gets a query from each request with
/// ``DataStoreFetchRequest/query()``. A query has no reference to a model class or to a key path. It
/// names entities and properties as the `Schema` of the store does.
///
/// The condition and the elements of the order are trees of ``Expression``. All values that a
/// predicate captures are constants in them; predicates that a predicate evaluates are parts of
/// the tree.
///
/// The rules for the value of an expression are those of Swift:
/// - `nil` is a value. It equals `nil` and no other value, and has no order: each comparison by order
///   with it is false.
/// - Texts are equal if they are canonically equivalent, and are ordered by their canonical form.
/// - A step may fail: ``Function/forceUnwrap`` of `nil`, a number that leaves the range of its type,
///   a position that a list does not have. The failure passes through all enclosing expressions up
///   to a ``Function/falseOnFailure``, which is false then. A row for which the whole condition fails
///   does not match.
/// - ``Function/and``, ``Function/or``, ``Function/coalesce`` and ``Function/conditional`` evaluate
///   only what Swift evaluates, so the other operands cannot fail.
///
/// A query is `Codable`, with names that stay the same in later versions:
///
/// ```json
/// {
///   "entity": "Trip",
///   "condition": {
///     "call": "equal",
///     "arguments": [{"property": "name", "type": "string"}, {"value": {"string": "Rome"}}]
///   },
///   "order": [{"by": {"property": "start", "type": "date"}, "ascending": false}],
///   "limit": 10
/// }
/// ```
///
/// Not in Apple's framework.
public struct DataStoreQuery: Hashable, Sendable {
  /// The name of the entity whose rows are requested.
  public var entity: String

  /// Whether rows of its subentities are requested too. Only a batch deletion may exclude them.
  public var includesSubentities: Bool

  /// The condition that rows satisfy; `nil` for all rows. Variable 0 is the row.
  public var condition: Expression?

  /// The order. The first element decides, later ones break ties; then the identifiers do.
  public var order: [Order]

  /// The number of matching rows to skip before the first result.
  public var offset: Int

  /// The maximum number of rows, at least 1; `nil` for no limit.
  public var limit: Int?

  /// The names of the properties that are needed; empty for all. A store may return more.
  ///
  /// A context asks a custom store for all of them, because snapshots have to be complete.
  public var properties: [String]

  /// The relationships whose rows are needed too, each as the names of its steps. A store may
  /// return these rows as `relatedSnapshots`, or ignore them.
  public var prefetchedRelationships: [[String]]

  /// Creates a query for all rows of an entity, or for some of them.
  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - includesSubentities: Whether rows of its subentities are requested too.
  ///   - condition: The condition that rows satisfy.
  ///   - order: The order.
  ///   - offset: The number of matching rows to skip.
  ///   - limit: The maximum number of rows.
  ///   - properties: The names of the properties that are needed; empty for all.
  ///   - prefetchedRelationships: The relationships whose rows are needed too.
  public init(
    entity: String, includesSubentities: Bool = true, condition: Expression? = nil,
    order: [Order] = [], offset: Int = 0, limit: Int? = nil, properties: [String] = [],
    prefetchedRelationships: [[String]] = []
  ) {
    self.entity = entity
    self.includesSubentities = includesSubentities
    self.condition = condition
    self.order = order
    self.offset = offset
    self.limit = limit
    self.properties = properties
    self.prefetchedRelationships = prefetchedRelationships
  }

  /// An element of an order. `nil` comes before all values, and after them in descending order.
  public struct Order: Hashable, Sendable {
    /// The value by which rows are ordered.
    public var expression: Expression

    /// Whether smaller values come first.
    public var isAscending: Bool

    /// How texts are compared; `nil` for other values.
    public var textComparison: TextComparison?

    /// Creates an element of an order.
    /// - Parameters:
    ///   - expression: The value by which rows are ordered.
    ///   - isAscending: Whether smaller values come first.
    ///   - textComparison: How texts are compared; `nil` for other values.
    public init(
      _ expression: Expression, isAscending: Bool = true, textComparison: TextComparison? = nil
    ) {
      self.expression = expression
      self.isAscending = isAscending
      self.textComparison = textComparison
    }
  }

  /// How an order compares texts. The raw values are those of the encoded form.
  public enum TextComparison: String, Hashable, Codable, Sendable, CaseIterable {
    /// As `<` of `String` does: by the canonical form, whatever the language.
    case lexical
    /// As `localizedCompare(_:)` of Foundation does.
    case localized
    /// As `localizedStandardCompare(_:)` of Foundation does: numbers in texts by their value.
    case localizedStandard
  }
}
