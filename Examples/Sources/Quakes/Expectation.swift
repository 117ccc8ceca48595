import Foundation

/// Ends the program with exit code 1 when the store gave another answer than the data.
func expect<Value: Equatable>(_ expected: Value, _ actual: Value, _ what: String) {
  if expected != actual { fail("Expected \(expected) \(what), found \(actual).") }
}

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("\n\(message)\n".utf8))
  exit(1)
}
