import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// A call of the system that failed.
struct SystemError: Error, CustomStringConvertible {
  let number: Int32
  let operation: String

  init(_ operation: String) {
    number = errno
    self.operation = operation
  }

  var description: String { "\(operation) failed: \(String(cString: strerror(number)))" }

  /// Repeats a call that a signal interrupted.
  /// - Throws: `SystemError` if the call returns -1.
  static func check<R: SignedInteger>(_ operation: String, _ call: () -> R) throws -> R {
    while true {
      let result = call()
      if result != -1 { return result }
      if errno != EINTR { throw SystemError(operation) }
    }
  }
}

/// An open file or folder, which is closed with this value.
struct OpenFile: ~Copyable {
  let number: Int32

  /// - Throws: `SystemError`.
  init(_ path: String, _ flags: Int32, mode: mode_t = 0o666) throws {
    number = try SystemError.check("opening \(path)") { open(path, flags | O_CLOEXEC, mode) }
  }

  deinit { close(number) }

  /// - Returns: The number of bytes that were read; 0 at the end of the file.
  /// - Throws: `SystemError`.
  func readBytes(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    try SystemError.check("reading a file") { read(number, buffer.baseAddress, buffer.count) }
  }

  /// - Returns: The number of bytes that were written.
  /// - Throws: `SystemError`.
  func writeBytes(_ bytes: UnsafeRawBufferPointer) throws -> Int {
    try SystemError.check("writing a file") { write(number, bytes.baseAddress, bytes.count) }
  }

  /// Writes what the system has in memory to the disk.
  func synchronize() throws {
    _ = try SystemError.check("writing to the disk") { fsync(number) }
  }
}
