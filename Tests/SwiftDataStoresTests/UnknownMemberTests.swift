import Foundation
import SwiftData
import SwiftDataStores
import Synchronization
import Testing

@Suite("Members of structures that only a newer program has")
struct UnknownMemberTests {
  enum New {
    struct Address: Codable, Hashable {
      var street: String
      var zip: Int?
      var note: String?
      var rooms: [Room] = []
    }

    struct Room: Codable, Hashable {
      var name: String
      var lights: Int?
    }

    enum Contact: Codable, Hashable {
      case none
      case phone(number: String, hours: String)
    }

    @Model final class Person {
      var name: String
      var home: Address?
      var old: [Address] = []
      var all: Set<Address> = []
      var places: [String: Address] = [:]
      var contact = Contact.none
      init(_ name: String) { self.name = name }
    }
  }

  enum Old {
    struct Address: Codable, Hashable {
      var street: String
      var zip: Int?
      var rooms: [Room] = []
    }

    struct Room: Codable, Hashable { var name: String }

    enum Contact: Codable, Hashable {
      case none
      case phone(number: String)
    }

    @Model final class Person {
      var name: String
      var home: Address?
      var old: [Address] = []
      var all: Set<Address> = []
      var places: [String: Address] = [:]
      var contact = Contact.none
      init(_ name: String) { self.name = name }
    }
  }

  private let new = Schema([New.Person.self])
  private let old = Schema([Old.Person.self])

  /// With the default, that refuses unknown entities and properties.
  private func context(_ folder: Folder, _ schema: Schema) throws -> ModelContext {
    let configuration = JSONStoreConfiguration(url: folder.file)
    let context = ModelContext(try ModelContainer(for: schema, configurations: [configuration]))
    context.autosaveEnabled = false
    return context
  }

  private static func address(_ street: String) -> New.Address {
    New.Address(
      street: street, zip: 1, note: "note of \(street)",
      rooms: [New.Room(name: "hall", lights: 3), New.Room(name: "attic", lights: nil)])
  }

  private func write(_ folder: Folder) throws {
    let context = try context(folder, new)
    let person = New.Person("A")
    context.insert(person)
    person.home = Self.address("home")
    person.old = ["a", "b", "c"].map(Self.address)
    person.all = Set(["z", "y", "x"].map(Self.address))
    person.places = ["work": Self.address("work")]
    person.contact = .phone(number: "5", hours: "9 to 5")
    try context.save()
  }

  @Test func aSaveOfAnotherPropertyKeepsThem() throws {
    let folder = try Folder()
    try write(folder)
    let text = try folder.read()
    let context = try context(folder, old)
    let person = try #require(try context.all(Old.Person.self).first)
    person.name = "B"
    try context.save()
    #expect(try folder.read() == text.replacing("\"name\": \"A\"", with: "\"name\": \"B\""))
    // Other rows are written without being read again.
    context.insert(Old.Person("C"))
    person.name = "A"
    try context.save()
    let people = try self.context(folder, new).all(New.Person.self)
    #expect(people.first { $0.name == "A" }?.home?.note == "note of home")
  }

  @Test func aChangedValueKeepsThem() throws {
    let folder = try Folder()
    try write(folder)
    let context = try context(folder, old)
    let person = try #require(try context.all(Old.Person.self).first)
    person.home?.zip = 2
    person.old[1].rooms.removeLast()
    person.places["work"]?.street = "office"
    person.contact = .phone(number: "6")
    try context.save()
    // The second save sees what the first one has stored.
    person.old.remove(at: 0)
    person.all.remove(try #require(person.all.first { $0.street == "x" }))
    person.all.insert(Old.Address(street: "a"))
    try context.save()
    person.old.append(Old.Address(street: "d"))
    try context.save()
    let read = try #require(try self.context(folder, new).all(New.Person.self).first)
    #expect(read.home?.note == "note of home" && read.home?.zip == 2)
    #expect(read.old.map(\.street) == ["b", "c", "d"])
    #expect(read.old.map(\.note) == ["note of b", "note of c", nil])
    #expect(read.old.map { $0.rooms.map(\.lights) } == [[3], [3, nil], []])
    #expect(read.all.filter { $0.street > "x" } == Set(["y", "z"].map(Self.address)))
    #expect(read.places["work"]?.note == "note of work")
    #expect(read.contact == .phone(number: "6", hours: "9 to 5"))
    // Of a value that is removed, nothing stays.
    person.home = nil
    person.old = []
    person.all = []
    person.places = [:]
    person.contact = .none
    try context.save()
    #expect(try !folder.read().contains("note") && !folder.read().contains("hours"))
  }

  @Test func changesOfTheNewerProgramAreSeen() throws {
    let folder = try Folder()
    try write(folder)
    let context = try context(folder, old)
    let person = try #require(try context.all(Old.Person.self).first)
    let lines = try folder.read().components(separatedBy: "\n")
    let edited = lines.filter { !$0.contains("note of work") }.joined(separator: "\n")
    try folder.write(edited.replacing("note of home", with: "bell"))
    person.name = "B"
    try context.save()
    let read = try #require(try self.context(folder, new).all(New.Person.self).first)
    #expect(read.name == "B" && read.home?.note == "bell" && read.old.last?.note == "note of c")
    #expect(read.places["work"]?.note == nil)
  }

  struct Length: Codable {
    var meters: Double

    private enum CodingKeys: String, CodingKey { case meters, feet, text }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      meters =
        try values.decodeIfPresent(Double.self, forKey: .meters)
        ?? values.decode(Double.self, forKey: .feet) * 0.3048
    }

    func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(meters, forKey: .meters)
      try values.encode("\(meters) m", forKey: .text)
    }
  }

  @Model final class Plank {
    var length: Length
    init(_ length: Length) { self.length = length }
  }

  @Test func membersThatATypeOnlyReadsOrWritesAreKnown() throws {
    let folder = try Folder()
    let schema = Schema([Plank.self])
    try folder.write(document("\"Plank\": {\"p\": {\"length\": {\"feet\": 10}}}"))
    let context = try folder.context(schema)
    let plank = try #require(try context.all(Plank.self).first)
    plank.length.meters = 2
    try context.save()
    #expect(try folder.context(schema).all(Plank.self).first?.length.meters == 2)
    #expect(try !folder.read().contains("feet"))
  }

  @Test func contentsInMemoryKeepThem() throws {
    let contents = DictionaryStoreContents()
    let open = { (schema: Schema) in
      ModelContext(
        try ModelContainer(
          for: schema, configurations: [DictionaryStoreConfiguration(contents: contents)]))
    }
    let context = try open(new)
    let person = New.Person("A")
    context.insert(person)
    person.home = Self.address("home")
    try context.save()
    let old = try open(old)
    let same = try #require(try old.all(Old.Person.self).first)
    same.home?.zip = 2
    try old.save()
    let read = try #require(try open(new).all(New.Person.self).first)
    #expect(read.home?.zip == 2 && read.home?.note == "note of home")
  }

  /// Takes members of its own in several ways.
  struct Item: Codable, Hashable {
    var kind = "plain"
    var name: String?
    var note: String?

    private enum CodingKeys: String, CodingKey { case kind, name, title, note }
    private enum OldKeys: String, CodingKey { case remark }

    init(kind: String = "plain", name: String? = nil, note: String? = nil) {
      (self.kind, self.name, self.note) = (kind, name, note)
    }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      kind = try values.decodeIfPresent(String.self, forKey: .kind) ?? "plain"
      name =
        try values.decodeIfPresent(String.self, forKey: .name)
        ?? values.decodeIfPresent(String.self, forKey: .title)
      if kind != "plain" { note = try values.decodeIfPresent(String.self, forKey: .note) }
      if kind == "old", note == nil {
        let values = try decoder.container(keyedBy: OldKeys.self)
        note = try values.decodeIfPresent(String.self, forKey: .remark)
      }
    }

    func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      if kind != "plain" { try values.encode(kind, forKey: .kind) }
      try values.encodeIfPresent(name, forKey: .name)
      try values.encodeIfPresent(note, forKey: .note)
    }
  }

  /// Skips elements that it can't read.
  struct Items: Codable {
    var items: [Item]

    private struct Skipped: Codable {}

    init(from decoder: any Decoder) throws {
      var values = try decoder.unkeyedContainer()
      items = []
      while !values.isAtEnd {
        if let item = try? values.decode(Item.self) {
          items.append(item)
        } else {
          _ = try values.decode(Skipped.self)
        }
      }
    }

    func encode(to encoder: any Encoder) throws {
      var values = encoder.unkeyedContainer()
      for item in items { try values.encode(item) }
    }
  }

  enum Kind: String, Codable { case a, b, c }

  enum State: Codable, Equatable { case idle, busy(Item) }

  @Model final class Box {
    var name = ""
    var item: Item?
    var list: [Item] = []
    var readable: Items?
    var set: Set<Item> = []
    var kinds: [Kind: Item] = [:]
    var state = State.idle
    init() {}
  }

  private let boxes = Schema([Box.self])

  /// Saves a change of a box that a file has with one property, and compares the property in the file then, without
  /// spaces and closing brackets.
  private func check(
    _ property: String, becomes expected: String, at location: SourceLocation = #_sourceLocation,
    _ change: (Box) throws -> Void
  ) throws {
    let folder = try Folder()
    try folder.write(document("\"Box\": {\"b\": {\(property)}}"))
    let context = try context(folder, boxes)
    try change(try #require(try context.all(Box.self).first))
    try context.save()
    _ = try self.context(folder, boxes).all(Box.self)
    let lines = try folder.read().split(separator: "\n")
    let name = "\(property.prefix { $0 != ":" }):"
    let first = try #require(lines.firstIndex { $0.contains(name) })
    let indent = lines[first].prefix { $0 == " " }.count
    let rest = lines[(first + 1)...].prefix { $0.prefix { $0 == " " }.count > indent }
    let found = ([lines[first]] + rest).joined().filter { !" ]}".contains($0) }
    #expect(found == expected + (found.hasSuffix(",") ? "," : ""), sourceLocation: location)
  }

  @Test(arguments: [
    (#""item": {"name": "a", "title": "a"}"#, #""item":{"name":"a""#),
    (#""item": {"kind": "odd", "x": {"y": 1}}"#, #""item":{"kind":"odd","x":{"y":1"#),
    (
      #""list": [{"title": "a", "x": 1}, {}, {"name": "b"}, {}]"#,
      #""list":[{"name":"a","x":1,{,{"name":"b",{"#
    ),
    (
      #""readable": [{"name": "a"}, {"name": 5, "x": 1}, {"name": "b", "y": 2}]"#,
      #""readable":[{"name":"a",{"name":"b","y":2"#
    ),
    (
      #""kinds": ["b", {"name": "b", "x": 1}, "a", {"name": "a", "y": 2}]"#,
      #""kinds":["a",{"name":"a","y":2,"b",{"name":"b","x":1"#
    ),
    (#""state": {"idle": {"since": 5}}"#, #""state":{"idle":{"since":5"#),
  ])
  func membersStayWithTheirValue(_ property: String, _ expected: String) throws {
    try check(property, becomes: expected) { $0.name = "new" }
  }

  @Test func aMemberDoesNotChangeASavedValue() throws {
    let plain = #""item": {"kind": "plain", "name": "a", "note": "n", "remark": "r"}"#
    try check(plain, becomes: #""item":{"kind":"noted","name":"a","remark":"r""#) {
      $0.item?.kind = "noted"
    }
    let lines = try warnings {
      try check(plain, becomes: #""item":{"kind":"old","name":"a""#) { $0.item?.kind = "old" }
    }
    #expect(lines.map { $0.contains("members of Box/b.item that its type reads") } == [true])
  }

  private func warnings(_ body: () throws -> Void) rethrows -> [String] {
    let lines = Mutex<[String]>([])
    try WarningLog.$receiver.withValue({ line in lines.withLock { $0.append(line) } }) {
      try body()
    }
    return lines.withLock { $0 }
  }

  @Test func membersFollowTheElementsOfAList() throws {
    let list = #""list": [{"name": "a", "x": 1}, {"name": "b", "x": 2}, {"name": "c"}]"#
    let lines = try warnings {
      try check(list, becomes: #""list":[{"name":"c",{"name":"b","x":2,{"name":"a","x":1"#) {
        $0.list.swapAt(0, 2)
      }
      try check(list, becomes: #""list":[{"name":"b","x":2,{"name":"c""#) { $0.list.remove(at: 0) }
      try check(list, becomes: #""list":[{"name":"d","x":1,{"name":"b","x":2,{"name":"c""#) {
        $0.list[0].name = "d"
      }
      let equal = #""list": [{"name": "a", "x": 1}, {"name": "a", "x": 2}]"#
      try check(equal, becomes: #""list":[{"name":"b",{"name":"a","x":1,{"name":"a","x":2"#) {
        $0.list.insert(Item(name: "b"), at: 0)
      }
      let kinds = #""kinds": ["a", {"name": "a", "x": 1}, "b", {"name": "b", "x": 2}]"#
      try check(kinds, becomes: #""kinds":["b",{"name":"a","x":2,"c",{"name":"c""#) {
        $0.kinds = [.b: Item(name: "a"), .c: Item(name: "c")]
      }
    }
    #expect(lines.isEmpty)
  }

  @Test func membersDoNotMoveToOtherElements() throws {
    let lines = try warnings {
      let list = #""list": [{"name": "a", "x": 1}, {"name": "b", "x": 2}, {"name": "c"}]"#
      try check(list, becomes: #""list":[{"name":"d",{"name":"c""#) { box in
        box.list.remove(at: 0)
        box.list[0].name = "d"
      }
      let set = #""set": [{"name": "a", "x": 1}, {"name": "b", "x": 2}]"#
      try check(set, becomes: #""set":[{"name":"0",{"name":"b","x":2"#) { box in
        box.set.remove(Item(name: "a"))
        box.set.insert(Item(name: "0"))
      }
    }
    #expect(lines.count == 2 && lines.allSatisfy { $0.contains("told apart") })
  }
}
