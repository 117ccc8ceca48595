public import SwiftData

/// Describes a `DictionaryStore`: rows in memory.
///
/// Each container has rows of its own. Containers with the same `contents` share them:
///
/// ```swift
/// let contents = DictionaryStoreContents()
/// let configuration = DictionaryStoreConfiguration(contents: contents)
/// ```
public struct DictionaryStoreConfiguration: DataStoreConfiguration {
  /// The store of the configuration.
  public typealias Store = DictionaryStore

  /// The name of the configuration; unique within a container.
  public let name: String

  /// The entities that the store contains; `nil` for those of the container.
  public var schema: Schema?

  /// The rows that containers share; `nil` for rows of the container alone.
  public let contents: DictionaryStoreContents?

  /// Creates a configuration.
  ///
  /// - Parameters:
  ///   - name: The name, unique within a container.
  ///   - schema: The entities that the store contains; `nil` for those of the container.
  ///   - contents: The rows, to open them again or to share them; `nil` for new ones.
  public init(
    _ name: String = "dictionary", schema: Schema? = nil, contents: DictionaryStoreContents? = nil
  ) {
    self.name = name
    self.schema = schema
    self.contents = contents
  }
}
