import Foundation
import OpenSwiftDataStoreFormat
import SwiftData
import SwiftDataTools
import Testing

/// Classes that were generated of a file open it.
@Suite struct GeneratedModelsTests {
  private func context(
    _ copy: StoreCopy, _ types: [any PersistentModel.Type], allowsSave: Bool = true
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(types),
        configurations: ModelConfiguration(url: copy.url, allowsSave: allowsSave)))
  }

  @Test func aFileOfSwiftData() throws {
    typealias Task = GeneratedScheduler.Task
    let copy = try StoreCopy("spezi-scheduler")
    defer { copy.remove() }
    let context = try context(copy, [Task.self, GeneratedScheduler.Outcome.self])
    let tasks = try context.fetch(FetchDescriptor<Task>(sortBy: [SortDescriptor(\.effectiveFrom)]))
    #expect(Set(tasks.map(\.id)) == ["task1", "task2", "task3"] && tasks.count == 5)
    #expect(tasks.allSatisfy { $0.notificationThread == .global || $0.notificationThread == .task })
    #expect(tasks.allSatisfy { $0.schedule.scheduleDuration == .tillEndOfDay })
    #expect(tasks.allSatisfy { $0.tags.isEmpty && $0.userInfo.userInfo == Data("{}".utf8) })
    tasks[0].tags = ["new"]
    tasks[0].outcomes.append(
      GeneratedScheduler.Outcome(
        completionDate: .now, id: UUID(), occurrenceStartDate: .now, task: tasks[0],
        userInfo: .init(userInfo: Data())))
    try context.save()
    let again = try self.context(copy, [Task.self, GeneratedScheduler.Outcome.self])
    #expect(
      try again.fetch(FetchDescriptor<Task>(sortBy: [SortDescriptor(\.effectiveFrom)]))[0].tags
        == ["new"])
    #expect(try again.fetchCount(FetchDescriptor<GeneratedScheduler.Outcome>()) == 1)
  }

  @Test func aFileOfCoreData() throws {
    typealias Car = GeneratedGarage.Car
    let copy = try StoreCopy("coredataplus-SampleModel")
    defer { copy.remove() }
    let context = try context(
      copy,
      [
        Car.self, GeneratedGarage.SportCar.self, GeneratedGarage.ExpensiveSportCar.self,
        GeneratedGarage.Person.self,
      ])
    #expect(try context.fetchCount(FetchDescriptor<Car>()) == 125)
    let person = try #require(
      try context.fetch(
        FetchDescriptor<GeneratedGarage.Person>(predicate: #Predicate { $0.lastName == "Coster" })
      ).first)
    #expect(person.firstName == "Victoria")
    context.insert(GeneratedGarage.ExpensiveSportCar(numberPlate: "new"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<GeneratedGarage.SportCar>()) == 11)
  }

  @Test func aFileThatOnlyAppleCanWrite() throws {
    typealias Book = GeneratedPublishing.Book
    let copy = try StoreCopy("coredataplus-SampleModel2")
    defer { copy.remove() }
    let context = try context(
      copy,
      [
        Book.self, GeneratedPublishing.GraphicNovel.self, GeneratedPublishing.Author.self,
        GeneratedPublishing.Writer.self, GeneratedPublishing.Page.self,
        GeneratedPublishing.Feedback.self,
      ], allowsSave: false)
    let books = try context.fetch(FetchDescriptor<Book>())
    #expect(books.count == 52 && books.allSatisfy { $0.cover.starts(with: Data("bplist00".utf8)) })
    #expect(books.allSatisfy { $0.pagesCount == $0.pages.count })
  }

  /// The metadata say which attributes are in files of their own, also where no row has such a value.
  @Test func externalAttributesWithoutValuesAreGenerated() throws {
    let copy = try StoreCopy("coredataplus-SampleModel")
    defer { copy.remove() }
    let url = copy.folder.appending(path: "scans.store")
    _ = try ModelContainer(
      for: Scan.self, configurations: ModelConfiguration(url: url))
    let source = try ModelSource(of: url).text
    #expect(
      source.contains("@Attribute(.externalStorage)\n  var image: Data?")
        && source.contains("@Attribute(.externalStorage)\n  var text: String?")
        && source.contains("image: Data?\n  var small: Data?"), "\(source)")
  }

  /// Any program may write a file, so a name in it could be code.
  @Test(arguments: [
    "x: Int = exit(1)\n  var y", "with space", "a-b", "`x`", "9lives", "_", "", "a\u{2028}b", "a(",
    "a×b", "a☀️", "\u{301}a", "a\u{202E}b",
  ])
  func aNameThatIsNoneInSwiftIsRefused(_ name: String) throws {
    let copy = try StoreCopy("coredataplus-SampleModel")
    defer { copy.remove() }
    func attribute(_ name: String, _ elements: [AttributeDescription] = []) -> AttributeDescription
    {
      var attribute = AttributeDescription(
        name: name, type: elements.isEmpty ? .string : .composite)
      attribute.elements = elements
      return attribute
    }
    var constrained = EntityDescription(
      name: "Car", superName: nil, properties: [.attribute(attribute("plate"))])
    constrained.uniqueConstraints = [["plate", name]]
    for entity in [
      EntityDescription(name: name, superName: nil, properties: []),
      EntityDescription(name: "Car", superName: nil, properties: [.attribute(attribute(name))]),
      EntityDescription(
        name: "Car", superName: nil,
        properties: [.attribute(attribute("spot", [attribute("x"), attribute(name)]))]),
      constrained,
    ] {
      try write(ModelDescription(entities: [entity], versionIdentifiers: []), into: copy)
      let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
        try ModelSource(of: copy.url)
      }
      #expect(error?.description.contains("is no name in Swift") == true)
    }
  }

  @Test(arguments: [
    "naïve", "名前", "🐶", "_x", "init", "ключ2", "preis€", "x²", "½", "℃", "e\u{301}", "👩\u{200D}🚀",
  ])
  func aNameInAnyScriptIsGenerated(_ name: String) throws {
    let copy = try StoreCopy("coredataplus-SampleModel")
    defer { copy.remove() }
    let entity = EntityDescription(
      name: "Car", superName: nil,
      properties: [.attribute(AttributeDescription(name: name, type: .string, isOptional: true))])
    try write(ModelDescription(entities: [entity], versionIdentifiers: []), into: copy)
    #expect(try ModelSource(of: copy.url).text.contains("\(name)"))
  }

  /// Transient attributes and fetched properties have no column, so no class declares them.
  @Test func namesOfPropertiesWithoutColumnsMayBeAny() throws {
    let copy = try StoreCopy("coredataplus-SampleModel")
    defer { copy.remove() }
    var transient = AttributeDescription(name: "a-b", type: .string, isOptional: true)
    transient.isTransient = true
    let entity = EntityDescription(
      name: "Car", superName: nil,
      properties: [
        .attribute(AttributeDescription(name: "plate", type: .string, isOptional: true)),
        .attribute(transient), .fetched(name: "with space"),
      ])
    try write(ModelDescription(entities: [entity], versionIdentifiers: []), into: copy)
    let source = try ModelSource(of: copy.url).text
    #expect(source.contains("var plate: String?"))
    #expect(!source.contains("a-b") && !source.contains("with space"))
  }

  @Test func aClassNameInACommentStaysInItsLine() throws {
    let copy = try StoreCopy("coredataplus-SampleModel")
    defer { copy.remove() }
    var attribute = AttributeDescription(name: "color", type: .transformable, isOptional: true)
    attribute.valueClassName = "Color\nimport Glibc"
    let entity = EntityDescription(
      name: "Car", superName: nil, properties: [.attribute(attribute)])
    try write(ModelDescription(entities: [entity], versionIdentifiers: []), into: copy)
    let lines = try ModelSource(of: copy.url).text.split(separator: "\n")
    #expect(!lines.contains { $0.hasPrefix("import Glibc") })
    #expect(
      lines.contains { $0.contains("/// The stored bytes of a transformed Color import Glibc") })
  }

  /// Containers refuse `#Unique` of a subclass that names only inherited properties.
  @Test func aUniqueConstraintOfInheritedPropertiesIsAComment() throws {
    let copy = try StoreCopy("coredataplus-SampleModel")
    defer { copy.remove() }
    func attribute(_ name: String) -> PropertyDescription {
      .attribute(AttributeDescription(name: name, type: .string, isOptional: true))
    }
    let car = EntityDescription(
      name: "Car", properties: [attribute("maker"), attribute("plate")],
      uniqueConstraints: [["maker"]])
    let van = EntityDescription(
      name: "Van", superName: "Car", properties: [attribute("load")],
      uniqueConstraints: [["maker"], ["plate"], ["load", "plate"]])
    try write(ModelDescription(entities: [car, van], versionIdentifiers: []), into: copy)
    let source = try ModelSource(of: copy.url).text
    #expect(source.contains("// Unique among these models in the file: plate."), "\(source)")
    #expect(source.contains("#Unique<Car>([\\.maker])"), "\(source)")
    #expect(source.contains("#Unique<Van>([\\.maker], [\\.load, \\.plate])"), "\(source)")
  }

  private func write(_ model: ModelDescription, into copy: StoreCopy) throws {
    let bytes = try ModelCache.encode(model).map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
    try copy.execute("UPDATE Z_MODELCACHE SET Z_CONTENT = x'\(bytes.joined())'")
  }

  @Test func aFileWithUnusualNames() throws {
    typealias Thing = GeneratedUnusual.Thing
    let copy = try StoreCopy("coredataplus-SampleModel")
    defer { copy.remove() }
    let url = copy.folder.appending(path: "unusual.store")
    try Unusual.make(at: url)
    #expect(try StoreCheckup(of: url).problems == [])
    let context = ModelContext(
      try ModelContainer(
        for: Schema([
          Thing.self, GeneratedUnusual.Attribute.self, GeneratedUnusual.Set.self,
          GeneratedUnusual.Date.self, GeneratedUnusual.Task.self, GeneratedUnusual.Category.self,
          GeneratedUnusual.String.self,
        ]), configurations: ModelConfiguration(url: url)))
    let things = try context.fetch(FetchDescriptor<Thing>(sortBy: [SortDescriptor(\.`init`)]))
    #expect(things.map(\.`init`) == ["a", "d"] && things.map(\.`default`) == [7, 7])
    #expect(things.allSatisfy { $0.scan == Data(repeating: 5, count: 200_000) })
    #expect(things.allSatisfy { $0.words == ["a \"quoted\" word"] && $0.numbers == [3] })
    #expect(things.allSatisfy { $0.type == .case(2) && $0.set == .init(self_: "s", in: 4) })
    #expect((things[0] as? GeneratedUnusual.Attribute)?.where == "here")
    #expect(things[1].like.count == 2 && things[0].unlike == [things[1]])
    #expect(things[0].repeat?.other?.category?.enum.rawValue == "false")
    #expect(things[0].repeat?.date?.array == [Data([9])])
    things[1].scan = Data(repeating: 6, count: 200_001)
    try context.save()
    #expect(try StoreCheckup(of: url).problems == [])
  }
}

@Model private final class Scan {
  @Attribute(.externalStorage) var image: Data?
  @Attribute(.externalStorage) var text: String?
  var small: Data?

  init() {}
}
