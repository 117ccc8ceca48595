import Foundation
import SwiftData
import Testing

@Suite struct ScalarCodingTests {
  @Test func storedForms() throws {
    let id = UUID()
    #expect(true.storedValue == .integer(1))
    #expect(Int8(-3).storedValue == .integer(-3))
    #expect(Float(0.5).storedValue == .real(0.5))
    #expect(Date(timeIntervalSinceReferenceDate: 3).storedValue == .real(3))
    #expect(URL(string: "a:b")?.storedValue == .text("a:b"))
    #expect(id.storedValue == .blob(withUnsafeBytes(of: id.uuid) { Data($0) }))
  }

  @Test func unsignedNumbersUseAllBits() {
    #expect(UInt64.max.storedValue == .integer(-1))
    #expect(UInt64(storedValue: .integer(-1)) == .max)
    #expect(UInt(storedValue: UInt.max.storedValue) == .max)
  }

  @Test func numbersOutOfRangeAreRefused() {
    #expect(Int8(storedValue: .integer(300)) == nil)
    #expect(UInt32(storedValue: .integer(-1)) == nil)
    #expect(Int(storedValue: .text("1")) == nil)
    #expect(Int(storedValue: .null) == nil)
  }

  @Test func numbersOfTheOtherKindAreRead() {
    #expect(Double(storedValue: .integer(2)) == 2)
    #expect(Int(storedValue: .real(2)) == 2)
    #expect(Int(storedValue: .real(2.5)) == nil)
  }

  @Test(
    arguments: [
      ("0", .integer(0)), ("-3", .integer(-3)), ("1.5", .real(1.5)), ("0.1", .real(0.1)),
      ("123456789012345", .integer(123_456_789_012_345)),
      ("1234567890123456", .blob(Data("1234567890123456".utf8))),
    ] as [(String, _StoredValue)])
  func decimalsAreNumbersWhereExact(_ text: String, _ stored: _StoredValue) throws {
    let decimal = try #require(Decimal(string: text))
    #expect(decimal.storedValue == stored)
    #expect(Decimal(storedValue: stored) == decimal)
  }

  @Test(arguments: ["0.000000000000000000001", "1e30", "-0.3", "79228162514264337593543950335.5"])
  func decimalsAreRestored(_ text: String) throws {
    let decimal = try #require(Decimal(string: text))
    #expect(Decimal(storedValue: decimal.storedValue) == decimal)
  }

  @Test func notANumberIsRestored() {
    #expect(Decimal(storedValue: Decimal.nan.storedValue)?.isNaN == true)
  }
}
