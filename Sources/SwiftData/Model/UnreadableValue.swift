/// A property that could not show its stored value, and reads as a placeholder value.
///
/// A required property reads as the default of its declaration. Without one it reads as the empty
/// value of its type (0, an empty text, list or data, the reference date, GMT), as what the type
/// decodes from empty values, or as the first case of an enum. A type that allows none of these
/// stops the program with the property's name. An optional property reads as nil. The stored value
/// stays as it is until the property is set.
///
/// Setting nil after nil was read changes nothing, because Swift does that for
/// `trip.place?.name = ""` too. To remove such a value, call `setValue(forKey: \.place, to: nil)`.
///
/// An edit of a part of a value, as by `trip.tags.insert("a")`, sets the property to what was read with the
/// change. So a list, set, dictionary, structure or transformed value that does not fit its type is replaced
/// only if it was not read before. If it was, the save throws ``SwiftDataError/storeReadFailure``, and the
/// stored value stays. After that error, assign a value without reading the property again; or set the
/// property in another context, which has not read it.
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
    ///
    /// If a property with parts, such as a list or a structure, is set after that, the save throws
    /// ``SwiftDataError/storeReadFailure``.
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
