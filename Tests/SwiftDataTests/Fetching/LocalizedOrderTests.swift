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

  /// Foundation for Linux ignores the language.
  @Test func sortsInMemoryOrderTextsBeyondASCII() throws {
    let texts = ["Évora", "Ávila", "日本", "ß", "file10", "file9", "Berlin", "b"]
    for comparator in [String.StandardComparator.localizedStandard, .localized] {
      let orders = [
        SortDescriptor(\Song.title, comparator: comparator),
        SortDescriptor(\Song.title, comparator: comparator, order: .reverse),
      ]
      let songs = texts.map { Song($0) }
      let sorted = songs.sorted(using: orders[0]).map(\.title)
      #expect(Set(sorted) == Set(texts))
      #expect(songs.sorted(using: orders[1]).map(\.title) == sorted.reversed())
      #expect(sorted.firstIndex(of: "Ávila")! < sorted.firstIndex(of: "Évora")!)
    }
    #expect(
      ["file10", "file9"].sorted { a, b in
        String.StandardComparator.localizedStandard.compare(a, b) == .orderedAscending
      } == ["file9", "file10"])
  }
}
