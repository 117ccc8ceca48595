import Foundation
import SwiftData
import SwiftDataStores
import Testing

/// The same random edits in three stores have the same results.
@Suite struct RandomTests {
  private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state ^ (state >> 29)) &* 0x9E37_79B9_7F4A_7C15
    }
  }

  private typealias Edit = @Sendable (ModelContext, inout Generator) throws -> Void

  /// Models are chosen by their values, because stores list them in different orders.
  private static let edits: [Edit] = [
    { context, random in
      let author = Author("Author \(Int.random(in: 0..<8, using: &random))")
      author.born = Int.random(in: 1900..<2000, using: &random)
      context.insert(author)
    },
    { context, random in
      let book = Book("Book \(Int.random(in: 0..<1_000_000, using: &random))")
      context.insert(book)
      book.author = try authors(context).randomElement(using: &random)
      book.shelves = try shelves(context).filter { _ in Bool.random(using: &random) }
    },
    { context, random in
      context.insert(Shelf("Shelf \(Int.random(in: 0..<1_000_000, using: &random))"))
    },
    { context, random in
      let cover = Cover("Cover \(Int.random(in: 0..<1_000_000, using: &random))")
      context.insert(cover)
      cover.book = try books(context).randomElement(using: &random)
    },
    { context, random in
      let book = try books(context).randomElement(using: &random)
      book?.pages = Int.random(in: 0..<100, using: &random)
      book?.author = try authors(context).randomElement(using: &random)
    },
    { context, random in
      let shelf = try shelves(context).randomElement(using: &random)
      let chosen = try books(context).filter { _ in Bool.random(using: &random) }
      shelf?.books = chosen
    },
    { context, random in
      let author = try authors(context).randomElement(using: &random)
      let chosen = try books(context).filter { _ in Bool.random(using: &random) }
      author?.books = chosen
    },
    { context, random in
      if Int.random(in: 0..<3, using: &random) > 0 { return }
      if let author = try authors(context).randomElement(using: &random) { context.delete(author) }
    },
    { context, random in
      if let book = try books(context).randomElement(using: &random) { context.delete(book) }
    },
    { context, random in
      let book = try books(context).randomElement(using: &random)
      book?.cover = try context.fetch(FetchDescriptor<Cover>(sortBy: [SortDescriptor(\.color)]))
        .randomElement(using: &random)
    },
    { context, random in
      let limit = Int.random(in: 0..<40, using: &random)
      try context.delete(model: Cover.self, where: #Predicate { $0.color.count > limit })
    },
  ]

  private static func authors(_ context: ModelContext) throws -> [Author] {
    try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\.name)]))
  }

  private static func books(_ context: ModelContext) throws -> [Book] {
    try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\.title)]))
  }

  private static func shelves(_ context: ModelContext) throws -> [Shelf] {
    try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\.label)]))
  }

  /// All values and links, as text.
  private func description(_ container: ModelContainer) throws -> String {
    let context = ModelContext(container)
    var lines: [String] = []
    for author in try RandomTests.authors(context) {
      let books = author.books.map(\.title).sorted()
      lines.append("\(author.name) \(author.born ?? 0) \(books)")
    }
    for book in try RandomTests.books(context) {
      let shelves = book.shelves.map(\.label).sorted()
      lines.append(
        "\(book.title) \(book.pages) \(book.author?.name ?? "") \(shelves) \(book.cover?.color ?? "")"
      )
    }
    for shelf in try RandomTests.shelves(context) {
      lines.append("\(shelf.label) \(shelf.books.map(\.title).sorted())")
    }
    for cover in try context.fetch(FetchDescriptor<Cover>(sortBy: [SortDescriptor(\.color)])) {
      lines.append("\(cover.color) \(cover.book?.title ?? "")")
    }
    return lines.joined(separator: "\n")
  }

  @Test(arguments: 0..<6)
  func threeStoresAgree(_ seed: UInt64) throws {
    let folder = try Folder()
    let contents = DictionaryStoreContents()
    let opened = [
      try ModelContainer(
        for: library, configurations: [ModelConfiguration(isStoredInMemoryOnly: true)]),
      try folder.open(),
      try ModelContainer(
        for: library, configurations: [DictionaryStoreConfiguration(contents: contents)]),
    ]
    var choice = Generator(state: seed)
    for step in 0..<60 {
      let numbers = (0..<Int.random(in: 1...3, using: &choice)).map { _ in
        Int.random(in: 0..<RandomTests.edits.count, using: &choice)
      }
      let state = choice.next()
      let results = try opened.map { container in
        var random = Generator(state: state)
        let context = ModelContext(container)
        context.autosaveEnabled = false
        for number in numbers { try RandomTests.edits[number](context, &random) }
        try context.save()
        return try description(container)
      }
      #expect(results[1] == results[0], "seed \(seed), step \(step), edits \(numbers)")
      #expect(results[2] == results[0], "seed \(seed), step \(step), edits \(numbers)")
      if results[1] != results[0] || results[2] != results[0] { return }
    }
    // What is in the file is what the store has in memory.
    #expect(try description(folder.open()) == description(opened[1]))
  }
}
