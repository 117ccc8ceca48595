import Foundation
import OpenSwiftDataSQLSyntax

/// The stored forms in which captured values are bound.
struct StoredForms {
  let mapping: SchemaMapping
  /// The store whose rows are selected; identifiers of other stores match nothing.
  let storeIdentifier: String?
  let dialect: SQLDialect

  /// The value to bind for a captured value, and its kind.
  func form(of value: Any) throws -> (_StoredValue, ScalarTerm.Kind) {
    let form = try anyForm(of: value)
    if case .text(let text) = form.0, !dialect.storesZeroCharacters, text.utf8.contains(0) {
      throw NotInSQL("a text with the character U+0000, which the database cannot store")
    }
    return form
  }

  private func anyForm(of value: Any) throws -> (_StoredValue, ScalarTerm.Kind) {
    switch value {
    // A cast to a protocol costs more than a cast to a type.
    case let value as Int: return (value.storedValue, .scalar(.int))
    case let value as any ScalarCoding:
      let stored = value.storedValue
      // SQLite cannot store NaN: it would be bound as null and match `nil`.
      if case .real(let number) = stored, number.isNaN { throw NotInSQL("NaN") }
      return (stored, .scalar(type(of: value).scalarType))
    case let value as any StringProtocol:
      return (.text(String(value)), .scalar(.string))
    case let value as ComparisonResult:
      return (.integer(Int64(value.rawValue)), .comparisonResult)
    case let value as DefaultHistoryToken:
      return try place(of: value)
    case let value as any RawRepresentable:
      guard let raw = value.rawValue as? any ScalarCoding else {
        throw NotInSQL("the raw value of \(type(of: value)) is not a scalar")
      }
      return (
        raw.storedValue, .rawValue(type(of: raw).scalarType, ObjectIdentifier(type(of: value)))
      )
    case let value as any PersistentModel:
      return storedKey(of: value.persistentModelID)
    case let value as PersistentIdentifier:
      return storedKey(of: value)
    default:
      throw NotInSQL("\(type(of: value)) has no scalar form")
    }
  }

  /// The position of a captured token in the store's history. If the token does not contain this
  /// store, none of the store's transactions had been seen. The token of another store's transaction is between
  /// two transactions of this one.
  private func place(
    of token: DefaultHistoryToken
  ) throws -> (_StoredValue, ScalarTerm.Kind) {
    guard let storeIdentifier else { throw NotInSQL("a token without a store") }
    return (
      .integer(token.transaction(ofStore: storeIdentifier) ?? 0),
      token.lastStore == storeIdentifier
        ? .token : .betweenTokens(isLater: token.lastStore != nil)
    )
  }

  /// The primary key of a captured model or identifier. An identifier that is not of this store
  /// gets a key that no row has, so that the text of the statement does not change.
  private func storedKey(of identifier: PersistentIdentifier) -> (_StoredValue, ScalarTerm.Kind) {
    let resolved = identifier.resolved
    guard let entity = mapping.entity(named: resolved.entityName) else {
      return (.integer(-1), .key(root: resolved.entityName))
    }
    let isOurs = storeIdentifier == nil || resolved.storeIdentifier == storeIdentifier
    return (
      .integer(isOurs ? resolved.rowKey ?? -1 : -1),
      .key(root: entity.rootName, entity: entity.sharesTable ? entity.number : nil)
    )
  }

  /// Removes all levels of `Optional` from a value.
  static func unwrap(_ value: Any) -> Any? {
    // A cast to a protocol costs more than casts to the most frequent types.
    if value is Int || value is String { return value }
    guard let optional = value as? any OptionalValue else { return value }
    return optional.unwrappedValue.flatMap { unwrap($0) }
  }
}
