import Foundation
import SwiftData
import Testing

/// Integers whose Swift type changes: the number stays the same, or the rows are named.
@Suite struct IntegerMigrationTests {
  private let store: MigratedStore

  init() throws { store = try MigratedStore() }

  enum Unsigned {
    @Model final class Item {
      var number: UInt64
      init(_ number: UInt64) { self.number = number }
    }
  }
  enum Signed {
    @Model final class Item {
      var number: Int64
      init(_ number: Int64) { self.number = number }
    }
  }
  enum Plain {
    @Model final class Item {
      var number: Int
      init(_ number: Int) { self.number = number }
    }
  }
  enum Natural {
    @Model final class Item {
      var number: UInt
      init(_ number: UInt) { self.number = number }
    }
  }
  enum Short {
    @Model final class Item {
      var number: Int16
      init(_ number: Int16) { self.number = number }
    }
  }
  enum Tiny {
    @Model final class Item {
      var number: Int8
      init(_ number: Int8) { self.number = number }
    }
  }
  enum Real {
    @Model final class Item {
      var number: Double
      init(_ number: Double) { self.number = number }
    }
  }
  enum Money {
    @Model final class Item {
      var number: Decimal
      init(_ number: Decimal) { self.number = number }
    }
  }

  struct Size: Codable, Equatable { var width: UInt64 = 0 }
  struct SignedSize: Codable, Equatable { var width: Int64 = 0 }

  enum Sized {
    @Model final class Item {
      var size: Size
      init(_ size: Size) { self.size = size }
    }
  }
  enum SignedSized {
    @Model final class Item {
      var size: SignedSize
      init(_ size: SignedSize) { self.size = size }
    }
  }

  private func expectRefusal(_ types: [any PersistentModel.Type], rows: String) throws {
    let text = try store.refusal(types)
    #expect(text.contains("Item.number") && text.contains(rows), "\(text)")
  }

  @Test func anUnsignedNumberThatIsTooLargeIsRefused() throws {
    try store.make([Unsigned.Item.self]) { context in
      for number in [1, 2, UInt64.max] { context.insert(Unsigned.Item(number)) }
    }
    for types: [any PersistentModel.Type] in [
      [Signed.Item.self], [Plain.Item.self], [Short.Item.self], [Real.Item.self], [Money.Item.self],
    ] {
      try expectRefusal(types, rows: "1 row (p")
    }
    // The type of the same numbers is no change.
    let context = try store.open([Natural.Item.self])
    #expect(
      try context.fetch(FetchDescriptor<Natural.Item>(sortBy: [SortDescriptor(\.number)]))
        .map(\.number) == [1, 2, UInt.max])
  }

  @Test func unsignedNumbersThatFitGoOn() throws {
    try store.make([Unsigned.Item.self]) { context in
      for number in [1, UInt64(Int64.max)] { context.insert(Unsigned.Item(number)) }
    }
    let context = try store.open([Signed.Item.self])
    #expect(
      try context.fetch(FetchDescriptor<Signed.Item>(sortBy: [SortDescriptor(\.number)]))
        .map(\.number) == [1, .max])
  }

  @Test func aNegativeNumberIsNoUnsignedOne() throws {
    try store.make([Plain.Item.self]) { context in
      for number in [3, -1, Int.min] { context.insert(Plain.Item(number)) }
    }
    try expectRefusal([Natural.Item.self], rows: "2 rows (p")
    try expectRefusal([Unsigned.Item.self], rows: "2 rows (p")
    // The smallest number has no absolute value.
    try expectRefusal([Tiny.Item.self], rows: "1 row (p")
  }

  @Test func theSmallestNumberIsAskedToo() throws {
    try store.make([Plain.Item.self]) { context in
      for number in [3, Int.min + 1] { context.insert(Plain.Item(number)) }
    }
    try expectRefusal([Real.Item.self], rows: "1 row (p")
    try store.make([Plain.Item.self]) { $0.insert(Plain.Item(.min)) }
    try expectRefusal([Real.Item.self], rows: "2 rows (p")
  }

  @Test func aNumberBeyondAByteIsRefused() throws {
    try store.make([Short.Item.self]) { context in
      for number: Int16 in [127, 128, -129] { context.insert(Short.Item(number)) }
    }
    try expectRefusal([Tiny.Item.self], rows: "2 rows (p")
  }

  @Test func bytesGoOnAsLargerNumbers() throws {
    try store.make([Tiny.Item.self]) { $0.insert(Tiny.Item(-128)) }
    do {
      let context = try store.open([Short.Item.self])
      #expect(try context.fetch(FetchDescriptor<Short.Item>()).map(\.number) == [-128])
    }
    let context = try store.open([Tiny.Item.self])
    #expect(try context.fetch(FetchDescriptor<Tiny.Item>()).map(\.number) == [-128])
  }

  @Test func whatIsNoNumberIsNoInteger() throws {
    try store.make([Real.Item.self]) { context in
      for number in [1, .nan] { context.insert(Real.Item(number)) }
    }
    try expectRefusal([Plain.Item.self], rows: "1 row (p")
  }

  @Test func numbersInStructsAreAskedToo() throws {
    try store.make([Sized.Item.self]) { context in
      for width in [1, UInt64.max] { context.insert(Sized.Item(Size(width: width))) }
    }
    let text = try store.refusal([SignedSized.Item.self])
    #expect(text.contains("Item.size") && text.contains("1 row (p"), "\(text)")
  }
}
