public import Foundation

/// Tells a store which context asks.
public struct EditingState: Identifiable, Sendable {
  /// An identifier of a context.
  public typealias ID = UUID

  /// The identifier of the context.
  public let id: UUID

  /// Who makes the changes; kept in the history.
  public var author: String?

  package init(id: UUID = UUID(), author: String? = nil) {
    self.id = id
    self.author = author
  }
}
