import Foundation
import SwiftData
import Testing

/// Values that change their form: members of structs, cases of enums, values beside the store, indexes.
@Suite struct ValueMigrationTests {
  private let store: MigratedStore

  init() throws { store = try MigratedStore() }

  enum Before {
    struct Address: Codable, Equatable { var street: String; var city: String }
    enum Shape: Codable, Equatable { case dot, circle(radius: Double), square(side: Double) }

    @Model final class Place {
      var name: String
      var address: Address
      var other: Address?
      var shape: Shape
      var level: String
      var data: Data?
      #Index<Place>([\.name])

      init(_ name: String) {
        self.name = name
        address = Address(street: "Via Appia", city: "Rome")
        shape = .circle(radius: 2)
        level = "high"
      }
    }
  }

  enum After {
    struct Address: Codable, Equatable { var city: String; var zip: Int?; var land: String }
    enum Shape: Codable, Equatable { case dot, circle(radius: Double), square(side: Double), line }
    enum Level: String, Codable { case high, low }

    @Model final class Place {
      static let removedProperties: Set<String> = ["address.street"]

      var name: String
      var address: Address = Address(city: "", zip: nil, land: "Italy")
      var other: Address?
      var shape: Shape
      var level: Level
      @Attribute(.externalStorage) var data: Data?
      #Index<Place>([\.level], [\.name, \.level])

      init(_ name: String) {
        (self.name, shape, level) = (name, .line, .low)
      }
    }
  }

  enum Narrow {
    enum Shape: Codable, Equatable { case dot, square(side: Double) }

    @Model final class Place {
      var name: String
      var shape: Shape

      init(_ name: String) { (self.name, shape) = (name, .dot) }
    }
  }

  private func makeBefore(_ change: (Before.Place) -> Void = { _ in }) throws {
    try store.make([Before.Place.self]) { context in
      let place = Before.Place("a")
      change(place)
      context.insert(place)
    }
  }

  @Test func membersAndCasesChange() throws {
    let large = Data(repeating: 7, count: 300_000)
    try makeBefore { $0.data = large }
    let context = try store.open([After.Place.self])
    let place = try #require(try context.fetch(FetchDescriptor<After.Place>()).first)
    #expect(place.address == After.Address(city: "Rome", zip: nil, land: "Italy"))
    #expect(place.other == nil)
    #expect(place.shape == .circle(radius: 2))
    #expect(place.level == .high)
    #expect(place.data == large)
    let folder = store.folder.url.appending(path: ".test_SUPPORT/_EXTERNAL_DATA")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
    place.shape = .line
    try context.save()
  }

  @Test func valuesComeBackFromFiles() throws {
    let (large, small) = (Data(repeating: 7, count: 300_000), Data([2, 65, 66]))
    try store.make([After.Place.self]) { context in
      for (name, data) in [("a", large), ("b", small), ("c", nil)] {
        let place = After.Place(name)
        (place.data, place.shape) = (data, .dot)
        context.insert(place)
      }
    }
    let context = try store.open([Inline.Place.self])
    let places = try context.fetch(FetchDescriptor<Inline.Place>(sortBy: [SortDescriptor(\.name)]))
    #expect(places.map(\.data) == [large, small, nil])
    let folder = store.folder.url.appending(path: ".test_SUPPORT/_EXTERNAL_DATA")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  enum Filled {
    @Model final class Place {
      var name: String
      @Attribute(.externalStorage) var data: Data = Data([1, 8])

      init(_ name: String) { self.name = name }
    }
  }

  /// The first byte of the default is that of a tag.
  @Test func rowsWithoutAnExternalValueGetTheWholeDefault() throws {
    try store.make([After.Place.self]) { context in
      for (name, data) in [("a", Data([1, 2, 3])), ("b", nil)] {
        let place = After.Place(name)
        place.data = data
        context.insert(place)
      }
    }
    let context = try store.open([Filled.Place.self])
    let places = try context.fetch(FetchDescriptor<Filled.Place>(sortBy: [SortDescriptor(\.name)]))
    #expect(places.map(\.data) == [Data([1, 2, 3]), Data([1, 8])])
  }

  enum Inline {
    @Model final class Place {
      var name: String
      var data: Data?

      init(_ name: String) { self.name = name }
    }
  }

  enum Above {
    @Model class Item {
      var name: String
      @Attribute(.externalStorage) var data: Data?
      init(_ name: String, _ data: Data) { (self.name, self.data) = (name, data) }
    }

    @Model final class Photo: Item {
      override init(_ name: String, _ data: Data) { super.init(name, data) }
    }
  }

  enum Below {
    @Model class Item {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Photo: Item {
      @Attribute(.externalStorage) var data: Data?
      override init(_ name: String) { super.init(name) }
    }
  }

  @Test func filesOfRowsThatLoseTheirValueToASubclassAreRemoved() throws {
    let large = Data(repeating: 7, count: 300_000)
    try store.make([Above.Item.self, Above.Photo.self]) { context in
      context.insert(Above.Item("a", Data(repeating: 8, count: 300_000)))
      context.insert(Above.Photo("b", large))
    }
    let folder = store.folder.url.appending(path: ".test_SUPPORT/_EXTERNAL_DATA")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
    let context = try store.open([Below.Item.self, Below.Photo.self])
    #expect(try context.fetchCount(FetchDescriptor<Below.Item>()) == 2)
    #expect(try context.fetch(FetchDescriptor<Below.Photo>()).map(\.data) == [large])
    let column = try SQLiteFile.texts(
      "SELECT hex(ZDATA) FROM ZITEM WHERE ZDATA IS NOT NULL", in: store.url)
    #expect(column.count == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
  }

  @Test func aCaseThatRowsHaveMustNotGo() throws {
    try makeBefore()
    let text = try store.refusal([Narrow.Place.self])
    #expect(text.contains("Place.shape") && text.contains("circle"), "\(text)")
  }

  @Test func aCaseThatNoRowHasMayGo() throws {
    try makeBefore { $0.shape = .square(side: 3) }
    let context = try store.open([Narrow.Place.self])
    #expect(try context.fetch(FetchDescriptor<Narrow.Place>()).map(\.shape) == [.square(side: 3)])
  }

  // MARK: Associated values

  enum Wide: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Board.self] }

    enum Mark: Codable, Equatable { case blank, sized(width: Double, height: Double) }
    struct Frame: Codable, Equatable { var title: String; var mark: Mark }

    @Model final class Board {
      var mark: Mark
      var frame: Frame

      init(_ mark: Mark, framed: Mark) {
        (self.mark, frame) = (mark, Frame(title: "a", mark: framed))
      }
    }
  }

  enum Slim {
    enum Mark: Codable, Equatable { case blank, sized(width: Double) }
    struct Frame: Codable, Equatable { var title: String; var mark: Mark }

    @Model final class Board {
      var mark: Mark
      var frame: Frame

      init() { (mark, frame) = (.blank, Frame(title: "a", mark: .blank)) }
    }
  }

  enum Renamed {
    enum Mark: Codable, Equatable { case blank, sized(breadth: Double, depth: Double) }

    @Model final class Board {
      var mark: Mark
      var frame: Wide.Frame

      init() { (mark, frame) = (.blank, Wide.Frame(title: "a", mark: .blank)) }
    }
  }

  enum Framed {
    enum Mark: Codable, Equatable { case blank }
    struct Frame: Codable, Equatable { var title: String; var mark: Mark }

    @Model final class Board {
      var mark: Wide.Mark
      var frame: Frame

      init() { (mark, frame) = (.blank, Frame(title: "a", mark: .blank)) }
    }
  }

  private func makeBoards(_ boards: Wide.Board...) throws {
    try store.make(Wide.models) { context in
      for board in boards { context.insert(board) }
    }
  }

  @Test func anAssociatedValueThatRowsHaveMustNotGo() throws {
    try makeBoards(
      Wide.Board(.sized(width: 2, height: 3), framed: .blank),
      Wide.Board(.blank, framed: .sized(width: 4, height: 5)))
    let text = try store.refusal([Slim.Board.self])
    #expect(text.contains("have a removed associated value (sized.height)"), "\(text)")
    #expect(text.contains("have a removed associated value (mark.sized.height)"), "\(text)")
    // Another label is another value.
    let renamed = try store.refusal([Renamed.Board.self])
    #expect(renamed.contains("(sized.height, sized.width)"), "\(renamed)")
    let framed = try store.refusal([Framed.Board.self])
    #expect(framed.contains("have a removed case (mark.sized)"), "\(framed)")
  }

  @Test func anAssociatedValueThatNoRowHasMayGo() throws {
    try makeBoards(Wide.Board(.blank, framed: .blank))
    let context = try store.open([Slim.Board.self])
    #expect(try context.fetch(FetchDescriptor<Slim.Board>()).map(\.mark) == [.blank])
  }

  enum Deep: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Board.self] }

    enum Mark: Codable, Equatable {
      case blank
      case sized(width: Double, height: Double, depth: Int)
    }

    @Model final class Board {
      var mark: Mark
      var frame: Wide.Frame

      init() { (mark, frame) = (.blank, Wide.Frame(title: "a", mark: .blank)) }
    }
  }

  enum Deepened {
    enum Mark: Codable, Equatable {
      case blank
      case sized(width: Double, height: Double, depth: Int?)
      case named(String)
    }

    @Model final class Board {
      var mark: Mark
      var frame: Wide.Frame

      init() { (mark, frame) = (.blank, Wide.Frame(title: "a", mark: .blank)) }
    }
  }

  @Test func aNewAssociatedValueMustBeOptionalIfRowsHaveTheCase() throws {
    try makeBoards(
      Wide.Board(.blank, framed: .blank), Wide.Board(.sized(width: 2, height: 3), framed: .blank))
    let text = try store.refusal(Deep.models)
    #expect(text.contains("Board.mark") && text.contains("sized.depth is required"), "\(text)")
    #expect(text.contains("1 row (p"), "\(text)")
    let context = try store.open([Deepened.Board.self])
    let marks = try context.fetch(FetchDescriptor<Deepened.Board>()).map(\.mark)
    #expect(marks.count == 2 && marks.contains(.blank))
    #expect(marks.contains(.sized(width: 2, height: 3, depth: nil)))
  }

  @Test func aNewAssociatedValueOfACaseThatNoRowHasIsAllowed() throws {
    try makeBoards(Wide.Board(.blank, framed: .sized(width: 2, height: 3)))
    let context = try store.open(Deep.models)
    let board = try #require(try context.fetch(FetchDescriptor<Deep.Board>()).first)
    #expect(board.mark == .blank && board.frame.mark == .sized(width: 2, height: 3))
  }

  enum DeepPlan: SchemaMigrationPlan {
    @TaskLocal static var setsDepth = true
    static let schemas: [any VersionedSchema.Type] = [Wide.self, Deep.self]
    static let stages = [
      MigrationStage.transform(
        fromVersion: Wide.self, toVersion: Deep.self,
        transformation: { transformation in
          guard DeepPlan.setsDepth else { return }
          try transformation.forEach(Wide.Board.self, Deep.Board.self) { old, new, _ in
            if case .sized(let width, let height) = old.mark {
              new?.mark = .sized(width: width, height: height, depth: 4)
            }
          }
        })
    ]
  }

  @Test func aTransformationSetsANewAssociatedValue() throws {
    try makeBoards(
      Wide.Board(.blank, framed: .blank), Wide.Board(.sized(width: 2, height: 3), framed: .blank))
    func migrate() throws -> ModelContext {
      ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: Deep.self), migrationPlan: DeepPlan.self,
          configurations: [ModelConfiguration(url: store.url)]))
    }
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try DeepPlan.$setsDepth.withValue(false) { try migrate() }
    }
    let text = error?.description ?? ""
    #expect(text.contains("Board.mark (") && text.contains("in 1 row (p"), "\(text)")
    let marks = try migrate().fetch(FetchDescriptor<Deep.Board>()).map(\.mark)
    #expect(marks.count == 2 && marks.contains(.blank))
    #expect(marks.contains(.sized(width: 2, height: 3, depth: 4)))
  }

  @Test func textThatIsNoRawValueIsRefused() throws {
    try makeBefore { $0.level = "medium" }
    let text = try store.refusal([After.Place.self])
    #expect(text.contains("Place.level") && text.contains("not the raw value"), "\(text)")
  }

  // MARK: Whole values

  enum Columns {
    @Model final class Spot {
      var address: Before.Address
      var level: Int

      init(level: Int) {
        self.level = level
        address = Before.Address(street: "Via Appia", city: "Rome")
      }
    }
  }

  enum Archived {
    @Model final class Spot {
      @Attribute(.codable) var address: Before.Address
      var level: After.Level

      init() { (address, level) = (Before.Address(street: "", city: ""), .low) }
    }
  }

  @Test func aValueThatIsLostAsAWholeIsReportedOnce() throws {
    try store.make([Columns.Spot.self]) { $0.insert(Columns.Spot(level: 1)) }
    let text = try store.refusal([Archived.Spot.self])
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("- ") }
    #expect(lines.count { $0.hasPrefix("- Spot.address is") } == 1, "\(text)")
    #expect(lines.count { $0.hasPrefix("- Spot.level is") } == 1, "\(text)")
    #expect(!text.contains("member"), "\(text)")
  }
}
