import Foundation
import SwiftData
import Testing

/// Feeds from the network: Codable by hand, nested values, dictionaries, an upsert per download.
enum ReaderApp {
  @Model
  final class Feed: Codable {
    @Attribute(.unique) var url: URL
    @Attribute(originalName: "heading") var title: String
    var headers: [String: String] = [:]
    var keywords: [String] = []
    var settings: Settings = Settings()
    var mirrors: [Mirror] = []
    var lastError: Failure?
    @Relationship(deleteRule: .cascade, inverse: \Article.feed) var articles: [Article] = []

    struct Settings: Codable, Equatable {
      var refresh: TimeInterval = 3600
      var style = Style.light
      var window = Window()
      struct Window: Codable, Equatable {
        var width = 100.0
        var title: String?
      }
      enum Style: String, Codable { case light, dark }
    }
    struct Mirror: Codable, Hashable {
      var host: String
      var port: Int?
    }
    enum Failure: Codable, Equatable {
      case offline
      case status(code: Int)
    }
    enum CodingKeys: String, CodingKey { case url, title, keywords, articles }

    init(url: URL, title: String) {
      self.url = url
      self.title = title
    }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      url = try container.decode(URL.self, forKey: .url)
      title = try container.decode(String.self, forKey: .title)
      keywords = try container.decodeIfPresent([String].self, forKey: .keywords) ?? []
      articles = try container.decodeIfPresent([Article].self, forKey: .articles) ?? []
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(url, forKey: .url)
      try container.encode(title, forKey: .title)
      try container.encode(keywords, forKey: .keywords)
      try container.encode(articles, forKey: .articles)
    }
  }

  @Model
  final class Article: Codable {
    @Attribute(.unique) var guid: String
    var title: String
    var feed: Feed?
    @Attribute(.preserveValueOnDeletion) var isRead: Bool = false

    enum CodingKeys: CodingKey { case guid, title }

    init(guid: String, title: String) {
      self.guid = guid
      self.title = title
    }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      guid = try container.decode(String.self, forKey: .guid)
      title = try container.decode(String.self, forKey: .title)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(guid, forKey: .guid)
      try container.encode(title, forKey: .title)
    }
  }
}

@Suite struct ReaderAppTests {
  private static func json(_ title: String, _ articles: [String]) -> Data {
    let list = articles.map { #"{"guid": "\#($0)", "title": "\#(title) \#($0)"}"# }
    let text = """
      {"url": "https://a.org/f", "title": "\(title)", "keywords": ["k"],
       "articles": [\(list.joined(separator: ","))]}
      """
    return Data(text.utf8)
  }

  @Test func downloadsAreDecodedInsertedAndUpdated() throws {
    let context = ModelContext(
      try ModelContainer(
        for: ReaderApp.Feed.self, ReaderApp.Article.self,
        configurations: .init(isStoredInMemoryOnly: true)))
    let decoder = JSONDecoder()
    context.insert(try decoder.decode(ReaderApp.Feed.self, from: Self.json("one", ["a", "b"])))
    try context.save()
    context.insert(try decoder.decode(ReaderApp.Feed.self, from: Self.json("two", ["b", "c"])))
    try context.save()
    let feeds = try ModelContext(context.container).fetch(FetchDescriptor<ReaderApp.Feed>())
    #expect(feeds.map(\.title) == ["two"])
    let articles = feeds[0].articles.sorted { $0.guid < $1.guid }
    #expect(articles.map(\.title) == ["one a", "two b", "two c"])
    #expect(articles.allSatisfy { $0.feed === feeds[0] })
    let coded = try JSONSerialization.jsonObject(with: JSONEncoder().encode(feeds[0]))
    #expect(((coded as? [String: Any])?["articles"] as? [Any])?.count == 3)
  }

  @Test func nestedValuesAreChangedInPlaceAndStored() throws {
    let container = try ModelContainer(
      for: ReaderApp.Feed.self, configurations: .init(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let feed = ReaderApp.Feed(url: URL(string: "https://b.org")!, title: "b")
    context.insert(feed)
    try context.save()
    feed.headers["ETag"] = "1"
    feed.keywords.append("swift")
    feed.settings.style = .dark
    feed.settings.window.title = "w"
    feed.mirrors = [.init(host: "m", port: nil), .init(host: "n", port: 8080)]
    feed.lastError = .status(code: 404)
    #expect(context.hasChanges)
    try context.save()
    let stored = try #require(try context.stored(ReaderApp.Feed.self).first)
    #expect(stored.headers == ["ETag": "1"])
    #expect(stored.keywords == ["swift"])
    #expect(stored.settings == .init(style: .dark, window: .init(title: "w")))
    #expect(stored.mirrors == [.init(host: "m", port: nil), .init(host: "n", port: 8080)])
    #expect(stored.lastError == .status(code: 404))
  }
}
