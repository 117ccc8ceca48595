extension DataStoreQuery {
  /// A node of the typed tree of a condition or of an order.
  ///
  /// The value of an expression is a ``DataStoreValue``. The value of a row is its identifier, so an
  /// equality of rows, of related rows and of identifiers is one of identifiers.
  public indirect enum Expression: Hashable, Sendable {
    /// A constant.
    case value(DataStoreValue)

    /// The value of a variable: 0 is the requested row; each ``closure(_:of:variable:_:)`` binds
    /// another one in its body.
    case variable(Int)

    /// A property of a row or of a composite value; `nil` if that is `nil`.
    ///
    /// Optional chaining, `$0.owner?.name`, is a property of a property. A property of a
    /// composite is named by its coding key.
    case property(String, PropertyKind, of: Expression)

    /// An operator or a function with its operands.
    case call(Function, [Expression])

    /// A computation with numbers of a type; both operands and the result have this type.
    ///
    /// For whole numbers the step fails if the result is outside the range of the type, or the
    /// divisor is zero.
    case compute(Arithmetic, ValueType, [Expression])

    /// A function that evaluates a body for a value, or for each element of a list or relationship.
    ///
    /// The variable is bound in the body only. Its number is greater than the numbers of the
    /// variables that are bound around it.
    case closure(Closure, of: Expression, variable: Int, Expression)

    /// The requested row.
    public static var row: Expression { .variable(0) }

    /// A constant text.
    public static func string(_ text: String) -> Expression { .value(.string(text)) }
  }

  /// What kind of value a property has, without its optionality.
  public enum PropertyKind: Hashable, Sendable {
    /// A single value, or an enumeration with a raw value of this type.
    case attribute(ValueType)
    /// A `Codable` structure or enumeration, whose parts are properties.
    case composite
    /// An array or a set of values.
    case list
    /// A dictionary whose keys are texts.
    case dictionary
    /// A value that only its type can read, for example a transformed one. Queries only compare it
    /// with `nil`.
    case opaque
    /// A to-one relationship with the rows of an entity. Its value is an identifier or `nil`.
    case toOne(String)
    /// A to-many relationship with the rows of an entity. Its value is a list of identifiers.
    case toMany(String)
  }

  /// The type of a single value. The raw values are those of the encoded form.
  public enum ValueType: String, Hashable, Codable, Sendable, CaseIterable {
    /// A type of whole numbers, with its range.
    case int, int8, int16, int32, int64
    /// A type of whole numbers that are not negative, with its range.
    case uint, uint8, uint16, uint32, uint64
    /// A binary floating-point number; results of `float` are rounded to single precision.
    case double, float
    /// Another type with a case of its own in ``DataStoreValue``.
    case bool, string, date, uuid, data, url, decimal
  }

  /// A computation. The raw values are those of the encoded form.
  public enum Arithmetic: String, Hashable, Codable, Sendable, CaseIterable {
    /// A computation with two operands. For whole numbers `divide` rounds towards zero, and
    /// `remainder` has the sign of the dividend.
    case add, subtract, multiply, divide, remainder
    /// The negative value of one operand.
    case negate

    /// The number of operands.
    public var operandCount: Int { self == .negate ? 1 : 2 }
  }

  /// A function with a body. The raw values are those of the encoded form.
  ///
  /// Elements are visited in their order. A body that fails makes the function fail, unless an
  /// earlier element has decided.
  public enum Closure: String, Hashable, Codable, Sendable, CaseIterable {
    /// Whether the body is true for an element.
    case contains
    /// Whether the body is true for all elements.
    case allSatisfy
    /// The list of the elements for which the body is true.
    case filter
    /// The value of the body for a value; `nil` if that is `nil`, without evaluating the body.
    case flatMap
    /// The value of the body for a value, which is evaluated once, even if the body does not use it.
    case bind
  }
}
