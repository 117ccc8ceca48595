import Foundation
import SwiftData
import SwiftDataStores
import Testing

@Suite("The text of a document")
struct FormatTests {
  static let text = """
    {
      "format": "SwiftData document",
      "formatVersion": 1,
      "schemaVersion": "1.0.0",
      "store": "lib",
      "entities": {
        "Author": {
          "leguin": {
            "born": 1929,
            "name": "Ursula K. Le Guin"
          },
          "": "end of Author"
        },
        "Book": {
          "a": {
            "author": "Author/leguin",
            "cover": null,
            "pages": 205,
            "shelves": [
              "Shelf/top"
            ],
            "title": "A Wizard of Earthsea"
          },
          "b": {
            "author": null,
            "cover": null,
            "pages": 0,
            "shelves": [],
            "title": "Beowulf"
          },
          "": "end of Book"
        },
        "Cover": {
          "": "end of Cover"
        },
        "Shelf": {
          "top": {
            "label": "Top"
          },
          "": "end of Shelf"
        }
      }
    }

    """

  @Test func aDocumentWrittenByHandIsReadAndWrittenAsItIs() throws {
    let folder = try Folder()
    // As an editor may leave it: less space, another order, no optional and no default values.
    try folder.write(
      """
      {"format": "SwiftData document", "formatVersion": 1, "store": "lib", "entities": {
        "Shelf": {"top": {"label": "Top"}},
        "Book": {
          "b": {"title": "Beowulf"},
          "a": {"title": "A Wizard of Earthsea", "author": "Author/leguin", "pages": 204,
                "shelves": ["Shelf/top"]}
        },
        "Author": {"leguin": {"name": "Ursula K. Le Guin", "born": 1929}}
      }}
      """)
    let context = try folder.context()
    let book = try #require(try context.book("A Wizard of Earthsea"))
    #expect(book.author?.name == "Ursula K. Le Guin")
    #expect(book.shelves.map(\.label) == ["Top"])
    #expect(book.author?.books.map(\.title) == [book.title])
    #expect(try context.all(Shelf.self)[0].books.map(\.title) == [book.title])
    book.pages = 205
    try context.save()
    #expect(try folder.read() == FormatTests.text)
  }

  @Test func aChangedValueChangesOneLine() throws {
    let folder = try Folder()
    try folder.write(FormatTests.text)
    let context = try folder.context()
    let author = try #require(try context.author("Ursula K. Le Guin"))
    author.born = nil
    try context.save()
    let difference = lines(try folder.read()).difference(from: lines(FormatTests.text))
    #expect(difference.insertions.count == 1 && difference.removals.count == 1)
  }

  @Test func newRowsOnlyAddLines() throws {
    let folder = try Folder()
    let context = try folder.context()
    var text = try folder.read()
    for number in 0..<60 {
      let book = Book("Title \(number)", by: try context.all(Author.self).randomElement())
      context.insert(book)
      if number.isMultiple(of: 3) { context.insert(Author("Name \(number)")) }
      try context.save()
      let new = try folder.read()
      let difference = lines(new).difference(from: lines(text))
      #expect(difference.removals.isEmpty)
      #expect(!difference.insertions.isEmpty)
      text = new
    }
    // A removed row removes its lines only.
    context.delete(try #require(try context.book("Title 7")))
    try context.save()
    let difference = lines(try folder.read()).difference(from: lines(text))
    #expect(difference.insertions.isEmpty && !difference.removals.isEmpty)
  }

  @Test func rowsOfTwoBranchesMergeLineByLine() throws {
    let (ours, theirs) = (try Folder(), try Folder())
    try ours.write(FormatTests.text)
    try theirs.write(FormatTests.text)
    for (folder, title) in [(ours, "Ours"), (theirs, "Theirs")] {
      let context = try folder.context()
      context.insert(Book(title, by: try context.author("Ursula K. Le Guin")))
      try context.save()
    }
    // A merge of additions only: the added lines of both, each at its place.
    let base = lines(FormatTests.text)
    var merged = base
    let additions = try [ours, theirs].map { folder in
      try #require(block(lines(try folder.read()), beyond: base))
    }
    for (block, position) in additions.sorted(by: { $0.position > $1.position }) {
      merged.insert(contentsOf: block, at: position)
    }
    let folder = try Folder()
    try folder.write(merged.joined(separator: "\n"))
    let titles = try folder.context().all(Book.self).map(\.title)
    #expect(Set(titles) == ["Ours", "Theirs", "Beowulf", "A Wizard of Earthsea"])
  }

  @Test func keysAreShortAndDistinct() throws {
    let folder = try Folder()
    let context = try folder.context()
    for number in 0..<500 { context.insert(Shelf("\(number)")) }
    try context.save()
    let keys = Set(
      lines(try folder.read()).filter { $0.hasPrefix("      \"") && $0.hasSuffix("{") })
    #expect(keys.count == 500)
    #expect(keys.allSatisfy { $0.wholeMatch(of: /\ {6}"[a-z][0-9a-z]{9}": \{/) != nil })
  }

  private func lines(_ text: String) -> [String] { text.components(separatedBy: "\n") }

  /// The added lines, and where they were added.
  private func block(
    _ lines: [String], beyond base: [String]
  ) -> (lines: [String], position: Int)? {
    let added = lines.count - base.count
    guard let start = base.indices.first(where: { lines[$0] != base[$0] }) else { return nil }
    // The first lines of the new row may be equal to those of the next one.
    for first in stride(from: start, through: 0, by: -1) {
      if Array(lines[..<first] + lines[(first + added)...]) == base,
        lines[first].hasSuffix("{")
      {
        return (Array(lines[first..<first + added]), first)
      }
    }
    return nil
  }
}
