/// Where a connection keeps sort data and temporary tables.
package enum TemporaryStorage: String, Sendable {
  case memory = "MEMORY"
  /// In private files, so that memory use stays small whatever the amount of data.
  case file = "FILE"
}
