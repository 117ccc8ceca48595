#if !Observability
  /// Logs, measures and traces what stores do. Enable the trait `Observability` of the package.
  @available(
    *, unavailable,
    message:
      "add traits: [\"Observability\"] to the dependency on OpenSwiftData in your Package.swift"
  )
  public struct StoreMonitor {}
#endif
