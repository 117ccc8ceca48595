public import Foundation

/// Identifies the context that makes a request to a store.
public struct EditingState: Identifiable, Sendable {
  /// An identifier of a context.
  public typealias ID = UUID

  /// The identifier of the context.
  public let id: UUID

  /// The author of the changes; recorded in the history.
  public var author: String?

  /// The name of the context; recorded in the history.
  package var contextName: String?

  /// The context whose uncommitted changes reads see: the context itself, or the one that it helps.
  package var owner: UUID

  package init(id: UUID = UUID(), author: String? = nil, contextName: String? = nil) {
    self.id = id
    self.author = author
    self.contextName = contextName
    owner = id
  }

  /// Whether the history has the same author and context for both.
  func hasTexts(of other: EditingState) -> Bool {
    author == other.author && contextName == other.contextName
  }
}
