public import Foundation

/// An error of a `JSONStore` or a `DictionaryStore`: what is wrong, and where.
///
/// Nothing was stored when a save throws it. The file of a `JSONStore` stays as it was.
public struct DocumentStoreError: Error, Hashable, Sendable {
  /// The kinds of errors.
  public enum Code: String, Hashable, Sendable {
    /// The file can't be read or created, for example for lack of permission.
    case unreadableFile
    /// The file was there before, and is gone.
    case missingFile
    /// The file is not complete JSON, for example because it was truncated.
    case damagedFile
    /// The file is JSON, but not a document of this store or not one of a known format.
    case unknownFormat
    /// The file was written with a newer version of the models.
    case newerSchema
    /// The file, the contents in memory or a save have an entity or a property that the models of
    /// the store do not have.
    case unknownContent
    /// A value does not have the type of its property, or a required value is missing.
    case invalidValue
    /// A row refers to a row that does not exist, or that another row may have only.
    case invalidLink
    /// Two rows have the same unique values.
    case duplicateValue
    /// A delete rule forbids a deletion.
    case deniedDeletion
    /// Another process holds the lock of the file for too long.
    case locked
    /// The new file could not be written, for example because the disk is full.
    case notWritten
  }

  /// The kind of the error.
  public let code: Code

  /// The file; `nil` for a store without a file.
  public var url: URL?

  /// The line of the file, counted from 1.
  public var line: Int?

  /// The name of the entity.
  public var entity: String?

  /// The key of the row.
  public var row: String?

  /// The name of the property.
  public var property: String?

  /// What is wrong and what to do.
  public var explanation: String

  /// The relationship that prevents a deletion.
  struct Denial: Hashable, Sendable {
    let entity: String
    let property: String
  }

  /// The relationship that prevented a deletion; `nil` for other errors.
  var denial: Denial?

  /// The number of the system's error, such as `ENOSPC`; `nil` without one.
  var systemError: Int32?

  init(
    _ code: Code, _ explanation: String, url: URL? = nil, line: Int? = nil, entity: String? = nil,
    row: String? = nil, property: String? = nil
  ) {
    self.code = code
    self.explanation = explanation
    self.url = url
    self.line = line
    self.entity = entity
    self.row = row
    self.property = property
  }

  /// The same error of a deletion that a relationship prevented.
  func denied(by entity: String, _ property: String) -> DocumentStoreError {
    var error = self
    error.denial = Denial(entity: entity, property: property)
    return error
  }

  /// The same error of a file, if it names none yet.
  func of(_ url: URL?) -> DocumentStoreError {
    var error = self
    if error.url == nil { error.url = url }
    return error
  }
}

extension DocumentStoreError: CustomStringConvertible, LocalizedError {
  /// The file with the line, the row and the property, and what is wrong.
  public var description: String {
    var place: [String] = []
    if let url { place.append(url.path + (line.map { ":\($0)" } ?? "")) }
    if let entity {
      let row = row.map { "/\($0)" } ?? ""
      place.append(entity + row + (property.map { ".\($0)" } ?? ""))
    }
    return (place + [explanation]).joined(separator: ": ")
  }

  /// The description, for `localizedDescription`.
  public var errorDescription: String? { description }
}
