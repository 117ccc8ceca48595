import Foundation
import SwiftData
import Testing

/// Orders of texts for people, which Foundation for Linux lacks.
@Suite(.databases) struct LocalizedOrderTests {
  @Model final class Song {
    var title: String
    var album: String?

    init(_ title: String, album: String? = nil) {
      self.title = title
      self.album = album
    }
  }

  private static let titles = ["b", "A", "file10", "file9", "a", "B", "é", "z", "Z", "e"]
  private let context: ModelContext

  init() throws {
    context = ModelContext(
      try ModelContainer(
        for: Song.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    for title in LocalizedOrderTests.titles {
      context.insert(Song(title, album: title == "z" ? nil : title))
    }
  }

  private func titles(_ order: SortDescriptor<Song>, limit: Int? = nil) throws -> [String] {
    var descriptor = FetchDescriptor(sortBy: [order])
    descriptor.fetchLimit = limit
    return try context.fetch(descriptor).map(\.title)
  }

  /// Unsaved models are ordered in memory, stored ones in the database.
  @Test(arguments: [0, 1, 10]) func textsAreOrderedByTheLanguage(_ unsaved: Int) throws {
    try context.save()
    for song in try context.fetch(FetchDescriptor<Song>()).prefix(unsaved) {
      let title = song.title
      song.title = ""
      song.title = title
    }
    let standard = LocalizedOrderTests.titles.sorted {
      $0.localizedStandardCompare($1) == .orderedAscending
    }
    #expect(try titles(SortDescriptor(\.title, comparator: .localizedStandard)) == standard)
    #expect(standard.firstIndex(of: "file9")! < standard.firstIndex(of: "file10")!)
    #expect(
      try titles(SortDescriptor(\.title, comparator: .localizedStandard, order: .reverse))
        == standard.reversed())
    #expect(
      try titles(SortDescriptor(\.title, comparator: .localizedStandard), limit: 3)
        == Array(standard.prefix(3)))
    #expect(
      try titles(SortDescriptor(\.album, comparator: .localizedStandard))
        == ["z"] + standard.filter { $0 != "z" })
    let localized = LocalizedOrderTests.titles.sorted {
      $0.localizedCompare($1) == .orderedAscending
    }
    #expect(try titles(SortDescriptor(\.title, comparator: .localized)) == localized)
    let codePoints = LocalizedOrderTests.titles.sorted()
    #expect(try titles(SortDescriptor(\.title, comparator: .lexical)) == codePoints)
    #expect(try titles(SortDescriptor(\.title)) == codePoints)
  }

  @Test func comparatorsAreDistinct() {
    let kinds: [String.StandardComparator] = [.lexical, .localized, .localizedStandard]
    #expect(Set(kinds).count == 3)
    let order = SortDescriptor(\Song.title, comparator: .localizedStandard)
    #expect(order.stringComparator == .localizedStandard)
  }

  @Test func textsAreSortedByTheLanguage() throws {
    let texts = ["file10", "file9", "Eva", "éugenia", "b", "A"]
    let expected = texts.sorted { $0.localizedStandardCompare($1) == .orderedAscending }
    #expect(texts.sorted(using: .localizedStandard) == expected)
    #expect(
      texts.sorted(using: .localized)
        == texts.sorted { $0.localizedCompare($1) == .orderedAscending })
    let songs = texts.map { Song($0) }
    #expect(
      songs.sorted(using: KeyPathComparator(\.title, comparator: .localizedStandard)).map(\.title)
        == expected)
    #expect(
      songs.sorted(
        using: [KeyPathComparator(\.title, comparator: .localizedStandard, order: .reverse)]
      ).map(\.title) == expected.reversed())
  }

  /// Equal models keep their order, and the direction that was set last counts.
  @Test func modelsAreSortedByALaterDirection() {
    let songs = ["b", "a", "b"].map { Song($0, album: UUID().uuidString) }
    var order = SortDescriptor(\Song.title)
    order.order = .reverse
    #expect(songs.sorted(using: order) == [songs[0], songs[2], songs[1]])
  }

  /// Foundation for Linux ignores the language.
  @Test func sortsInMemoryOrderTextsBeyondASCII() throws {
    let texts = ["Évora", "Ávila", "日本", "ß", "file10", "file9", "Berlin", "b"]
    for comparator in [String.StandardComparator.localizedStandard, .localized] {
      let orders = [
        SortDescriptor(\Song.title, comparator: comparator),
        SortDescriptor(\Song.title, comparator: comparator, order: .reverse),
      ]
      for text in texts { context.insert(Song(text)) }
      try context.save()
      let songs = try context.fetch(FetchDescriptor<Song>())
      for order in orders {
        let fetched = try context.fetch(FetchDescriptor(sortBy: [order])).map(\.title)
        #expect(songs.sorted(using: order).map(\.title) == fetched)
        #expect(songs.sorted(using: [order]).map(\.title) == fetched)
        var sorted = songs
        sorted.sort(using: order)
        #expect(sorted.map(\.title) == fetched)
        sorted = songs
        sorted.sort(using: [order])
        #expect(sorted.map(\.title) == fetched)
      }
    }
    #expect(
      ["file10", "file9"].sorted { a, b in
        String.StandardComparator.localizedStandard.compare(a, b) == .orderedAscending
      } == ["file9", "file10"])
  }
}
