import Foundation
import SwiftData
import Testing

/// Enums and parts of structs that become required. Version hashes do not tell it, because their columns are
/// optional anyway.
@Suite struct RequiredPartTests {
  private let store: MigratedStore

  init() throws { store = try MigratedStore() }

  enum Kind: String, Codable { case small, large }
  enum Shape: Codable, Equatable { case round(Int), flat }

  enum Loose: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Parcel.self] }

    struct Address: Codable, Equatable { var city: String; var zip: Int?; var kind: Kind? }

    @Model final class Parcel {
      var name: String
      var kind: Kind?
      var address: Address
      var other: Address?

      init(_ name: String, kind: Kind?, zip: Int?, place: Kind?) {
        (self.name, self.kind) = (name, kind)
        let address = Address(city: "Rome", zip: zip, kind: place)
        (self.address, other) = (address, address)
      }
    }
  }

  private func make(_ parcels: Loose.Parcel...) throws {
    try store.make(Loose.models) { context in
      for parcel in parcels { context.insert(parcel) }
    }
  }

  private func makeBoth() throws {
    try make(
      Loose.Parcel("a", kind: nil, zip: nil, place: nil),
      Loose.Parcel("b", kind: .large, zip: 5, place: .large))
  }

  private func isMigrationNeeded(_ types: [any PersistentModel.Type]) throws -> Bool {
    try #require(
      try ModelContainer.migrationPreview(
        for: Schema(types), configurations: [ModelConfiguration(url: store.url)]
      ).first
    ).isNeeded
  }

  /// The values of all parcels, in the order of their names.
  private func values<T: PersistentModel, V>(
    _ context: ModelContext, _ name: any KeyPath<T, String> & Sendable, _ value: (T) -> V
  ) throws -> [V] {
    try context.fetch(FetchDescriptor<T>(sortBy: [SortDescriptor(name)])).map(value)
  }

  // MARK: Enums

  enum Kinds: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Parcel.self] }

    @Model final class Parcel {
      var name: String
      var kind: Kind
      var address: Loose.Address
      var other: Loose.Address?

      init(_ name: String) {
        (self.name, kind) = (name, .small)
        address = Loose.Address(city: "", zip: nil, kind: nil)
      }
    }
  }

  enum DefaultKinds {
    @Model final class Parcel {
      var name: String
      var kind: Kind = Kind.small
      var address: Loose.Address
      var other: Loose.Address?

      init(_ name: String) {
        self.name = name
        address = Loose.Address(city: "", zip: nil, kind: nil)
      }
    }
  }

  @Test(arguments: RelationshipMigrationTests.sizes)
  func anEnumGetsItsDefault(_ size: Int64) throws {
    try makeBoth()
    try SchemaChange.$smallTable.withValue(size) {
      let context = try store.open([DefaultKinds.Parcel.self])
      #expect(try values(context, \DefaultKinds.Parcel.name) { $0.kind } == [.small, .large])
      let small = Kind.small
      let predicate = #Predicate<DefaultKinds.Parcel> { $0.kind == small }
      #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == 1)
      #expect(context.unreadableValues.isEmpty)
    }
    #expect(try !isMigrationNeeded([DefaultKinds.Parcel.self]))
  }

  enum KindsPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Loose.self, Kinds.self]
    static let stages = [
      MigrationStage.custom(
        fromVersion: Loose.self, toVersion: Kinds.self,
        willMigrate: { context in
          for parcel in try context.fetch(FetchDescriptor<Loose.Parcel>()) {
            parcel.kind = parcel.kind ?? .large
          }
          try context.save()
        },
        didMigrate: nil)
    ]
  }

  @Test func anEnumWithoutAValueIsRefusedAndSetInAStage() throws {
    try makeBoth()
    let text = try store.refusal(Kinds.models)
    #expect(text.contains("Parcel.kind is an enum"), "\(text)")
    #expect(text.contains("but an optional enum") && text.contains("1 row (p"), "\(text)")
    #expect(text.contains("willMigrate: { context in"), "\(text)")
    let context = ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: Kinds.self), migrationPlan: KindsPlan.self,
        configurations: [ModelConfiguration(url: store.url)]))
    #expect(try values(context, \Kinds.Parcel.name) { $0.kind } == [.large, .large])
  }

  /// What the file says of the enum follows its models, so that no row is missed later.
  @Test func anEnumThatIsOptionalForAVersionIsAskedAgain() throws {
    try make(Loose.Parcel("b", kind: .large, zip: nil, place: nil))
    for _ in 0..<2 {
      #expect(try isMigrationNeeded(Kinds.models))
      _ = try store.open(Kinds.models)
      #expect(try !isMigrationNeeded(Kinds.models))
      _ = try store.open(Loose.models)
    }
    let context = try store.open(Loose.models)
    context.insert(Loose.Parcel("c", kind: nil, zip: nil, place: nil))
    try context.save()
    #expect(try store.refusal(Kinds.models).contains("Parcel.kind"))
  }

  // MARK: Members

  enum Strict: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Parcel.self] }

    struct Address: Codable, Equatable { var city: String; var zip: Int; var kind: Kind? }

    @Model final class Parcel {
      var name: String
      var kind: Kind?
      var address: Address
      var other: Address?

      init(_ name: String) {
        self.name = name
        address = Address(city: "", zip: 0, kind: nil)
      }
    }
  }

  enum DefaultStrict {
    @Model final class Parcel {
      var name: String
      var kind: Kind?
      var address: Strict.Address = Strict.Address(city: "", zip: 7, kind: nil)
      var other: Strict.Address? = Strict.Address(city: "", zip: 8, kind: nil)

      init(_ name: String) { self.name = name }
    }
  }

  enum StrictPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Loose.self, Strict.self]
    static let stages = [
      MigrationStage.custom(
        fromVersion: Loose.self, toVersion: Strict.self,
        willMigrate: { context in
          for parcel in try context.fetch(FetchDescriptor<Loose.Parcel>()) {
            parcel.address.zip = parcel.address.zip ?? 3
            parcel.other?.zip = parcel.other?.zip ?? 4
          }
          try context.save()
        },
        didMigrate: nil)
    ]
  }

  /// In an optional struct no column tells whether its member is optional.
  @Test func aMemberWithoutAValueIsRefusedAndSetInAStage() throws {
    try makeBoth()
    let text = try store.refusal(Strict.models)
    for property in ["address", "other"] {
      #expect(
        text.contains(
          "Parcel.\(property) is a value whose member zip is required, but without zip in the store"
        ),
        "\(text)")
    }
    #expect(text.contains("1 row (p") && text.contains("willMigrate: { context in"), "\(text)")
    let context = ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: Strict.self), migrationPlan: StrictPlan.self,
        configurations: [ModelConfiguration(url: store.url)]))
    #expect(try values(context, \Strict.Parcel.name) { $0.address.zip } == [3, 5])
    #expect(try values(context, \Strict.Parcel.name) { $0.other?.zip } == [4, 5])
  }

  @Test(arguments: RelationshipMigrationTests.sizes)
  func aMemberGetsTheValueOfTheDefault(_ size: Int64) throws {
    try makeBoth()
    try SchemaChange.$smallTable.withValue(size) {
      let context = try store.open([DefaultStrict.Parcel.self])
      #expect(try values(context, \DefaultStrict.Parcel.name) { $0.address.zip } == [7, 5])
      #expect(try values(context, \DefaultStrict.Parcel.name) { $0.other?.zip } == [8, 5])
      #expect(
        try values(context, \DefaultStrict.Parcel.name) { $0.address.city } == ["Rome", "Rome"])
      #expect(context.unreadableValues.isEmpty)
    }
    #expect(try !isMigrationNeeded([DefaultStrict.Parcel.self]))
  }

  enum StrictKinds {
    struct Address: Codable, Equatable { var city: String; var zip: Int?; var kind: Kind }

    @Model final class Parcel {
      var name: String
      var kind: Kind?
      var address: Address
      var other: Address?

      init(_ name: String) {
        self.name = name
        address = Address(city: "", zip: nil, kind: .small)
      }
    }
  }

  /// The hashes and descriptions of both models are equal.
  @Test func anEnumInAStructWithoutAValueIsRefused() throws {
    try makeBoth()
    let text = try store.refusal([StrictKinds.Parcel.self])
    for property in ["address", "other"] {
      #expect(text.contains("Parcel.\(property) is a value whose member kind is"), "\(text)")
    }
    let context = try store.open(Loose.models)
    for parcel in try context.fetch(FetchDescriptor<Loose.Parcel>()) {
      parcel.address.kind = .small
      parcel.other?.kind = .large
    }
    try context.save()
    let strict = try store.open([StrictKinds.Parcel.self])
    #expect(
      try values(strict, \StrictKinds.Parcel.name) { $0.address.kind } == [.small, .small])
    #expect(try values(strict, \StrictKinds.Parcel.name) { $0.other?.kind } == [.large, .large])
    #expect(try !isMigrationNeeded([StrictKinds.Parcel.self]))
  }

  enum Shaped {
    struct Address: Codable, Equatable {
      var city: String
      var zip: Int?
      var kind: Kind?
      var shape: Shape
    }

    @Model final class Parcel {
      var name: String
      var kind: Kind?
      var address: Address
      var other: Address?

      init(_ name: String) {
        self.name = name
        address = Address(city: "", zip: nil, kind: nil, shape: .flat)
      }
    }
  }

  enum DefaultShaped {
    @Model final class Parcel {
      var name: String
      var kind: Kind?
      var address: Shaped.Address = Shaped.Address(
        city: "", zip: nil, kind: nil, shape: .round(2))
      var other: Loose.Address?

      init(_ name: String) { self.name = name }
    }
  }

  @Test func aNewEnumInAStructNeedsADefault() throws {
    try makeBoth()
    let text = try store.refusal([Shaped.Parcel.self])
    #expect(text.contains("Parcel.address is a value whose member shape is"), "\(text)")
    let context = try store.open([DefaultShaped.Parcel.self])
    #expect(
      try values(context, \DefaultShaped.Parcel.name) { $0.address }
        == [
          Shaped.Address(city: "Rome", zip: nil, kind: nil, shape: .round(2)),
          Shaped.Address(city: "Rome", zip: 5, kind: .large, shape: .round(2)),
        ])
  }

  enum OldTool {
    @Model final class Tool {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  enum NewTool {
    @Model final class Tool {
      var name: String
      var note: String?
      init(_ name: String) { self.name = name }
    }
  }

  /// Only the models of a migration tell which parts of their structs may be nil.
  @Test func theMigrationOfOtherModelsDoesNotRecordWhatItCannotKnow() throws {
    try store.make([OldTool.Tool.self] + Loose.models) { context in
      context.insert(OldTool.Tool("saw"))
      context.insert(Loose.Parcel("a", kind: nil, zip: nil, place: nil))
    }
    try store.forgetCompositeForms()
    _ = try ModelContainer(
      for: Schema([NewTool.Tool.self]), configurations: ModelConfiguration(url: store.url))
    let forms = try RealFile.metadata(store.url)["OpenSwiftDataCompositeForms"]
    #expect(forms as? [String: String] == [:])
    #expect(try !isMigrationNeeded([NewTool.Tool.self] + Loose.models))
  }
}
