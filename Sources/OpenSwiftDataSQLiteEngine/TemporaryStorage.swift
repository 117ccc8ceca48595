/// Where a connection keeps what it sorts and the tables that it makes for itself.
package enum TemporaryStorage: String, Sendable {
  case memory = "MEMORY"
  /// In files that nobody else sees, so that the memory stays small however much there is to sort.
  case file = "FILE"
}
