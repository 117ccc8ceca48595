import Foundation
import SwiftData
import Testing

// Relationships of a class that move into some of its subclasses: each keeps the links of its rows.

extension LostLinkTests {
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

}
