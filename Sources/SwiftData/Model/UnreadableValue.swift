/// A property that could not show its stored value, and reads as a placeholder value.
///
/// A required property reads as the default of its declaration. Without one it reads as the empty
/// value of its type (0, an empty text, list or data, the reference date, GMT), as what the type
/// decodes from empty values, or as the first case of an enum. A type that allows none of these
/// stops the program with the property's name. An optional property reads as nil. The stored value
/// stays as it is until the property is set.
///
/// Setting nil after nil was read changes nothing, because Swift does that for
/// `trip.place?.name = ""` too. To remove such a value, set another one first, or call
/// `setValue(forKey: \.place, to: nil)`. A list that is changed in place, as by `append`, makes the
/// save throw ``SwiftDataError/storeReadFailure``; set a new list instead. Changing a part of a
/// required structure sets the whole one.
///
/// ``ModelContext/unreadableValues`` lists the values that a context encountered. Not in Apple's
/// framework, which stops the program.
public struct UnreadableValue: Hashable, Sendable {
  /// Why a property reads as a placeholder value.
  public enum Reason: Hashable, Sendable {
    /// The row was deleted or never existed, and nothing of it had been read.
    ///
    /// Of a required relationship: the row that it refers to was deleted, which the delete rule
    /// `.noAction` allows.
    case missingRow
    /// The column of a required property has no value, or one of another kind, such as text instead
    /// of a number.
    case missingValue
    /// The stored value does not fit the property's type: an unknown raw value of an enum, or bytes
    /// that the type cannot decode.
    case unsuitableValue
    /// The file with the value of an attribute with the option `externalStorage` does not exist. The next read
    /// tries again.
    case missingFile
    /// The store, or the file with the value of an attribute with the option `externalStorage`, could not be
    /// read. The next read tries again.
    ///
    /// If the property is set after it has returned a stand-in, as `+=` does, the save throws
    /// ``SwiftDataError/storeReadFailure``.
    case unreadableStore
  }

  /// The entity of the model.
  public let entityName: String
  /// The property that reads as a placeholder value.
  public let propertyName: String
  /// The identifier of the model.
  public let persistentModelID: PersistentIdentifier
  /// Why the stored value is not shown.
  public let reason: Reason
}

extension UnreadableValue.Reason {
  /// Whether the store has, or may have, a value that the property does not show.
  var isOfStoredValue: Bool {
    switch self {
    case .unsuitableValue, .missingFile, .unreadableStore: true
    case .missingRow, .missingValue: false
    }
  }
}

extension UnreadableValue: CustomStringConvertible {
  /// The property, the model and the reason in one sentence.
  public var description: String {
    let cause =
      switch reason {
      case .missingRow: "the row does not exist"
      case .missingValue: "no value is stored"
      case .unsuitableValue: "the stored value does not fit its type"
      case .missingFile: "the file that has its value is missing"
      case .unreadableStore: "the store could not be read"
      }
    return "\(entityName).\(propertyName) of \(persistentModelID) reads as a stand-in: \(cause)."
  }
}
