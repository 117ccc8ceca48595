import Foundation
import SwiftData
import SwiftDataPostgres
import Testing

@Model
final class Letter {
  @Attribute(.externalStorage) var text: String
  @Attribute(.externalStorage) var link: URL?

  init(_ text: String) { self.text = text }
}

/// Texts that the default store may keep in files.
@Suite(.enabled(if: TestDatabase.isAvailable))
struct PostgresExternalTextTests {
  @Test func textsWithExternalStorageAreStored() throws {
    let address = try TestDatabase.addressOfNewSchema()
    let container = try ModelContainer(
      for: Letter.self, configurations: PostgresConfiguration(url: address))
    let texts = ["", "\u{1}", "\u{2}name", "x", String(repeating: "ä", count: 200_000)]
    let context = ModelContext(container)
    for text in texts { context.insert(Letter(text)) }
    let letter = Letter("y")
    letter.link = URL(string: "https://x.example/y")
    context.insert(letter)
    try context.save()
    letter.text = "\u{1}changed"
    try context.save()
    let found = try ModelContext(container).fetch(FetchDescriptor<Letter>())
    #expect(Set(found.map(\.text)) == Set(texts + ["\u{1}changed"]))
    #expect(found.compactMap(\.link) == [letter.link])
  }
}
