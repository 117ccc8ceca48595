public import Foundation
public import SwiftData

/// Describes a `JSONStore`: the file, and how the store treats it.
///
/// ```swift
/// let configuration = JSONStoreConfiguration(url: URL(filePath: "library.json"))
/// ```
public struct JSONStoreConfiguration: DataStoreConfiguration, Sendable {
  /// The store of the configuration.
  public typealias Store = JSONStore

  /// What a store does with entities and properties in the file that the models do not have.
  ///
  /// Members of values that their types do not have are always kept.
  public enum UnknownContent: Hashable, Sendable {
    /// Reading the file throws an error with the line, so a misspelled name is noticed.
    case refuse

    /// They are kept in the file as they are, for the newer program that wrote them.
    case preserve
  }

  /// The name of the configuration; unique within a container.
  public let name: String

  /// The entities that the store contains; `nil` for those of the container.
  public var schema: Schema?

  /// The file; a symbolic link is followed.
  public let url: URL

  /// What the store does with entities and properties that the models do not have.
  public var unknownContent: UnknownContent

  /// How long a save waits for saves of this store and of other processes before it throws.
  public var lockTimeout: Duration

  /// Creates a configuration.
  ///
  /// - Parameters:
  ///   - name: The name, unique within a container; `nil` for the name of the file without its
  ///     extension.
  ///   - schema: The entities that the store contains; `nil` for those of the container.
  ///   - url: The file. Its folder has to exist.
  ///   - unknownContent: What the store does with content that the models do not have.
  ///   - lockTimeout: How long a save waits for saves of this store and of other processes.
  public init(
    _ name: String? = nil, schema: Schema? = nil, url: URL,
    unknownContent: UnknownContent = .refuse, lockTimeout: Duration = .seconds(5)
  ) {
    self.name = name ?? url.deletingPathExtension().lastPathComponent
    self.schema = schema
    self.url = url
    self.unknownContent = unknownContent
    self.lockTimeout = lockTimeout
  }

  /// Checks that the URL is one of a file.
  ///
  /// - Throws: A ``DocumentStoreError`` with the code `unreadableFile`.
  public func validate() throws {
    guard url.isFileURL, !url.hasDirectoryPath else {
      throw DocumentStoreError(.unreadableFile, "The URL has to be one of a file.", url: url)
    }
  }
}

extension JSONStoreConfiguration: FileStoreConfiguration {
  package var storePath: String? { url.resolvingSymlinksInPath().standardizedFileURL.path }
}
