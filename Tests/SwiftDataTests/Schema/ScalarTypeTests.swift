import Foundation
import SwiftData
import Testing

/// The table of scalar types and the conformances of the Swift types say the same.
@Suite struct ScalarTypeTests {
  @Test(arguments: ScalarType.allCases)
  func theTableAgreesWithTheConformances(_ type: ScalarType) throws {
    let traits = type.traits
    #expect(traits.swiftType.scalarType == type)
    let attribute = try #require(traits.swiftType as? any _ScalarAttribute.Type)
    let slot = attribute._empty._slotValue
    if case .boxed = slot { #expect(traits.isBoxed) } else { #expect(!traits.isBoxed) }
    let stored = try #require((attribute._empty as? any ScalarCoding)?.storedValue)
    #expect(kind(of: stored) == expectedKind(traits.column))
    #expect(kind(of: traits.empty) == expectedKind(traits.column))
    #expect(traits.swiftType.init(storedValue: traits.empty) != nil)
  }

  @Test(arguments: ScalarType.allCases)
  func rangesAreThoseOfTheSwiftTypes(_ type: ScalarType) {
    func range<T: FixedWidthInteger>(_ type: T.Type) -> Swift.ClosedRange<Int64>? {
      Int64(exactly: T.max).map { Int64(T.min)...$0 }
    }
    let integer = type.swiftType as? any FixedWidthInteger.Type
    #expect(type.traits.integers == integer.flatMap { range($0) })
    #expect((type.traits.order == .unsigned) == (integer != nil && type.traits.integers == nil))
  }

  @Test func typesAreKnownByName() throws {
    for type in ScalarType.allCases {
      let attribute = Schema.Attribute(name: "value", valueType: type.swiftType)
      let copy = try JSONDecoder().decode(
        Schema.Attribute.self, from: JSONEncoder().encode(attribute))
      #expect(ObjectIdentifier(copy.valueType) == ObjectIdentifier(type.swiftType))
    }
  }

  private enum Kind { case integer, real, text, blob }

  private func kind(of value: _StoredValue) -> Kind? {
    switch value {
    case .null: nil
    case .integer: .integer
    case .real: .real
    case .text: .text
    case .blob: .blob
    }
  }

  private func expectedKind(_ column: ScalarColumn) -> Kind {
    switch column {
    case .integer, .boolean, .decimal: .integer
    case .real, .date: .real
    case .text, .uri: .text
    case .uuid, .binary: .blob
    }
  }
}
