import Foundation

/// Converts the values of a model into the stored values of its row.
enum ValueEncoding {
  /// The stored value of a scalar slot.
  static func scalar(_ slot: _SlotValue) -> _StoredValue {
    switch slot {
    case .unset, .null: .null
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .text(let value): .text(value)
    case .blob(let value): .blob(value)
    case .uuid(let value): value.storedValue
    case .boxed(let box): (box.anyValue as? any ScalarCoding)?.storedValue ?? .null
    case .model, .identifier, .toMany, .weakReferences: .null
    }
  }

  /// The leaves of a composite; all null for a nil composite.
  /// - Parameter isForColumns: Whether the values get columns, in which NaN is null.
  /// - Returns: Also whether the leaves give back the value.
  static func composite(
    _ slot: _SlotValue, leaves: [CompositeLeaf], property: ModelProperty, entityName: String,
    isForColumns: Bool
  ) throws -> (values: [_StoredValue], isExact: Bool) {
    guard case .boxed(let box) = slot, let value = unwrapped(box.anyValue) as? any Encodable
    else { return (Array(repeating: .null, count: leaves.count), true) }
    do {
      let (values, isExact) = try CompositeCoding.flattening(
        value, leaves: leaves, isOptional: property.isOptional)
      if isForColumns { try checkPayloads(values, leaves) }
      if property.isOptional, values.allSatisfy(\.isNull) {
        let place = "\(entityName).\(property.name)"
        WarningLog.write(
          "\(place) has a value whose members are all nil. A store can't distinguish it from nil, so it reads as nil "
            + "after the save. Make the property required, or give a member a value.",
          onceFor: "empty value of \(place)")
      }
      return (values, isExact)
    } catch let error as SwiftDataError {
      throw error.placed(entity: entityName, property: property.name)
    } catch {
      throw failure(error, property: property, entityName: entityName)
    }
  }

  /// Refuses NaN in an associated value: it is stored as null, and the case would not be visible.
  private static func checkPayloads(_ values: [_StoredValue], _ leaves: [CompositeLeaf]) throws {
    for (value, leaf) in zip(values, leaves) where leaf.isInPayload {
      guard case .real(let number) = value, number.isNaN else { continue }
      throw SwiftDataError.modelValidationFailure.with(
        "An associated value that is not a number can't be stored, at "
          + "'\(leaf.path.joined(separator: "."))': its column would be null, and the enum would read as "
          + "another case. Set a valid number.")
    }
  }

  /// A value that is stored whole.
  static func encoded(
    _ slot: _SlotValue, property: ModelProperty, entityName: String
  ) throws -> _StoredValue {
    guard case .boxed(let box) = slot else { return scalar(slot) }
    guard let value = unwrapped(box.anyValue) else { return .null }
    do {
      if case .transformable(let name?) = property.form {
        guard let transformer = ValueTransformer.named(name) else {
          throw SwiftDataError.modelValidationFailure.with(
            "A value of \(type(of: value)) can't be stored: its value transformer '\(name)' is not registered. "
              + "Call ValueTransformer.setValueTransformer(_:forName:) before it is stored.")
        }
        return .blob(try transformer.storedData(of: value))
      }
      guard let encodable = value as? any Encodable else {
        throw SwiftDataError.modelValidationFailure.with(
          "A value of \(type(of: value)) can't be stored: it is not Codable. Make it Codable, or use "
            + "@Attribute(.transformable(by:)).")
      }
      return .blob(try ArchivedCoding.encode(encodable))
    } catch let error as SwiftDataError {
      throw error.placed(entity: entityName, property: property.name)
    } catch {
      throw failure(error, property: property, entityName: entityName)
    }
  }

  private static func failure(
    _ error: any Error, property: ModelProperty, entityName: String
  ) -> SwiftDataError {
    SwiftDataError.modelValidationFailure.with(
      "The value can't be encoded. Set a value that its type encodes without an error.",
      doing: "encoding a value", entity: entityName, property: property.name, underlying: error)
  }

  private static func unwrapped(_ value: Any) -> Any? {
    guard let optional = value as? any OptionalValue else { return value }
    return optional.unwrappedValue
  }
}
