extension ModelContainer {
  /// How much history each store has, in the order of the configurations.
  ///
  /// ```swift
  /// for size in try container.historySize() {
  ///   print(size.transactionCount, "transactions,", size.byteCount, "bytes")
  /// }
  /// ```
  ///
  /// Counts the rows of the history, which reads an index of each of its tables. Stores without
  /// history are left out. ``ModelConfiguration/historyRetention`` limits the history. Not in Apple's
  /// framework.
  /// - Throws: The error of a store, or ``SwiftDataError/containerClosed``.
  public func historySize() throws -> [HistorySize] {
    try coordinator.requireOpen()
    return try coordinator.ports.compactMap { try $0.historySize() }
  }
}
