extension Duration {
  /// A time limit in milliseconds, at most the 24 days that SQLite accepts.
  var milliseconds: Int32 {
    if self >= .milliseconds(Int32.max) { return .max }
    return self > .zero ? Int32(self / .milliseconds(1)) : 0
  }
}
