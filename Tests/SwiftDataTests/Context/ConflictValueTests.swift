import Foundation
import SwiftData
import Testing

/// A context that refuses conflicts compares values, not their encodings: a set and a value of a transformer may be
/// encoded otherwise each time, and databases return some numbers in another form.
@Suite(.databases) struct ConflictValueTests {
  final class SaltingTransformer: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? {
      (value as? String).map { Data(UUID().uuidString.utf8) + Data($0.utf8) }
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
      (value as? Data).map { String(decoding: $0.dropFirst(36), as: UTF8.self) }
    }
  }

  /// Not equatable.
  struct Palette: Codable {
    var colors: Set<String>
    var weight: Double
  }

  /// Equal if the number is.
  struct Badge: Codable, Hashable {
    var number: Int
    var text: String

    static func == (a: Badge, b: Badge) -> Bool { a.number == b.number }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  @Model final class Sample {
    var name = ""
    var tags: Set<String>
    var labels: [Double: String]
    var palette: Palette
    @Attribute(.codable) var whole: Palette
    @Attribute(.transformable(by: SaltingTransformer.self)) var secret: String
    @Attribute(.codable) var badge: Badge
    var badges: Set<Badge>
    var ratio = 0.5
    var offset = 0.5
    var price: Decimal = 1

    init() {
      let words = Set((0..<30).map { "word \($0)" })
      tags = words
      labels = Dictionary(uniqueKeysWithValues: (0..<30).map { (Double($0) + 0.5, "\($0)") })
      palette = Palette(colors: words, weight: .nan)
      whole = Palette(colors: words, weight: 1)
      secret = "x"
      badge = Badge(number: 1, text: "old")
      badges = Set((0..<30).map { Badge(number: $0, text: "old") })
    }

    /// Decodes what has to be decoded.
    func read() -> Int {
      tags.count + labels.count + palette.colors.count + whole.colors.count + secret.count
        + badge.number + badges.count
    }
  }

  private let folder: TemporaryFolder
  private let context: ModelContext

  init() throws {
    folder = try TemporaryFolder()
    let writer = try ConflictValueTests.context(folder)
    writer.insert(Sample())
    try writer.save()
    context = ModelContext(writer.container)
    context.conflictPolicy = .refuse
  }

  private static func context(_ folder: TemporaryFolder) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Sample.self, configurations: ModelConfiguration(url: folder.store)))
  }

  private func sample(in context: ModelContext) throws -> Sample {
    try #require(try context.fetch(FetchDescriptor<Sample>()).first)
  }

  @Test func valuesThatWereOnlyReadAreNoConflict() throws {
    let sample = try sample(in: context)
    for round in 1...3 {
      #expect(sample.read() == 152)
      sample.name = "\(round)"
      try context.save()
    }
  }

  @Test func valuesThatTheContextHasSavedAreNoConflict() throws {
    let sample = try sample(in: context)
    sample.tags.insert("new")
    sample.labels[0] = "new"
    sample.secret = "new"
    sample.badge.text = "new"
    try context.save()
    for round in 1...3 {
      sample.tags = Set(sample.tags.shuffled())
      sample.name = "\(round)"
      try context.save()
    }
  }

  @Test func numbersOfANewModelAreNoConflict() throws {
    let sample = Sample()
    sample.ratio = .nan
    sample.offset = -0.0
    sample.price = try #require(Decimal(string: "0.00001"))
    context.insert(sample)
    try context.save()
    sample.name = "new"
    try context.save()
  }

  @Test func otherValuesAreAConflict() throws {
    let sample = try sample(in: context)
    _ = sample.read()
    sample.name = "mine"
    let other = try ConflictValueTests.context(folder)
    let theirs = try self.sample(in: other)
    theirs.tags.insert("new")
    theirs.labels[0] = "new"
    theirs.palette.colors.insert("new")
    theirs.whole.colors.insert("new")
    theirs.secret = "new"
    theirs.ratio = .nan
    theirs.price = 2
    try other.save()
    let error = #expect(throws: SwiftDataError.saveConflict) { try context.save() }
    #expect(
      Set(error?.conflicts.first?.properties.map(\.name) ?? []) == [
        "tags", "labels", "palette", "whole", "secret", "ratio", "price",
      ])
  }

  @Test func aChangeOfEqualValuesIsAConflict() throws {
    let sample = try sample(in: context)
    _ = sample.read()
    sample.badge.text = "mine"
    sample.name = "mine"
    let other = try ConflictValueTests.context(folder)
    let theirs = try self.sample(in: other)
    theirs.badge = Badge(number: 1, text: "theirs")
    theirs.badges = Set(theirs.badges.map { Badge(number: $0.number, text: "theirs") })
    try other.save()
    let error = #expect(throws: SwiftDataError.saveConflict) { try context.save() }
    #expect(
      Set(error?.conflicts.first?.properties.map(\.name) ?? []) == ["badge", "badges"])
    #expect(try self.sample(in: ConflictValueTests.context(folder)).badge.text == "theirs")
  }

  /// The other context has not changed the set.
  @Test func anEditOfASetReplacesNothingOfAnotherContext() throws {
    context.conflictPolicy = .laterSaveWins
    let sample = try sample(in: context)
    sample.tags.insert("mine")
    let sibling = ModelContext(context.container)
    try self.sample(in: sibling).name = "theirs"
    try sibling.save()
    nonisolated(unsafe) var names: [String] = []
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didOverwrite, object: context, queue: nil
    ) { note in
      let all = note.userInfo?[ModelContext.overwrittenPropertiesKey]
      names += (all as? [PersistentIdentifier: [String]])?.values.flatMap { $0 } ?? []
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try context.save()
    #expect(names.isEmpty)
    #expect(sample.name == "theirs" && sample.tags.contains("mine"))
  }
}
