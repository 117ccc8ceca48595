import Foundation
import SwiftData
import Testing

/// Values that contain values of their own type.
@Suite(.databases) struct NestedValueTests {
  struct Outline: Codable {
    var parts: [Outline] = []

    init(levels: Int) {
      for _ in 1..<levels { self = Outline(of: self) }
    }

    private init(of part: Outline) { parts = [part] }

    var levels: Int { 1 + (parts.first?.levels ?? 0) }
  }

  @Model final class Page {
    @Attribute(.codable) var outline: Outline

    init(_ outline: Outline) { self.outline = outline }
  }

  /// JSON has 512 levels at most, and each outline is an object with an array.
  @Test func anErrorNamesTheLargestDepth() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Page.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let page = Page(Outline(levels: 250))
    context.insert(page)
    try context.save()
    let back = try ModelContext(context.container).fetch(FetchDescriptor<Page>()).first
    #expect(back?.outline.levels == 250)
    page.outline = Outline(levels: 260)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.property == "outline")
    #expect(error?.description.contains("512 levels") == true, "\(error?.description ?? "")")
  }
}
