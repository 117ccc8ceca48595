import Foundation

/// The values of a statement's parameters, in the forms that the server expects for their types.
/// Parameters are numbered from 1; those that are not set are null.
package struct ParameterBuffer {
  private enum Place {
    case null
    case own(Int)
    /// Memory of the caller, which must exist until the statement is sent.
    case borrowed(UnsafeRawPointer)
  }

  package let types: [PostgresType]
  private var places: [Place]
  private var lengths: [Int32]
  private var formats: [Int32]
  private var bytes: [UInt8] = []
  /// The owners of borrowed memory.
  private var retained: [Data] = []

  package init(_ types: [PostgresType]) {
    self.types = types
    places = Array(repeating: .null, count: types.count)
    lengths = Array(repeating: 0, count: types.count)
    formats = Array(repeating: 1, count: types.count)
    // Empty values need an address, too: none means null.
    bytes.append(0)
  }

  /// The size of the values in bytes.
  package var size: Int { lengths.reduce(0) { $0 + Int($1) } }

  package mutating func clear() {
    for index in places.indices { setNull(index) }
    bytes.removeLast(bytes.count - 1)
    retained = []
  }

  mutating func retain(_ value: Data) { retained.append(value) }

  private mutating func setNull(_ index: Int) {
    places[index] = .null
    lengths[index] = 0
    formats[index] = 1
  }

  /// Sets a parameter to the bytes that `write` appends.
  mutating func set(_ index: Int, format: Int32 = 1, _ write: (inout [UInt8]) throws -> Void) throws
  {
    let start = bytes.count
    try write(&bytes)
    places[index] = .own(start)
    lengths[index] = try length(bytes.count - start, index)
    formats[index] = format
    // libpq does not read the length of a value in text form.
    if format == 0 { bytes.append(0) }
  }

  mutating func borrow(
    _ index: Int, format: Int32 = 1, _ value: UnsafeRawBufferPointer
  ) throws {
    places[index] = value.baseAddress.map { .borrowed($0) } ?? .own(0)
    lengths[index] = try length(value.count, index)
    formats[index] = format
  }

  /// The same values without memory of the caller.
  var owned: ParameterBuffer {
    var copy = self
    for index in places.indices {
      guard case .borrowed(let start) = places[index] else { continue }
      copy.places[index] = .own(copy.bytes.count)
      copy.bytes.append(
        contentsOf: UnsafeRawBufferPointer(start: start, count: Int(lengths[index])))
    }
    return copy
  }

  package mutating func bindNull(at number: Int) throws {
    setNull(try index(number))
  }

  func index(_ number: Int) throws -> Int {
    guard places.indices.contains(number - 1) else {
      throw PostgresError(
        .misuse, "the statement has \(places.count) parameters, but number \(number) was set")
    }
    return number - 1
  }

  private func length(_ count: Int, _ index: Int) throws -> Int32 {
    // The largest message of the protocol is 1 GiB.
    guard count < 0x3FFF_0000 else {
      throw failure(
        "a value has \(count) bytes; PostgreSQL stores at most 1 GB in one value", index)
    }
    return Int32(count)
  }

  func failure(_ message: String, _ index: Int) -> PostgresError {
    var error = PostgresError(.value, message)
    error.parameter = index + 1
    return error
  }

  /// Passes each value in its binary form, `nil` for null.
  func forEachField(_ body: (UnsafeRawBufferPointer?) throws -> Void) throws {
    try bytes.withUnsafeBytes { bytes in
      for index in places.indices {
        let count = Int(lengths[index])
        let value: UnsafeRawBufferPointer
        switch places[index] {
        case .null:
          try body(nil)
          continue
        case .own(let offset):
          value = UnsafeRawBufferPointer(rebasing: bytes[offset...].prefix(count))
        case .borrowed(let start): value = UnsafeRawBufferPointer(start: start, count: count)
        }
        if formats[index] == 1 {
          try body(value)
          continue
        }
        guard types[index] == .numeric, let digits = Decimal(digits: value) else {
          throw failure("a text is not a value of the type \(types[index])", index)
        }
        var encoded: [UInt8] = []
        NumericCoding.encode(digits, to: &encoded)
        try encoded.withUnsafeBytes { try body($0) }
      }
    }
  }

  /// Lends the values in the form that libpq wants.
  func withValues<R>(
    _ body: (
      _ count: Int32, _ values: UnsafePointer<UnsafePointer<CChar>?>?,
      _ lengths: UnsafePointer<Int32>?, _ formats: UnsafePointer<Int32>?
    ) throws -> R
  ) rethrows -> R {
    try bytes.withUnsafeBytes { bytes in
      let pointers = places.map { place -> UnsafePointer<CChar>? in
        switch place {
        case .null: nil
        case .own(let offset):
          bytes.baseAddress.map { ($0 + offset).assumingMemoryBound(to: CChar.self) }
        case .borrowed(let pointer): pointer.assumingMemoryBound(to: CChar.self)
        }
      }
      return try body(Int32(places.count), pointers, lengths, formats)
    }
  }
}

extension Decimal {
  /// A number in text form; `nil` if it is none.
  fileprivate init?(digits: UnsafeRawBufferPointer) {
    let text = String(decoding: digits, as: UTF8.self)
    if text == "NaN" { self = .nan } else { self.init(string: text, locale: nil) }
  }
}
