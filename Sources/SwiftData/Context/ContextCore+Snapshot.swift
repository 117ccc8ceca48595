/// Reads of several statements that see one state of the stores, for `ModelContext.snapshot`.
extension ContextCore {
  func snapshot<R>(_ body: () throws -> R) throws -> R {
    // A transaction sees one state already; so does a snapshot around this one.
    if transaction != nil || isReadingSnapshot { return try body() }
    while true {
      applyExternalChanges()
      let version = coordinator.changeLog.currentVersion
      let result = try reading(coordinator.ports[...]) { () -> R? in
        // What was saved in between is in the snapshot, and not in the models.
        guard coordinator.changeLog.currentVersion == version else { return nil }
        isReadingSnapshot = true
        defer { isReadingSnapshot = false }
        return try body()
      }
      if let result { return result }
    }
  }

  private func reading<R>(
    _ ports: ArraySlice<any StorePort>, _ body: () throws -> R
  ) throws -> R {
    guard let port = ports.first else { return try body() }
    return try port.snapshot {
      try port.beginReading()
      return try reading(ports.dropFirst(), body)
    }
  }
}
