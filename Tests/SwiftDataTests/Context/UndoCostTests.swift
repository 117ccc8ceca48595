import Foundation
import SwiftData
import Synchronization
import Testing

/// How often an undo encodes values, to find out whether they are the stored ones again.
@Suite(.serialized) struct UndoCostTests {
  private static let encodings = Mutex(0)

  struct Page: Codable, Equatable {
    var lines: [String]

    init(_ line: String) { lines = [line] }

    func encode(to encoder: any Encoder) throws {
      encodings.withLock { $0 += 1 }
      var container = encoder.singleValueContainer()
      try container.encode(lines)
    }

    init(from decoder: any Decoder) throws {
      lines = try decoder.singleValueContainer().decode([String].self)
    }
  }

  @Model final class Book {
    var first = [Page("1")]
    var second = [Page("2")]
    var third = [Page("3")]
    var fourth = [Page("4")]

    init() {}
  }

  private func encodings(_ body: () -> Void) -> Int {
    Self.encodings.withLock { $0 = 0 }
    body()
    return Self.encodings.withLock { $0 }
  }

  /// - Returns: The encodings of undo and redo after edits of some properties.
  private func encodings(_ edited: [ReferenceWritableKeyPath<Book, [Page]>]) throws -> Int {
    let container = try ModelContainer(
      for: Book.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.insert(Book())
    try context.save()
    let other = ModelContext(container)
    let undo = UndoManager()
    undo.groupsByEvent = false
    other.undoManager = undo
    let book = try #require(try other.fetch(FetchDescriptor<Book>()).first)
    for property in edited { book[keyPath: property] = [Page("new")] }
    other.processPendingChanges()
    let count = encodings {
      undo.undo()
      undo.redo()
    }
    #expect(edited.allSatisfy { book[keyPath: $0] == [Page("new")] })
    undo.undo()
    #expect(!other.hasChanges)
    #expect(book.first == [Page("1")] && book.fourth == [Page("4")])
    return count
  }

  @Test func eachEditedPropertyIsEncodedTheSameNumberOfTimes() throws {
    let two = try encodings([\.first, \.second])
    #expect(try encodings([\.first, \.second, \.third, \.fourth]) <= 3 * two)
  }
}
