import Foundation
import SwiftData
import Testing

/// A value that is stored through a transformer, like colours and images are.
enum PaletteApp {
  final class Tint: NSObject {
    let red: UInt8
    let green: UInt8
    let blue: UInt8

    init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
      (self.red, self.green, self.blue) = (red, green, blue)
    }
  }

  final class TintTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSData.self }
    override class func allowsReverseTransformation() -> Bool { true }

    override func transformedValue(_ value: Any?) -> Any? {
      (value as? Tint).map { Data([$0.red, $0.green, $0.blue]) }
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
      guard let data = value as? Data, data.count == 3 else { return nil }
      return Tint(data[0], data[1], data[2])
    }

    static func register() {
      ValueTransformer.setValueTransformer(
        TintTransformer(), forName: NSValueTransformerName("PaletteTintTransformer"))
    }
  }

  @Model final class Swatch {
    var name: String
    @Attribute(.transformable(by: TintTransformer.self)) var tint: Tint
    @Attribute(.transformable(by: "PaletteTintTransformer")) var border: Tint?
    @Attribute(.externalStorage, .preserveValueOnDeletion) var preview: Data?
    @Transient var isSelected = false

    init(name: String, tint: Tint, border: Tint? = nil) {
      self.name = name
      self.tint = tint
      self.border = border
    }
  }
}

@Suite struct PaletteAppTests {
  @Test func transformedValuesAreStored() throws {
    PaletteApp.TintTransformer.register()
    let container = try ModelContainer(
      for: PaletteApp.Swatch.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let swatch = PaletteApp.Swatch(name: "sun", tint: .init(255, 200, 0), border: .init(1, 2, 3))
    swatch.isSelected = true
    context.insert(swatch)
    try context.save()
    let stored = try #require(
      try ModelContext(container).fetch(FetchDescriptor<PaletteApp.Swatch>()).first)
    #expect([stored.tint.red, stored.tint.green, stored.tint.blue].elementsEqual([255, 200, 0]))
    #expect(stored.border?.blue == 3)
    #expect(!stored.isSelected)
    swatch.border = nil
    swatch.tint = .init(9, 9, 9)
    try context.save()
    let again = try #require(
      try ModelContext(container).fetch(FetchDescriptor<PaletteApp.Swatch>()).first)
    #expect(again.border == nil)
    #expect(again.tint.red == 9)
  }
}
