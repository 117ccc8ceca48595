/// Several reads from one state of the stores, for `ModelContext.snapshot`.
extension ContextCore {
  func snapshot<R>(_ body: () throws -> R) throws -> R {
    // A transaction and an enclosing snapshot already see one state.
    if transaction != nil || isReadingSnapshot { return try body() }
    while true {
      applyExternalChanges()
      let version = coordinator.changeLog.currentVersion
      let result = try reading(coordinator.ports[...]) { () -> R? in
        // A save in between would be visible in the snapshot but not in the models: try again.
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
