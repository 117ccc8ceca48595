public import Foundation

/// Tells a store which context asks.
public struct EditingState: Identifiable, Sendable {
  /// An identifier of a context.
  public typealias ID = UUID

  /// The identifier of the context.
  public let id: UUID

  /// Who makes the changes; kept in the history.
  public var author: String?

  /// The name of the context; kept in the history.
  package var contextName: String?

  package init(id: UUID = UUID(), author: String? = nil, contextName: String? = nil) {
    self.id = id
    self.author = author
    self.contextName = contextName
  }
}
