extension Array {
  /// A list as short as possible that fails too.
  func shrunk(while fails: ([Element]) -> Bool) -> [Element] {
    var best = self
    var size = Swift.max(1, count / 2)
    while true {
      var start = 0
      var hasShrunk = false
      while start < best.count {
        var shorter = best
        shorter.removeSubrange(start..<Swift.min(start + size, best.count))
        if fails(shorter) {
          best = shorter
          hasShrunk = true
        } else {
          start += size
        }
      }
      if size == 1 && !hasShrunk { return best }
      size = Swift.max(1, size / 2)
    }
  }
}
