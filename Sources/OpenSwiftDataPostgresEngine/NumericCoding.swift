import Foundation

/// The binary form of `numeric`: a header of four 16-bit words, and digits to the base 10,000.
enum NumericCoding {
  private static let negative: UInt16 = 0x4000
  private static let notANumber: UInt16 = 0xC000

  /// Appends the exact value.
  static func encode(_ value: Decimal, to bytes: inout [UInt8]) {
    func append(_ word: UInt16) {
      bytes.append(UInt8(word >> 8))
      bytes.append(UInt8(word & 0xFF))
    }
    if value.isNaN {
      for word in [0, 0, notANumber, 0] { append(word) }
      return
    }
    let exponent = value.exponent
    let places = max(0, -exponent)
    // The exponent in digits to the base 10,000, rounded down, and the zeros that make up for it.
    let shift = exponent >> 2
    var digits = decimalDigits(value.significand) + Array(repeating: 0, count: exponent & 3)
    digits = Array(repeating: 0, count: (4 - digits.count & 3) & 3) + digits
    var groups = stride(from: 0, to: digits.count, by: 4).map { index in
      digits[index..<index + 4].reduce(0 as UInt16) { $0 * 10 + UInt16($1) }
    }
    var weight = groups.count - 1 + shift
    while groups.last == 0 { groups.removeLast() }
    while groups.first == 0 {
      groups.removeFirst()
      weight -= 1
    }
    if groups.isEmpty { weight = 0 }
    append(UInt16(groups.count))
    append(UInt16(bitPattern: Int16(weight)))
    append(value.isSignMinus && !groups.isEmpty ? negative : 0)
    append(UInt16(places))
    for group in groups { append(group) }
  }

  /// The exact value; `nil` if the bytes are not a `numeric`.
  /// - Throws: `PostgresError` if `Decimal` cannot represent the value.
  static func decode(_ bytes: UnsafeRawBufferPointer) throws -> Decimal? {
    guard let parts = try parts(bytes) else { return nil }
    guard var (mantissa, exponent) = parts.number else { return .nan }
    if mantissa == 0 { return 0 }
    // A mantissa with room for zeros reaches further than the exponent of `Decimal`.
    while exponent > Int(Int8.max) {
      mantissa = try times10(mantissa)
      exponent -= 1
    }
    if exponent < Int(Int8.min) { throw tooLarge("more decimal places") }
    return decimal(mantissa, exponent: exponent, isNegative: parts.isNegative)
  }

  /// The exact value; `nil` if the bytes are not a `numeric`, or have decimal places.
  /// - Throws: `PostgresError` if the number is too large.
  static func decodeInteger(_ bytes: UnsafeRawBufferPointer) throws -> Int64? {
    guard let parts = try parts(bytes), var (mantissa, exponent) = parts.number, exponent >= 0
    else { return nil }
    while exponent > 0 {
      mantissa = try times10(mantissa)
      exponent -= 1
    }
    guard
      let value = Int128(exactly: mantissa).flatMap({ Int64(exactly: parts.isNegative ? -$0 : $0) })
    else { return nil }
    return value
  }

  private struct Parts {
    /// The mantissa and the decimal exponent; `nil` for NaN.
    var number: (mantissa: UInt128, exponent: Int)?
    var isNegative = false
  }

  private static func parts(_ bytes: UnsafeRawBufferPointer) throws -> Parts? {
    guard bytes.count >= 8, bytes.count & 1 == 0 else { return nil }
    func word(_ index: Int) -> UInt16 {
      bytes.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self).bigEndian
    }
    let (count, weight) = (Int(word(0)), Int(Int16(bitPattern: word(1))))
    let sign = word(2)
    if sign == notANumber { return Parts() }
    if sign == 0xD000 || sign == 0xF000 { throw tooLarge("a larger magnitude") }
    guard sign == 0 || sign == negative, bytes.count == 8 + count * 2 else { return nil }
    var groups = (0..<count).map { word(4 + $0) }
    guard groups.allSatisfy({ $0 < 10_000 }) else { return nil }
    while groups.last == 0 { groups.removeLast() }
    guard var lowest = groups.popLast() else { return Parts(number: (0, 0)) }
    var exponent = (weight - groups.count) * 4
    // The zeros at the end are not part of the value.
    var unit: UInt128 = 10_000
    while lowest % 10 == 0 {
      lowest /= 10
      unit /= 10
      exponent += 1
    }
    var mantissa: UInt128 = 0
    for group in groups { mantissa = try multiplied(mantissa, by: 10_000, plus: UInt128(group)) }
    mantissa = try multiplied(mantissa, by: unit, plus: UInt128(lowest))
    return Parts(number: (mantissa, exponent), isNegative: sign == negative)
  }

  private static func times10(_ value: UInt128) throws -> UInt128 {
    try multiplied(value, by: 10, plus: 0)
  }

  private static func multiplied(
    _ value: UInt128, by factor: UInt128, plus addend: UInt128
  ) throws -> UInt128 {
    let (product, overflows) = value.multipliedReportingOverflow(by: factor)
    let (sum, carries) = product.addingReportingOverflow(addend)
    if overflows || carries { throw tooLarge("more digits") }
    return sum
  }

  private static func tooLarge(_ what: String) -> PostgresError {
    PostgresError(
      .value, "a numeric value has \(what) than Decimal can represent, and it is not rounded")
  }

  private static func decimalDigits(_ significand: Decimal) -> [UInt8] {
    significand.magnitude.description.utf8.filter { 48...57 ~= $0 }.map { $0 - 48 }
  }

  private static func decimal(
    _ mantissa: UInt128, exponent: Int, isNegative: Bool
  ) -> Decimal {
    let high = UInt64(truncatingIfNeeded: mantissa >> 64)
    let low = UInt64(truncatingIfNeeded: mantissa)
    // Exact, because 128 bits are enough.
    let significand = Decimal(high) * (Decimal(UInt64.max) + 1) + Decimal(low)
    return Decimal(
      sign: isNegative ? .minus : .plus, exponent: exponent, significand: significand)
  }
}
