package import Foundation
import OpenSwiftDataCZlib

/// Raw DEFLATE (RFC 1951), which compresses the model cache of a store.
package enum Deflate {
  private static let chunk = 16 * 1024

  /// - Parameter limit: The maximum size of the result, because a few bytes may expand to many.
  package static func inflate(_ data: Data, limit: Int = 64 << 20) throws(FormatError) -> Data {
    var stream = z_stream()
    guard czlib_inflate_init_raw(&stream) == Z_OK else {
      throw FormatError("There is not enough memory to decompress the data.")
    }
    defer { inflateEnd(&stream) }
    guard let result = run(&stream, data, limit: limit, inflateChunk) else {
      throw FormatError("The compressed data is damaged, or expands to more than \(limit) bytes.")
    }
    return result
  }

  /// - Parameter level: From 0 (no compression) to 9; -1 is zlib's default.
  package static func deflate(_ data: Data, level: Int = -1) throws(FormatError) -> Data {
    var stream = z_stream()
    guard (-1...9).contains(level), czlib_deflate_init_raw(&stream, Int32(level)) == Z_OK else {
      throw FormatError("There is not enough memory to compress the data.")
    }
    defer { deflateEnd(&stream) }
    guard let result = run(&stream, data, limit: .max, deflateChunk) else {
      throw FormatError("The data can't be compressed.")
    }
    return result
  }

  private static func inflateChunk(_ stream: inout z_stream) -> Int32 {
    OpenSwiftDataCZlib.inflate(&stream, Z_NO_FLUSH)
  }

  private static func deflateChunk(_ stream: inout z_stream) -> Int32 {
    OpenSwiftDataCZlib.deflate(&stream, Z_FINISH)
  }

  /// Runs zlib over the input until the stream reports its end.
  ///
  /// - Returns: `nil` if the stream fails, is incomplete, or expands beyond the limit.
  private static func run(
    _ stream: inout z_stream, _ data: Data, limit: Int, _ step: (inout z_stream) -> Int32
  ) -> Data? {
    guard data.count <= Int(UInt32.max) else { return nil }
    var result = Data()
    var buffer = [UInt8](repeating: 0, count: chunk)
    let ended = data.withUnsafeBytes { input in
      // zlib does not write to its input.
      stream.next_in = UnsafeMutablePointer(
        mutating: input.bindMemory(to: UInt8.self).baseAddress)
      stream.avail_in = UInt32(input.count)
      while true {
        let status = buffer.withUnsafeMutableBufferPointer { output in
          stream.next_out = output.baseAddress
          stream.avail_out = UInt32(output.count)
          return step(&stream)
        }
        result.append(contentsOf: buffer[..<(buffer.count - Int(stream.avail_out))])
        guard result.count <= limit else { return false }
        if status == Z_STREAM_END { return true }
        // No progress means that the input is incomplete.
        guard status == Z_OK, stream.avail_in > 0 || stream.avail_out == 0 else { return false }
      }
    }
    return ended ? result : nil
  }
}
