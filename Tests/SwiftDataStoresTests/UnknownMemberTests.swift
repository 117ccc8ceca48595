import Foundation
import SwiftData
import SwiftDataStores
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

  private func context(_ folder: Folder, _ schema: Schema) throws -> ModelContext {
    let configuration = JSONStoreConfiguration(url: folder.file, unknownContent: .preserve)
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

  @Test(arguments: [
    ("\"home\": {\n\"street\": \"a\", \"rooms\": [],\n\"zap\": 5}", "home.zap", 8),
    (
      "\"home\": {\"street\": \"a\",\n\"rooms\": [{\"name\": \"a\"},\n{\"name\": \"b\", \"size\": null}]}",
      "home.rooms.1.size", 8
    ),
    (
      "\"all\": [{\"street\": \"b\", \"rooms\": []},\n{\"street\": \"a\", \"rooms\": [], \"x\": {}}]",
      "all.1.x", 7
    ),
    ("\"places\": {\n\"p\": {\"street\": \"\",\n\"rooms\": [], \"a\": 1}}", "places.p.a", 8),
    ("\"contact\": {\"phone\": {\"number\": \"1\",\n\"hours\": \"\"}}", "contact.phone.hours", 7),
  ])
  func otherwiseTheyAreAnError(_ property: String, _ place: String, _ line: Int) throws {
    let folder = try Folder()
    let text = document("\"Person\": {\"p\": {\"name\": \"A\",\n\(property)}}")
    try folder.write(text)
    let error = #expect(throws: DocumentStoreError.self) { _ = try folder.open(old) }
    #expect(error?.code == .unknownContent)
    #expect(error?.description.contains(": Person/p.\(place): ") == true, "\(error!)")
    #expect(error?.line == line, "\(error!)")
    #expect(try folder.read() == text)
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

  @Test func contentsInMemoryAreNotOpenedWithFewerMembers() throws {
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
    let error = #expect(throws: DocumentStoreError.self) { _ = try open(old) }
    #expect(error?.code == .unknownContent && error?.property == "home.note")
  }
}
