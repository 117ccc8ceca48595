import Foundation
import SwiftData
import Testing

/// The migrations that guides to SwiftData walk through, each by its name, as an app writes them; the change
/// of a type in two stages is in `MigrationArticleTests`.
@Suite struct DocumentedMigrationTests {
  private let store: MigratedStore
  private var configuration: ModelConfiguration { ModelConfiguration(url: store.url) }

  init() throws { store = try MigratedStore() }

  // MARK: A plan with a lightweight stage

  enum NotesV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }

    @Model final class Note {
      var title: String
      var content: String
      var draft: Bool

      init(title: String) { (self.title, content, draft) = (title, "…", false) }
    }
  }

  enum NotesV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }

    @Model final class Note {
      @Attribute(originalName: "title") var headline: String
      var content: String
      var isPinned: Bool = false

      init(headline: String) { (self.headline, content) = (headline, "…") }
    }
  }

  enum NotesPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [NotesV1.self, NotesV2.self] }
    static var stages: [MigrationStage] {
      [.lightweight(fromVersion: NotesV1.self, toVersion: NotesV2.self)]
    }
  }

  @Test func addingRenamingAndRemovingProperties() throws {
    try store.make(NotesV1.models) { context in
      for title in ["a", "b"] { context.insert(NotesV1.Note(title: title)) }
    }
    typealias Note = NotesV2.Note
    let container = try ModelContainer(
      for: Note.self, migrationPlan: NotesPlan.self, configurations: configuration)
    let notes = try ModelContext(container).fetch(
      FetchDescriptor<Note>(sortBy: [SortDescriptor(\.headline)]))
    #expect(notes.map(\.headline) == ["a", "b"])
    #expect(notes.map(\.isPinned) == [false, false])
    try store.expectLikeNew(Schema(versionedSchema: NotesV2.self))
  }

  // MARK: Deduplication before a new uniqueness

  enum TripsV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self] }

    @Model final class Trip {
      var name: String
      var start: Date

      init(_ name: String, _ start: TimeInterval) {
        (self.name, self.start) = (name, Date(timeIntervalSinceReferenceDate: start))
      }
    }
  }

  enum TripsV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self] }

    @Model final class Trip {
      @Attribute(.unique) var name: String
      var start: Date

      init(_ name: String) { (self.name, start) = (name, .now) }
    }
  }

  enum TripsPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self] }
    static var stages: [MigrationStage] { [unify] }

    static let unify = MigrationStage.custom(
      fromVersion: TripsV1.self, toVersion: TripsV2.self,
      willMigrate: { context in
        var seen = Set<String>()
        let trips = try context.fetch(
          FetchDescriptor<TripsV1.Trip>(sortBy: [SortDescriptor(\.start, order: .reverse)]))
        for trip in trips where !seen.insert(trip.name).inserted { context.delete(trip) }
        try context.save()
      }, didMigrate: nil)
  }

  @Test func deduplicatingBeforeANewUniqueness() throws {
    try store.make(TripsV1.models) { context in
      for (name, start) in [("a", 1.0), ("b", 2), ("a", 3), ("a", 2)] {
        context.insert(TripsV1.Trip(name, start))
      }
    }
    let container = try ModelContainer(
      for: TripsV2.Trip.self, migrationPlan: TripsPlan.self, configurations: configuration)
    let trips = try ModelContext(container).fetch(
      FetchDescriptor<TripsV2.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.start.timeIntervalSinceReferenceDate) == [3, 2])
    try store.expectLikeNew(Schema(versionedSchema: TripsV2.self))
  }

  // MARK: One to many becomes many to many, with prefetching

  enum TagsV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Article.self, Tag.self] }

    @Model final class Article {
      var title: String
      @Relationship(deleteRule: .cascade, inverse: \Tag.article) var tags: [Tag] = []

      init(_ title: String, _ tags: [String]) {
        self.title = title
        self.tags = tags.map(Tag.init)
      }
    }

    @Model final class Tag {
      var name: String
      var article: Article?

      init(_ name: String) { self.name = name }
    }
  }

  enum TagsV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Article.self, Tag.self] }

    @Model final class Article {
      var title: String
      @Relationship(inverse: \Tag.articles) var tags: [Tag] = []

      init(_ title: String) { self.title = title }
    }

    @Model final class Tag {
      var name: String
      @Relationship(originalName: "article") var articles: [Article] = []

      init(_ name: String) { self.name = name }
    }
  }

  enum TagsPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [TagsV1.self, TagsV2.self] }
    static var stages: [MigrationStage] { [share] }

    /// Tags of one name become one, which all articles share.
    static let share = MigrationStage.custom(
      fromVersion: TagsV1.self, toVersion: TagsV2.self, willMigrate: nil,
      didMigrate: { context in
        var descriptor = FetchDescriptor<TagsV2.Tag>(sortBy: [SortDescriptor(\.name)])
        descriptor.relationshipKeyPathsForPrefetching = [\.articles]
        var first: [String: TagsV2.Tag] = [:]
        for tag in try context.fetch(descriptor) {
          guard let kept = first[tag.name] else {
            first[tag.name] = tag
            continue
          }
          kept.articles.append(contentsOf: tag.articles)
          context.delete(tag)
        }
        try context.save()
      })
  }

  @Test func makingManyToManyWithPrefetching() throws {
    try store.make(TagsV1.models) { context in
      context.insert(TagsV1.Article("one", ["swift", "data"]))
      context.insert(TagsV1.Article("two", ["swift"]))
      context.insert(TagsV1.Article("three", []))
    }
    let container = try ModelContainer(
      for: Schema(versionedSchema: TagsV2.self), migrationPlan: TagsPlan.self,
      configurations: configuration)
    let context = ModelContext(container)
    let articles = try context.fetch(
      FetchDescriptor<TagsV2.Article>(sortBy: [SortDescriptor(\.title)]))
    #expect(articles.map { Set($0.tags.map(\.name)) } == [["swift", "data"], [], ["swift"]])
    #expect(try context.fetchCount(FetchDescriptor<TagsV2.Tag>()) == 2)
    try store.expectLikeNew(Schema(versionedSchema: TagsV2.self))
  }

  // MARK: Splitting and merging

  enum PeopleV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Person.self] }

    @Model final class Person {
      var fullName: String
      var street: String
      var city: String

      init(_ fullName: String, _ street: String, _ city: String) {
        (self.fullName, self.street, self.city) = (fullName, street, city)
      }
    }
  }

  enum PeopleV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Person.self, Address.self] }

    @Model final class Person {
      var fullName: String
      var firstName: String = ""
      var lastName: String = ""
      var street: String
      var city: String
      var address: Address?

      init() { (fullName, street, city) = ("", "", "") }
    }

    @Model final class Address {
      var street: String
      var city: String
      @Relationship(inverse: \Person.address) var people: [Person] = []

      init(_ street: String, _ city: String) { (self.street, self.city) = (street, city) }
    }
  }

  enum PeopleV3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Person.self, PeopleV3.Address.self] }

    @Model final class Person {
      var firstName: String
      var lastName: String
      var address: Address?

      init() { (firstName, lastName) = ("", "") }
    }

    @Model final class Address {
      var street: String
      var city: String
      @Relationship(inverse: \Person.address) var people: [Person] = []

      init(_ street: String, _ city: String) { (self.street, self.city) = (street, city) }
    }
  }

  enum PeoplePlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] {
      [PeopleV1.self, PeopleV2.self, PeopleV3.self]
    }
    static var stages: [MigrationStage] {
      [split, .lightweight(fromVersion: PeopleV2.self, toVersion: PeopleV3.self)]
    }

    static let split = MigrationStage.custom(
      fromVersion: PeopleV1.self, toVersion: PeopleV2.self, willMigrate: nil,
      didMigrate: { context in
        var addresses: [[String]: PeopleV2.Address] = [:]
        for person in try context.fetch(FetchDescriptor<PeopleV2.Person>()) {
          let names = person.fullName.split(separator: " ", maxSplits: 1).map(String.init)
          (person.firstName, person.lastName) = (names[0], names.count > 1 ? names[1] : "")
          let place = [person.street, person.city]
          let address = addresses[place] ?? PeopleV2.Address(person.street, person.city)
          addresses[place] = address
          person.address = address
        }
        try context.save()
      })
  }

  @Test func splittingPropertiesAndEntities() throws {
    try store.make(PeopleV1.models) { context in
      context.insert(PeopleV1.Person("Ann Lee", "Elm St", "Rome"))
      context.insert(PeopleV1.Person("Ben Lee", "Elm St", "Rome"))
      context.insert(PeopleV1.Person("Cher", "Oak St", "Pisa"))
    }
    let container = try ModelContainer(
      for: Schema(versionedSchema: PeopleV3.self), migrationPlan: PeoplePlan.self,
      configurations: configuration)
    let context = ModelContext(container)
    let people = try context.fetch(
      FetchDescriptor<PeopleV3.Person>(sortBy: [SortDescriptor(\.firstName)]))
    #expect(people.map(\.lastName) == ["Lee", "Lee", ""])
    #expect(people.map(\.address?.city) == ["Rome", "Rome", "Pisa"])
    #expect(try context.fetchCount(FetchDescriptor<PeopleV3.Address>()) == 2)
    try store.expectLikeNew(Schema(versionedSchema: PeopleV3.self))
  }

  // MARK: Filling before a required property

  enum ContactsV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Contact.self] }

    @Model final class Contact {
      var name: String
      var mail: String?

      init(_ name: String, _ mail: String?) { (self.name, self.mail) = (name, mail) }
    }
  }

  enum ContactsV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Contact.self] }

    @Model final class Contact {
      var name: String
      var mail: String

      init(_ name: String, _ mail: String) { (self.name, self.mail) = (name, mail) }
    }
  }

  enum ContactsPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [ContactsV1.self, ContactsV2.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: ContactsV1.self, toVersion: ContactsV2.self,
          willMigrate: { context in
            let withoutMail = #Predicate<ContactsV1.Contact> { $0.mail == nil }
            for contact in try context.fetch(FetchDescriptor(predicate: withoutMail)) {
              contact.mail = "\(contact.name.lowercased())@example.com"
            }
            try context.save()
          }, didMigrate: nil)
      ]
    }
  }

  @Test func fillingBeforeARequiredProperty() throws {
    try store.make(ContactsV1.models) { context in
      context.insert(ContactsV1.Contact("Ann", nil))
      context.insert(ContactsV1.Contact("Ben", "ben@b.org"))
    }
    let container = try ModelContainer(
      for: ContactsV2.Contact.self, migrationPlan: ContactsPlan.self,
      configurations: configuration)
    let contacts = try ModelContext(container).fetch(
      FetchDescriptor<ContactsV2.Contact>(sortBy: [SortDescriptor(\.name)]))
    #expect(contacts.map(\.mail) == ["ann@example.com", "ben@b.org"])
    try store.expectLikeNew(Schema(versionedSchema: ContactsV2.self))
  }
}
