/// The identifier on the other side of a to-one relationship.
package final class IdentifierBox: Sendable {
  package let identifier: PersistentIdentifier
  init(_ identifier: PersistentIdentifier) { self.identifier = identifier }
}
