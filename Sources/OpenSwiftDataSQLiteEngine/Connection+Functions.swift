import OpenSwiftDataCSQLite

extension Connection {
  /// Registers a Swift function for SQL; an argument count of -1 means any number.
  ///
  /// Triggers, views and indexes of a file cannot call it. If `deterministic` is true, SQLite may
  /// call it once for equal arguments within a statement.
  package func register(
    function name: String, argumentCount: Int, deterministic: Bool,
    _ body: @escaping (FunctionArguments) -> FunctionResult
  ) throws {
    let box = Unmanaged.passRetained(FunctionBox(body))
    let flags = SQLITE_UTF8 | SQLITE_DIRECTONLY | (deterministic ? SQLITE_DETERMINISTIC : 0)
    // SQLite releases the box through the last argument, also when this call fails.
    let code = sqlite3_create_function_v2(
      handle, name, Int32(argumentCount), flags, box.toOpaque(),
      { context, count, values in
        guard let data = sqlite3_user_data(context) else { return }
        let box = Unmanaged<FunctionBox>.fromOpaque(data).takeUnretainedValue()
        box.body(FunctionArguments(count: Int(count), values: values)).deliver(to: context)
      }, nil, nil,
      { data in
        if let data { Unmanaged<FunctionBox>.fromOpaque(data).release() }
      })
    if code != SQLITE_OK {
      throw SQLiteError(database: handle, resultCode: code, path: path)
    }
  }
}

private final class FunctionBox {
  let body: (FunctionArguments) -> FunctionResult

  init(_ body: @escaping (FunctionArguments) -> FunctionResult) {
    self.body = body
  }
}
