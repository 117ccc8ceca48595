/// A property that could not show what is stored, so that it reads as a stand-in.
///
/// A required property reads as the default of its declaration; without one as the empty value of its
/// type (0, an empty text, list or data, the reference date, GMT), as what the type decodes from empty
/// values, or as the first case of an enum; a type that gives none of these stops the program with the
/// property's name. An optional one reads as nil. What is stored stays as it is until the property is
/// set.
///
/// ``ModelContext/unreadableValues`` lists what a context met. Not in Apple's framework, which stops
/// the program.
public struct UnreadableValue: Hashable, Sendable {
  /// Why a property reads as a stand-in.
  public enum Reason: Hashable, Sendable {
    /// The row was deleted, or was never there, and nothing of it had been read.
    case missingRow
    /// The column of a required property has no value, or one of another kind: a text in place of a
    /// number.
    case missingValue
    /// The stored value does not fit the property's type: an enum without such a raw value, or bytes
    /// that the type does not decode.
    case unsuitableValue
    /// The file in which an attribute with the option `externalStorage` keeps its value is not there, or
    /// cannot be read. The next read tries again.
    case missingFile
    /// The store could not be read. The next read tries again.
    case unreadableStore
  }

  /// The entity of the model.
  public let entityName: String
  /// The property that reads as a stand-in.
  public let propertyName: String
  /// The model.
  public let persistentModelID: PersistentIdentifier
  /// Why the stored value is not shown.
  public let reason: Reason
}

extension UnreadableValue: CustomStringConvertible {
  /// The property, the model and the reason in one sentence.
  public var description: String {
    let cause =
      switch reason {
      case .missingRow: "there is no such row"
      case .missingValue: "nothing suitable is stored"
      case .unsuitableValue: "the stored value does not fit its type"
      case .missingFile: "the file that has its value is missing"
      case .unreadableStore: "the store could not be read"
      }
    return "\(entityName).\(propertyName) of \(persistentModelID) reads as a stand-in: \(cause)."
  }
}
