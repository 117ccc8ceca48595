import Foundation
import SwiftData
import Testing

/// Links, and values outside of rows, that belong to classes which the new models have otherwise or not
/// at all.
@Suite struct LostLinkTests {
  enum Above {
    @Model class Animal {
      var name: String
      var owner: Person?
      init(_ name: String) { self.name = name }
    }

    @Model final class Dog: Animal {
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Cat: Animal {
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Person {
      @Relationship(inverse: \Animal.owner) var pets: [Animal] = []
      init() {}
    }

    static let types: [any PersistentModel.Type] = [
      Animal.self, Dog.self, Cat.self, Person.self,
    ]
  }

  enum Below {
    @Model class Animal {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Dog: Animal {
      var owner: Person?
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Cat: Animal {
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Person {
      @Relationship(inverse: \Dog.owner) var pets: [Dog] = []
      init() {}
    }

    static let types: [any PersistentModel.Type] = [
      Animal.self, Dog.self, Cat.self, Person.self,
    ]
  }

  @Test func linksOfClassesThatLoseTheRelationshipAreTold() throws {
    let store = try MigratedStore().make(Above.types) { context in
      let person = Above.Person()
      context.insert(person)
      person.pets = [Above.Dog("d"), Above.Cat("c"), Above.Cat("e"), Above.Animal("a")]
    }
    let preview = try ModelContainer.migrationPreview(
      for: Schema(Below.types), configurations: [ModelConfiguration(url: store.url)])
    let losses = preview[0].losses
    #expect(losses.count == 1 && losses.first?.valueCount == 3, "\(losses)")
    let context = try store.open(Below.types)
    #expect(try context.fetch(FetchDescriptor<Below.Person>()).first?.pets.map(\.name) == ["d"])
  }

  @Test func nothingIsToldIfOnlyClassesWithTheRelationshipHaveLinks() throws {
    let store = try MigratedStore().make(Above.types) { context in
      let person = Above.Person()
      context.insert(person)
      person.pets = [Above.Dog("d")]
      context.insert(Above.Cat("c"))
    }
    let preview = try ModelContainer.migrationPreview(
      for: Schema(Below.types), configurations: [ModelConfiguration(url: store.url)])
    #expect(preview[0].losses.isEmpty && preview[0].problems.isEmpty)
  }

  enum TagsAbove {
    @Model class Animal {
      var name: String
      var tags: [Tag] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Dog: Animal {
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Cat: Animal {
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Tag {
      var text: String
      @Relationship(inverse: \Animal.tags) var animals: [Animal] = []
      init(_ text: String) { self.text = text }
    }

    static let types: [any PersistentModel.Type] = [
      Animal.self, Dog.self, Cat.self, Tag.self,
    ]
  }

  enum TagsBelow {
    @Model class Animal {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Dog: Animal {
      var tags: [Tag] = []
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Cat: Animal {
      var tags: [Tag] = []
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Tag {
      var text: String
      @Relationship(inverse: \Dog.tags) var dogs: [Dog] = []
      @Relationship(inverse: \Cat.tags) var cats: [Cat] = []
      init(_ text: String) { self.text = text }
    }

    static let types: [any PersistentModel.Type] = [
      Animal.self, Dog.self, Cat.self, Tag.self,
    ]
  }

  @Test(arguments: [false, true])
  func pairsFollowARelationshipIntoTwoSubclasses(hasOther: Bool) throws {
    let store = try MigratedStore().make(TagsAbove.types) { context in
      let (red, old) = (TagsAbove.Tag("red"), TagsAbove.Tag("old"))
      context.insert(red)
      context.insert(old)
      red.animals = [TagsAbove.Dog("d"), TagsAbove.Cat("c")]
      old.animals = [TagsAbove.Cat("e")]
      old.animals += red.animals
      if hasOther { red.animals.append(TagsAbove.Animal("a")) }
    }
    let preview = try ModelContainer.migrationPreview(
      for: Schema(TagsBelow.types), configurations: [ModelConfiguration(url: store.url)])
    #expect(preview[0].problems.isEmpty)
    #expect(preview[0].losses.map(\.valueCount) == (hasOther ? [1] : []))
    let context = try store.open(TagsBelow.types)
    var tags: [String: TagsBelow.Tag] = [:]
    for tag in try context.fetch(FetchDescriptor<TagsBelow.Tag>()) { tags[tag.text] = tag }
    #expect(tags["red"]?.dogs.map(\.name) == ["d"] && tags["red"]?.cats.map(\.name) == ["c"])
    #expect(tags["old"]?.dogs.map(\.name) == ["d"])
    #expect(tags["old"]?.cats.map(\.name).sorted() == ["c", "e"])
    let dog = try #require(try context.fetch(FetchDescriptor<TagsBelow.Dog>()).first)
    #expect(dog.tags.map(\.text).sorted() == ["old", "red"])
  }

  enum TagsOfDogs {
    @Model class Animal {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Dog: Animal {
      var tags: [Tag] = []
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Cat: Animal {
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Tag {
      var text: String
      @Relationship(inverse: \Dog.tags) var dogs: [Dog] = []
      init(_ text: String) { self.text = text }
    }

    static let types: [any PersistentModel.Type] = [
      Animal.self, Dog.self, Cat.self, Tag.self,
    ]
  }

  @Test(arguments: [true, false])
  func pairsOfClassesThatLoseTheRelationshipAreTold(hasCats: Bool) throws {
    let store = try MigratedStore().make(TagsAbove.types) { context in
      let (red, old) = (TagsAbove.Tag("red"), TagsAbove.Tag("old"))
      context.insert(red)
      context.insert(old)
      red.animals = [TagsAbove.Dog("d")]
      if hasCats {
        red.animals.append(TagsAbove.Cat("c"))
        old.animals = [TagsAbove.Cat("e")]
      }
    }
    let preview = try ModelContainer.migrationPreview(
      for: Schema(TagsOfDogs.types), configurations: [ModelConfiguration(url: store.url)])
    #expect(preview[0].problems.isEmpty)
    #expect(preview[0].losses.map(\.valueCount) == (hasCats ? [2] : []))
    let context = try store.open(TagsOfDogs.types)
    var tags: [String: TagsOfDogs.Tag] = [:]
    for tag in try context.fetch(FetchDescriptor<TagsOfDogs.Tag>()) { tags[tag.text] = tag }
    #expect(tags["red"]?.dogs.map(\.name) == ["d"] && tags["old"]?.dogs.isEmpty == true)
    let dogs = try context.fetch(FetchDescriptor<TagsOfDogs.Dog>())
    #expect(dogs.map(\.name) == ["d"] && dogs[0].tags.map(\.text) == ["red"])
    #expect(try context.fetchCount(FetchDescriptor<TagsOfDogs.Cat>()) == (hasCats ? 2 : 0))
  }

  enum AnimalsAreDogs {
    @Model class Animal {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Dog: Animal {
      var tags: [Tag] = []
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Cat: Animal {
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Tag {
      var text: String
      @Relationship(inverse: \Dog.tags) var animals: [Dog] = []
      init(_ text: String) { self.text = text }
    }

    static let types: [any PersistentModel.Type] = [
      Animal.self, Dog.self, Cat.self, Tag.self,
    ]
  }

  /// A tag of a dog and a cat, one of a dog, and one of a cat.
  private func makeTags() throws -> MigratedStore {
    try MigratedStore().make(TagsAbove.types) { context in
      let dog = TagsAbove.Dog("d")
      let cat = TagsAbove.Cat("c")
      for (text, animals) in [("both", [dog, cat]), ("cat", [cat]), ("dog", [dog])] {
        let tag = TagsAbove.Tag(text)
        context.insert(tag)
        tag.animals = animals
      }
    }
  }

  /// The changed properties of tags in the last transaction, by the keys of their texts.
  private func updates<Tag: PersistentModel>(
    of text: KeyPath<Tag, String>, _ context: ModelContext
  ) throws -> [String: Set<PartialKeyPath<Tag>>] {
    let last = try #require(
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
    var found: [String: Set<PartialKeyPath<Tag>>] = [:]
    for change in last.changes {
      guard case .update(let update as DefaultHistoryUpdate<Tag>) = change else { continue }
      let tag = try #require(context.model(for: update.changedPersistentIdentifier) as? Tag)
      found[tag[keyPath: text]] = Set(update.updatedAttributes)
    }
    return found
  }

  @Test func aListThatLosesMembersOfOtherClassesIsInTheHistory() throws {
    let store = try makeTags()
    let context = try store.open(AnimalsAreDogs.types)
    #expect(
      try updates(of: \AnimalsAreDogs.Tag.text, context) == [
        "both": [\.animals], "cat": [\.animals],
      ])
  }

  @Test func onlyListsThatGetMembersOfTheirClassAreInTheHistory() throws {
    let store = try makeTags()
    let context = try store.open(TagsBelow.types)
    #expect(
      try updates(of: \TagsBelow.Tag.text, context) == [
        "both": [\.dogs, \.cats], "cat": [\.cats], "dog": [\.dogs],
      ])
  }

  enum LabelsOfCats {
    @Model class Animal {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Dog: Animal {
      var tags: [Tag] = []
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Cat: Animal {
      var labels: [Tag] = []
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Tag {
      var text: String
      @Relationship(inverse: \Dog.tags) var dogs: [Dog] = []
      @Relationship(inverse: \Cat.labels) var cats: [Cat] = []
      init(_ text: String) { self.text = text }
    }

    static let types: [any PersistentModel.Type] = [
      Animal.self, Dog.self, Cat.self, Tag.self,
    ]
  }

  @Test func aForgottenOriginalNameInOneSubclassIsRefused() throws {
    let store = try makeTags()
    let text = try store.refusal(LabelsOfCats.types)
    #expect(text.contains("Cat.tags") && text.contains("(labels)"), "\(text)")
    #expect(text.contains("1 row (p"), "\(text)")
    #expect(text.contains("@Relationship(originalName: \"tags\")"), "\(text)")
    #expect(text.contains("[\"tags\"] in the class Animal"), "\(text)")
  }

  @Test func withoutLinksOfTheSubclassNoOriginalNameIsMissing() throws {
    let store = try MigratedStore().make(TagsAbove.types) { context in
      let tag = TagsAbove.Tag("red")
      context.insert(tag)
      tag.animals = [TagsAbove.Dog("d")]
      context.insert(TagsAbove.Cat("c"))
    }
    let context = try store.open(LabelsOfCats.types)
    let tags = try context.fetch(FetchDescriptor<LabelsOfCats.Tag>())
    #expect(tags.map { $0.dogs.map(\.name) } == [["d"]] && tags[0].cats.isEmpty)
  }

  enum CatsWithoutInverse {
    @Model class Animal {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Dog: Animal {
      var tags: [Tag] = []
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Cat: Animal {
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Tag {
      var text: String
      @Relationship(inverse: \Dog.tags) var dogs: [Dog] = []
      var cats: [Cat] = []
      init(_ text: String) { self.text = text }
    }

    static let types: [any PersistentModel.Type] = [
      Animal.self, Dog.self, Cat.self, Tag.self,
    ]
  }

  @Test func aForgottenOriginalNameOfAListOfOneSubclassIsRefused() throws {
    let store = try makeTags()
    let text = try store.refusal(CatsWithoutInverse.types)
    #expect(text.contains("Tag.animals") && text.contains("(cats)"), "\(text)")
    #expect(text.contains("2 rows (p"), "\(text)")
    #expect(text.contains("@Relationship(originalName: \"animals\")"), "\(text)")
  }

  enum LabelsRemoved {
    @Model class Animal {
      static let removedProperties: Set<String> = ["tags"]

      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Dog: Animal {
      var tags: [Tag] = []
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Cat: Animal {
      var labels: [Tag] = []
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Tag {
      var text: String
      @Relationship(inverse: \Dog.tags) var dogs: [Dog] = []
      @Relationship(inverse: \Cat.labels) var cats: [Cat] = []
      init(_ text: String) { self.text = text }
    }

    static let types: [any PersistentModel.Type] = [
      Animal.self, Dog.self, Cat.self, Tag.self,
    ]
  }

  @Test func linksOfOneSubclassAreDeletedIfTheSuperclassDeclaresIt() throws {
    let store = try makeTags()
    let context = try store.open(LabelsRemoved.types)
    let tags = try context.fetch(
      FetchDescriptor<LabelsRemoved.Tag>(sortBy: [SortDescriptor(\.text)]))
    #expect(tags.map { $0.dogs.map(\.name) } == [["d"], [], ["d"]])
    #expect(tags.map(\.cats.count) == [0, 0, 0])
  }

  enum TagsAndTag {
    @Model class Animal {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Dog: Animal {
      var tags: [Tag] = []
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Cat: Animal {
      @Relationship(originalName: "tags") var tag: Tag?
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Tag {
      var text: String
      @Relationship(inverse: \Dog.tags) var dogs: [Dog] = []
      @Relationship(inverse: \Cat.tag) var cats: [Cat] = []
      init(_ text: String) { self.text = text }
    }

    static let types: [any PersistentModel.Type] = [
      Animal.self, Dog.self, Cat.self, Tag.self,
    ]
  }

  @Test(arguments: [false, true])
  func aListOfOneSubclassMayBecomeASingleModel(hasSeveral: Bool) throws {
    let store = try MigratedStore().make(TagsAbove.types) { context in
      let (red, old) = (TagsAbove.Tag("red"), TagsAbove.Tag("old"))
      context.insert(red)
      context.insert(old)
      red.animals = [TagsAbove.Dog("d"), TagsAbove.Cat("c")]
      old.animals = red.animals.filter { hasSeveral || $0 is TagsAbove.Dog }
    }
    if hasSeveral {
      #expect(try store.refusal(TagsAndTag.types).contains("have several members"))
      return
    }
    let preview = try ModelContainer.migrationPreview(
      for: Schema(TagsAndTag.types), configurations: [ModelConfiguration(url: store.url)])
    #expect(preview[0].problems.isEmpty && preview[0].losses.isEmpty)
    let context = try store.open(TagsAndTag.types)
    var tags: [String: TagsAndTag.Tag] = [:]
    for tag in try context.fetch(FetchDescriptor<TagsAndTag.Tag>()) { tags[tag.text] = tag }
    #expect(tags["red"]?.dogs.map(\.name) == ["d"] && tags["red"]?.cats.map(\.name) == ["c"])
    #expect(tags["old"]?.dogs.map(\.name) == ["d"] && tags["old"]?.cats.isEmpty == true)
    let cats = try context.fetch(FetchDescriptor<TagsAndTag.Cat>())
    #expect(cats.map(\.tag?.text) == ["red"])
  }

  enum OwnersOfDogs {
    @Model class Animal {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Dog: Animal {
      @Relationship(originalName: "owner") var owners: [Person] = []
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Cat: Animal {
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Person {
      @Relationship(inverse: \Dog.owners) var pets: [Dog] = []
      init() {}
    }

    static let types: [any PersistentModel.Type] = [
      Animal.self, Dog.self, Cat.self, Person.self,
    ]
  }

  @Test func aSingleModelMayBecomeAListOfOneSubclass() throws {
    let store = try MigratedStore().make(Above.types) { context in
      let person = Above.Person()
      context.insert(person)
      person.pets = [Above.Dog("d"), Above.Cat("c")]
    }
    let preview = try ModelContainer.migrationPreview(
      for: Schema(OwnersOfDogs.types), configurations: [ModelConfiguration(url: store.url)])
    #expect(preview[0].losses.map(\.valueCount) == [1])
    let context = try store.open(OwnersOfDogs.types)
    let people = try context.fetch(FetchDescriptor<OwnersOfDogs.Person>())
    #expect(people.map { $0.pets.map(\.name) } == [["d"]])
  }

  enum MembersAbove {
    @Model class Team {
      var name: String
      var members: [Player] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class SubTeam: Team {
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Player {
      var name: String
      init(_ name: String) { self.name = name }
    }

    static let types: [any PersistentModel.Type] = [Team.self, SubTeam.self, Player.self]
  }

  enum MembersBelow {
    @Model class Team {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class SubTeam: Team {
      var members: [Player] = []
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Player {
      var name: String
      init(_ name: String) { self.name = name }
    }

    static let types: [any PersistentModel.Type] = [Team.self, SubTeam.self, Player.self]
  }

  @Test func membersOfAListWithoutInverseLoseOwnersOfOtherClasses() throws {
    let store = try MigratedStore().make(MembersAbove.types) { context in
      let (team, part) = (MembersAbove.Team("t"), MembersAbove.SubTeam("s"))
      context.insert(team)
      context.insert(part)
      team.members = [MembersAbove.Player("p")]
      part.members = [MembersAbove.Player("q")]
    }
    let preview = try ModelContainer.migrationPreview(
      for: Schema(MembersBelow.types), configurations: [ModelConfiguration(url: store.url)])
    #expect(preview[0].problems.isEmpty && preview[0].losses.map(\.valueCount) == [1])
    let context = try store.open(MembersBelow.types)
    let parts = try context.fetch(FetchDescriptor<MembersBelow.SubTeam>())
    #expect(parts.map { $0.members.map(\.name) } == [["q"]])
    let column = try #require(
      try SQLiteFile.text(
        "SELECT name FROM pragma_table_info('ZPLAYER') WHERE name LIKE 'Z%MEMBERS'", in: store.url))
    let owned = "SELECT ZNAME FROM ZPLAYER WHERE \(column) IS NOT NULL"
    #expect(try SQLiteFile.texts(owned, in: store.url) == ["q"])
  }

  enum Required {
    @Model class Animal {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Dog: Animal {
      var owner: Person
      init(_ name: String, _ owner: Person) {
        self.owner = owner
        super.init(name)
      }
    }

    @Model final class Person {
      init() {}
    }
  }

  enum RequiredAbove {
    @Model class Animal {
      var name: String
      var owner: Person
      init(_ name: String, _ owner: Person) { (self.name, self.owner) = (name, owner) }
    }

    @Model final class Dog: Animal {
      override init(_ name: String, _ owner: Person) { super.init(name, owner) }
    }

    @Model final class Person {
      init() {}
    }
  }

  @Test(arguments: [true, false])
  func aRequiredRelationshipThatMovesUpNeedsLinks(hasOther: Bool) throws {
    let store = try MigratedStore().make(
      [Required.Animal.self, Required.Dog.self, Required.Person.self]
    ) { context in
      context.insert(Required.Dog("d", Required.Person()))
      if hasOther { context.insert(Required.Animal("a")) }
    }
    let types: [any PersistentModel.Type] = [
      RequiredAbove.Animal.self, RequiredAbove.Dog.self, RequiredAbove.Person.self,
    ]
    if hasOther {
      #expect(try store.refusal(types).contains("have no model for it"))
    } else {
      let context = try store.open(types)
      let dogs = try context.fetch(FetchDescriptor<RequiredAbove.Dog>())
      #expect(dogs.map(\.name) == ["d"] && dogs[0].owner.modelContext != nil)
    }
  }

  enum Owned: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] {
      [Boat.self, Car.self, Person.self, Worker.self]
    }

    @Model final class Boat {
      var owner: Person
      init(_ owner: Person) { self.owner = owner }
    }

    @Model final class Car {
      var owner: Person
      init(_ owner: Person) { self.owner = owner }
    }

    @Model class Person {
      init() {}
    }

    @Model final class Worker: Person {
      override init() { super.init() }
    }
  }

  enum OwnedByWorkers: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] {
      [Boat.self, Car.self, Person.self, Vehicle.self, Worker.self]
    }

    @Model class Vehicle {
      var owner: Worker
      init(_ owner: Worker) { self.owner = owner }
    }

    @Model final class Boat: Vehicle {
      override init(_ owner: Worker) { super.init(owner) }
    }

    @Model final class Car: Vehicle {
      override init(_ owner: Worker) { super.init(owner) }
    }

    @Model class Person {
      init() {}
    }

    @Model final class Worker: Person {
      override init() { super.init() }
    }
  }

  enum OwnersPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Owned.self, OwnedByWorkers.self]
    static let stages = [
      MigrationStage.transform(
        fromVersion: Owned.self, toVersion: OwnedByWorkers.self, transformation: { _ in })
    ]
  }

  @Test func aTransformationMustReplaceRequiredLinksToOtherClasses() throws {
    let store = try MigratedStore().make(Owned.models) { context in
      context.insert(Owned.Boat(Owned.Worker()))
      context.insert(Owned.Car(Owned.Person()))
    }
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: Schema(versionedSchema: OwnedByWorkers.self), migrationPlan: OwnersPlan.self,
        configurations: ModelConfiguration(url: store.url))
    }
    let text = error?.description ?? ""
    #expect(text.contains("Car.owner (Worker, no inverse) in 1 row (p"), "\(text)")
    #expect(!text.contains("Boat.owner"), "\(text)")
  }

  enum First {
    @Model final class Trip {
      var name = ""
      init() {}
    }

    @Model final class Photo {
      @Attribute(.externalStorage) var data: Data
      init(_ data: Data) { self.data = data }
    }
  }

  enum Second {
    @Model final class Trip {
      var name = ""
      var isLong = false
      init() {}
    }
  }

  /// Random values begin like the name of a file, or the mark of a value in its row.
  @Test func largeValuesOfAnUnknownClassStay() throws {
    let values = [
      Data([1, 7]), Data([2, 65, 66]), Data(), Data(repeating: 9, count: 300_000),
      Data(repeating: 1, count: 300_000),
    ]
    let store = try MigratedStore().make([First.Trip.self, First.Photo.self]) { context in
      for value in values { context.insert(First.Photo(value)) }
      context.insert(First.Trip())
    }
    let configuration = ModelConfiguration(url: store.url)
    for _ in 0..<2 {
      let container = try ModelContainer(for: Second.Trip.self, configurations: configuration)
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Second.Trip>()) == 1)
    }
    let container = try ModelContainer(
      for: Second.Trip.self, First.Photo.self, configurations: configuration)
    let found = try ModelContext(container).fetch(FetchDescriptor<First.Photo>()).map(\.data)
    #expect(Set(found) == Set(values))
  }

  enum Inline {
    @Model final class Photo {
      var data: Data?
      init(_ data: Data) { self.data = data }
    }
  }

  enum Outside {
    @Model final class Photo {
      @Attribute(.externalStorage) var data: Data?
      init(_ data: Data) { self.data = data }
    }
  }

  @Test func anOpenContainerNoticesThatValuesMovedOut() throws {
    let folder = try TemporaryFolder()
    let configuration = ModelConfiguration(url: folder.store)
    let first = try ModelContainer(for: Inline.Photo.self, configurations: configuration)
    let context = ModelContext(first)
    context.insert(Inline.Photo(Data([9])))
    try context.save()
    let second = try ModelContainer(for: Outside.Photo.self, configurations: configuration)
    #expect(throws: SwiftDataError.self) {
      try ModelContext(first).fetch(FetchDescriptor<Inline.Photo>())
    }
    context.insert(Inline.Photo(Data([1, 2])))
    #expect(throws: SwiftDataError.self) { try context.save() }
    let found = try ModelContext(second).fetch(FetchDescriptor<Outside.Photo>())
    #expect(found.map(\.data) == [Data([9])])
  }
}
