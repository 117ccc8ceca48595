import Foundation
import SwiftData
import SwiftDataStores
import Synchronization
import Testing

@Model
final class Binder {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Sheet.binder) var sheets: [Sheet] = []
  /// Without an inverse.
  @Relationship(deleteRule: .cascade) var loose: [Sheet] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Sheet {
  @Attribute(.unique) var code: String
  var text: String
  var binder: Binder?
  var labels: [Label] = []

  init(_ code: String, _ text: String) { (self.code, self.text) = (code, text) }
}

@Model
final class Label {
  @Attribute(.unique) var name: String
  @Relationship(inverse: \Sheet.labels) var sheets: [Sheet] = []

  init(_ name: String) { self.name = name }
}

/// A value of a postcard, which counts how often it is read from a row.
struct Ink: Codable {
  static let readings = Mutex(0)

  init() {}

  init(from decoder: any Decoder) { Ink.readings.withLock { $0 += 1 } }

  func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: CodingKeys.self) }

  private enum CodingKeys: CodingKey {}
}

@Model
final class Postcard {
  var ink = Ink()
  var sender: Sender?
  var others: [Sender] = []

  init(_ sender: Sender?) { self.sender = sender }
}

@Model
final class Sender {
  var name: String

  init(_ name: String) { self.name = name }
}

/// The undo of an insertion that became a stored row, and of deletions.
struct UndoTests {
  private static let schema = Schema([Binder.self, Sheet.self, Label.self])

  private func links(_ container: ModelContainer) throws -> [String] {
    let context = ModelContext(container)
    let binders = try context.all(Binder.self)
    return try context.all(Sheet.self).sorted { $0.code < $1.code }.map { sheet in
      let loose = binders.filter { $0.loose.contains(sheet) }.map(\.name).sorted()
      let labels = sheet.labels.map(\.name).sorted()
      return "\(sheet.code) \(sheet.text) \(sheet.binder?.name ?? "-") \(loose) \(labels)"
    }
  }

  @Test(arguments: Kind.all(UndoTests.schema), [false, true])
  func theRowHasItsEarlierLinks(_ kind: Kind, inMemory: Bool) throws {
    let open = try kind.make()
    defer { withExtendedLifetime(open) {} }
    let container = try open()
    let (writer, context) = (ModelContext(container), ModelContext(container))
    for context in [writer, context] { context.autosaveEnabled = false }
    let (home, sheet) = (Binder("home"), Sheet("a", "old"))
    home.sheets = [sheet]
    home.loose = [sheet]
    sheet.labels = [Label("old"), Label("both")]
    writer.insert(home)
    try writer.save()
    let known = try inMemory ? context.all(Sheet.self) : []
    let undo = UndoManager()
    context.undoManager = undo
    let (other, new) = (Binder("other"), Sheet("a", "new"))
    other.sheets = [new, Sheet("b", "new")]
    other.loose = [new]
    new.labels = [Label("both"), Label("new")]
    context.insert(other)
    try context.save()
    let saved = [
      #"a new other ["home", "other"] ["both", "new", "old"]"#, "b new other [] []",
    ]
    #expect(try links(container) == saved)
    for _ in 0..<2 {
      undo.undo()
      try context.save()
      #expect(try links(container) == [#"a new home ["home"] ["both", "old"]"#])
      undo.redo()
      try context.save()
      #expect(try links(container) == saved)
    }
    #expect(known.count == (inMemory ? 1 : 0))
  }

  @Test(arguments: Kind.all(UndoTests.schema), [false, true])
  func deletedMembersAreInListsWithoutInverseAgain(_ kind: Kind, inBatch: Bool) throws {
    let open = try kind.make()
    defer { withExtendedLifetime(open) {} }
    let container = try open()
    let first = ModelContext(container)
    let home = Binder("home")
    home.loose = [Sheet("a", ""), Sheet("b", "")]
    first.insert(home)
    try first.save()
    let context = ModelContext(container)
    let undo = UndoManager()
    context.undoManager = undo
    if inBatch {
      try context.delete(model: Sheet.self, where: #Predicate { $0.code == "a" })
    } else {
      try context.all(Sheet.self).filter { $0.code == "a" }.forEach(context.delete)
      try context.save()
    }
    #expect(try links(container) == [#"b  - ["home"] []"#])
    undo.undo()
    try context.save()
    #expect(try links(container) == [#"a  - ["home"] []"#, #"b  - ["home"] []"#])
  }

  @Test(.serialized, arguments: Kind.all(Schema([Postcard.self, Sender.self])))
  func theEndOfADeletionReadsOnlyRowsThatReferToTheDeletedModel(_ kind: Kind) throws {
    let open = try kind.make()
    defer { withExtendedLifetime(open) {} }
    let first = ModelContext(try open())
    let senders = ["a", "b"].map(Sender.init)
    for number in 0..<50 {
      let card = Postcard(number == 7 ? senders[0] : senders[1])
      if number == 8 { card.others = senders }
      first.insert(card)
    }
    try first.save()
    let context = ModelContext(try open())
    let undo = UndoManager()
    context.undoManager = undo
    let sender = try #require(try context.all(Sender.self).first { $0.name == "a" })
    Ink.readings.withLock { $0 = 0 }
    context.delete(sender)
    context.processPendingChanges()
    #expect((1...4).contains(Ink.readings.withLock(\.self)))
    try context.save()
    undo.undo()
    try context.save()
    let cards = try ModelContext(open()).all(Postcard.self)
    #expect(cards.count { $0.sender?.name == "a" } == 1)
    #expect(cards.count { card in card.others.contains { $0.name == "a" } } == 1)
  }
}
