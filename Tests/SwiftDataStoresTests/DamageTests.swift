import Foundation
import SwiftData
import SwiftDataStores
import Testing

@Suite("Documents with mistakes give an error with the place, and are never overwritten")
struct DamageTests {
  /// The error of opening a document with a text.
  private func error(_ text: String, schema: Schema = library) throws -> DocumentStoreError {
    let folder = try Folder()
    try folder.write(text)
    let error = try #require(
      #expect(throws: DocumentStoreError.self) { _ = try folder.open(schema) })
    #expect(error.url == folder.file)
    #expect(try folder.read() == text)
    #expect(error.description.hasPrefix(folder.file.path))
    return error
  }

  @Test func aFileThatWasCutAnywhere() throws {
    let folder = try Folder()
    let bytes = Array(FormatTests.text.utf8)
    var readable: [Int] = []
    for count in 0..<bytes.count {
      let part = Data(bytes[..<count])
      try part.write(to: folder.file)
      // For a file that was written just now, the store waits for the rest.
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1e9)], ofItemAtPath: folder.file.path)
      do {
        _ = try folder.open()
        readable.append(count)
      } catch let error as DocumentStoreError {
        #expect(error.code == .damagedFile)
      }
      #expect(try Data(contentsOf: folder.file) == part)
    }
    // Only the last line end may be missing.
    #expect(readable == [bytes.count - 1])
  }

  @Test func aFileThatIsCutWhileItIsInUse() throws {
    let folder = try Folder()
    try folder.write(FormatTests.text)
    let context = try folder.context()
    let book = try #require(try context.book("Beowulf"))
    book.pages = 3
    let half = String(FormatTests.text.prefix(300))
    try folder.write(half)
    #expect(throws: DocumentStoreError.self) { try context.save() }
    #expect(throws: DocumentStoreError.self) { try context.all(Book.self) }
    #expect(try folder.read() == half)
    #expect(context.hasChanges)
    // When the file is restored, the save is possible.
    try folder.write(FormatTests.text)
    try context.save()
    #expect(try folder.context().book("Beowulf")?.pages == 3)
  }

  @Test func aFileThatIsGone() throws {
    let folder = try Folder()
    try folder.write(FormatTests.text)
    let context = try folder.context()
    context.insert(Shelf("A"))
    try FileManager.default.removeItem(at: folder.file)
    let error = try #require(#expect(throws: DocumentStoreError.self) { try context.save() })
    #expect(error.code == .missingFile)
    #expect(try folder.names.isEmpty)
  }

  @Test(arguments: [
    ("{\"a\": 1,}", 1, "comma after the last"), ("{\n\"a\": 01}", 2, "begins with 0"),
    ("[1 2]", 1, "no ','"), ("{\"a\" 1}", 1, "no ':'"), ("{} x", 1, "after the end"),
    ("{\"a\": tru }", 1, "true, false"), ("{\"a\": \"b\n\"}", 1, "no end on its line"),
    ("{\"a\": \"\\x\"}", 1, "escape"), ("{\"a\": \"\\uD800\"}", 1, "surrogates"),
    ("{\"a\": \"\\u12g4\"}", 1, "hexadecimal"), ("{\n\n\"a\": 1, \"a\": 2}", 3, "two members"),
    ("{'a': 1}", 1, "'''"), ("{\"a\": .5}", 1, "'.'"), ("{\"a\": +5}", 1, "'+'"),
    (String(repeating: "[", count: 100_000), 1, "levels"), ("{\"a\": NaN}", 1, "'N'"),
  ])
  func textsThatAreNoJSON(_ text: String, _ line: Int, _ reason: String) throws {
    let error = try error(text)
    #expect(error.code == .damagedFile)
    #expect(error.line == line)
    #expect(error.explanation.contains(reason), "\(error)")
  }

  @Test func bytesThatAreNoText() throws {
    let folder = try Folder()
    try Data([0x7B, 0x22, 0xC3, 0x28, 0x22, 0x3A, 0x31, 0x7D]).write(to: folder.file)
    let error = #expect(throws: DocumentStoreError.self) { _ = try folder.open() }
    #expect(error?.code == .damagedFile)
  }

  @Test(arguments: [
    ("[]", DocumentStoreError.Code.unknownFormat, 1), ("{}", .unknownFormat, 1),
    ("{\n\"format\": \"Other\"}", .unknownFormat, 2),
    (
      "{\"format\": \"SwiftData document\",\n\"formatVersion\": 2, \"entities\": {}}",
      .unknownFormat, 2
    ),
    ("{\"format\": \"SwiftData document\", \"entities\": {}}", .unknownFormat, 1),
    ("{\"format\": \"SwiftData document\",\n\"formatVersion\": \"1\"}", .unknownFormat, 2),
    ("{\"format\": \"SwiftData document\", \"formatVersion\": 1}", .unknownFormat, 1),
    (document("", header: "\n\"schemaVersion\": \"1.1.0\","), .newerSchema, 4),
    (document("", header: "\n\"schemaVersion\": \"new\","), .unknownFormat, 4),
    (document("", header: "\n\"store\": 4,"), .invalidValue, 4),
    (document("", header: "\n\"comment\": \"hello\","), .unknownContent, 4),
  ])
  func otherFormats(_ text: String, _ code: DocumentStoreError.Code, _ line: Int) throws {
    let error = try error(text)
    #expect(error.code == code, "\(error)")
    #expect(error.line == line, "\(error)")
  }

  @Test(arguments: [
    ("\"Books\": {}", DocumentStoreError.Code.unknownContent, "Books"),
    ("\"Book\": []", .invalidValue, "Book"),
    ("\"Book\": {\"a\": 5}", .invalidValue, "Book/a"),
    ("\"Book\": {\"\": {\"title\": \"A\"}}", .invalidValue, "Book"),
    ("\"Book\": {\"a\": {\"titel\": \"A\"}}", .unknownContent, "Book/a.titel"),
    ("\"Book\": {\"a\": {}}", .invalidValue, "Book/a.title"),
    ("\"Book\": {\"a\": {\"title\": null}}", .invalidValue, "Book/a.title"),
    ("\"Book\": {\"a\": {\"title\": 5}}", .invalidValue, "Book/a.title"),
    ("\"Book\": {\"a\": {\"title\": \"A\", \"pages\": \"5\"}}", .invalidValue, "Book/a.pages"),
    ("\"Book\": {\"a\": {\"title\": \"A\", \"pages\": 5.5}}", .invalidValue, "Book/a.pages"),
    (
      "\"Book\": {\"a\": {\"title\": \"A\", \"pages\": 9223372036854775808}}", .invalidValue,
      "Book/a.pages"
    ),
    ("\"Book\": {\"a\": {\"title\": \"A\", \"author\": 5}}", .invalidValue, "Book/a.author"),
    ("\"Book\": {\"a\": {\"title\": \"A\", \"author\": \"tove\"}}", .invalidLink, "Book/a.author"),
    (
      "\"Book\": {\"a\": {\"title\": \"A\", \"author\": \"Book/a\"}}", .invalidLink, "Book/a.author"
    ),
    (
      "\"Book\": {\"a\": {\"title\": \"A\", \"author\": \"Author/x\"}}", .invalidLink,
      "Book/a.author"
    ),
    (
      "\"Book\": {\"a\": {\"title\": \"A\", \"shelves\": \"Shelf/x\"}}", .invalidValue,
      "Book/a.shelves"
    ),
    ("\"Book\": {\"a\": {\"title\": \"A\", \"shelves\": [5]}}", .invalidValue, "Book/a.shelves"),
    ("\"Author\": {\"a\": {\"name\": \"A\", \"books\": []}}", .unknownContent, "Author/a.books"),
    (
      "\"Author\": {\"a\": {\"name\": \"A\"}, \"b\": {\"name\": \"A\"}}", .duplicateValue,
      "Author/b.name"
    ),
    (
      "\"Shelf\": {\"p7\": {\"label\": \"A\"}, \"p07\": {\"label\": \"B\"}}", .duplicateValue,
      "Shelf/p07"
    ),
  ])
  func rowsThatDoNotFitTheModels(
    _ entities: String, _ code: DocumentStoreError.Code, _ place: String
  ) throws {
    let error = try error(document(entities))
    #expect(error.code == code, "\(error)")
    #expect(error.description.contains(": \(place): "), "\(error)")
    #expect(error.line == 5)
  }

  @Test func theLineIsThatOfTheProperty() throws {
    let text = FormatTests.text.replacing("\"pages\": 205", with: "\"pages\": true")
    let error = try error(text)
    #expect(error.line == 18)
    #expect(text.components(separatedBy: "\n")[17].contains("true"))
    #expect(error.property == "pages" && error.row == "a" && error.entity == "Book")
    // Values stay out of messages.
    #expect(error.explanation.contains("boolean") && !error.explanation.contains("true"))
  }

  struct Readings: Codable {
    var number: Int?
    var table: [String: Double]?
    var link: URL?
  }

  @Model final class Record {
    var flag: Bool?
    var small: Int8?
    var number: Int?
    var wide: UInt128?
    var double: Double?
    var float: Float?
    var decimal: Decimal?
    var text: String?
    var date: Date?
    var data: Data?
    var uuid: UUID?
    var url: URL?
    var reference: PersistentIdentifier?
    var level: RoundTripTests.Level?
    var numbers: [Int]?
    var dates: Set<Date>?
    var readings: Readings?
    var all: [Readings]?
    var names: [Int: String]?

    init() {}
  }

  @Test(arguments: [
    "flag", "small", "number", "wide", "double", "float", "decimal", "text", "date", "data", "uuid",
    "url", "reference", "level", "numbers", "numbers/", "dates/", "readings/number",
    "readings/table", "readings/table/x", "readings/link", "all//number", "all//table/x", "names/",
  ])
  func anObjectInsteadOfAScalar(_ path: String) throws {
    for object in ["{}", "{\"a\": 1}", "{\"a\": {}}"] {
      // An empty name is an element of a list.
      let parts = path.split(separator: "/", omittingEmptySubsequences: false)
      // A table is an object itself.
      if path.hasSuffix("table"), object != "{\"a\": {}}" { continue }
      let value = parts.dropFirst().reversed().reduce(object) { value, name in
        name.isEmpty ? "[\(value)]" : "{\"\(name)\": \(value)}"
      }
      let error = try error(
        document("\"Record\": {\n\"a\": {\n\"\(parts[0])\": \(value)}}"),
        schema: Schema([Record.self]))
      #expect(error.code == .invalidValue && error.line == 7, "\(error)")
      #expect(error.row == "a" && error.property == String(parts[0]), "\(error)")
    }
  }

  @Test(arguments: ["--", "1e", "e5", ".", "", "1e999"])
  func aDecimalThatIsNoNumber(_ text: String) throws {
    let error = try error(
      document("\"Record\": {\"a\": {\"decimal\": \"\(text)\"}}"), schema: Schema([Record.self]))
    #expect(error.code == .invalidValue && error.property == "decimal")
  }

  @Test func twoRowsThatReferToWhatOnlyOneMay() throws {
    let text = FormatTests.text
      .replacing("\"cover\": null", with: "\"cover\": \"Cover/red\"")
      .replacing("\"Cover\": {", with: "\"Cover\": {\n      \"red\": {\"color\": \"red\"},")
    let error = try error(text)
    #expect(error.code == .invalidLink && error.property == "cover")
  }

  @Test func unknownContentIsKeptOnRequest() throws {
    let folder = try Folder()
    let text = FormatTests.text
      .replacing("\"entities\": {", with: "\"zoom\": 2,\n  \"entities\": {")
      .replacing(
        "\"pages\": 0,",
        with: "\"isbn\": {\n          \"code\": 1.50\n        },\n        \"pages\": 0,"
      )
      .replacing(
        "    \"Shelf\": {",
        with:
          "    \"Lamp\": {\n      \"x\": {\n        \"watts\": 5\n      },\n      \"\": \"end of Lamp\"\n    },\n    \"Shelf\": {"
      )
    try folder.write(text)
    #expect(throws: DocumentStoreError.self) { _ = try folder.open() }
    let container = try ModelContainer(
      for: library,
      configurations: [JSONStoreConfiguration(url: folder.file, unknownContent: .preserve)])
    let context = ModelContext(container)
    let book = try #require(try context.book("Beowulf"))
    book.title = "Beowulf II"
    context.insert(Shelf("New"))
    try context.save()
    let saved = try folder.read()
    let lost = text.components(separatedBy: "\n").difference(
      from: saved.components(separatedBy: "\n"))
    #expect(lost.insertions.count == 1 && saved.contains("Beowulf II"))
    #expect(saved.contains("\"code\": 1.50") && saved.contains("watts"))
  }
}
