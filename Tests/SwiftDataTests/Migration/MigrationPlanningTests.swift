import Foundation
import OpenSwiftDataStoreFormat
import SwiftData
import Testing

/// Recognising a store and finding its path, on paper: descriptions of models in, decisions out.
@Suite struct MigrationPlanningTests {
  /// Trip, with more properties in each version.
  private let trips: [ModelVersion] = [
    .paper(1, Trip("name")), .paper(2, Trip("name", "days")),
    .paper(3, Trip("name", "days", "price")),
  ]

  private struct NothingToDo: Error {}

  private func path(_ decision: MigrationDecision) throws -> MigrationPath {
    guard case .migrate(let path) = decision else { throw NothingToDo() }
    return path
  }

  private func decision(
    _ store: StoreIdentity, _ models: ModelVersion, _ versions: [ModelVersion] = [],
    _ links: [StageLink] = [], isPart: Bool = false,
    columnDifferences: (Int) -> [String] = { _ in ["other columns"] }
  ) throws -> MigrationDecision {
    try MigrationPlanning(models: models, versions: versions, links: links, isPart: isPart)
      .decision(store, named: "The store", columnDifferences: columnDifferences)
  }

  // MARK: Paths

  @Test func theStagesOfThePlanAreTakenInTheirOrder() throws {
    let links = [
      StageLink(from: 0, to: 1, stage: 0, isCustom: false),
      StageLink(from: 1, to: 2, stage: 1, isCustom: true),
    ]
    let whole = try path(decision(.paper(trips[0]), trips[2], trips, links))
    #expect(
      whole.steps == [
        MigrationPath.Step(from: 0, to: 1, stage: 0), MigrationPath.Step(from: 1, to: 2, stage: 1),
      ])
    #expect(
      whole.text
        == "1.0.0 to 2.0.0 (by a stage of the plan), 2.0.0 to 3.0.0 (by a stage of the plan)")
    let half = try path(decision(.paper(trips[1]), trips[2], trips, links))
    #expect(half.steps == [MigrationPath.Step(from: 1, to: 2, stage: 1)])
    #expect(try decision(.paper(trips[2]), trips[2], trips, links) == .open)
  }

  @Test func withoutAStageAStoreChangesByItself() throws {
    let path = try path(decision(.paper(trips[0]), trips[2], trips))
    #expect(path.steps.map(\.to) == [1, 2] && path.steps.allSatisfy { $0.stage == nil })
    #expect(path.text == "1.0.0 to 2.0.0, 2.0.0 to 3.0.0")
  }

  @Test func aStageMayLeadOverVersions() throws {
    let links = [StageLink(from: 0, to: 2, stage: 0, isCustom: true)]
    let path = try path(decision(.paper(trips[0]), trips[2], trips, links))
    #expect(path.steps == [MigrationPath.Step(from: 0, to: 2, stage: 0)])
    // A stage that leads behind the models is not taken.
    let shorter = try self.path(decision(.paper(trips[0]), trips[1], trips, links))
    #expect(shorter.steps == [MigrationPath.Step(from: 0, to: 1, stage: nil)])
  }

  @Test func aListThatEndsInAnOlderVersionLeadsBack() throws {
    let downward = [trips[1], trips[0]]
    let path = try path(decision(.paper(trips[1]), trips[0], downward))
    #expect(path.steps == [MigrationPath.Step(from: 0, to: 1, stage: nil)])
    #expect(path.versionNames == ["2.0.0", "1.0.0"])
    let there = [trips[0], trips[1], trips[0]]
    #expect(try decision(.paper(trips[0]), trips[0], there) == .open)
    #expect(try self.path(decision(.paper(trips[1]), trips[0], there)).versionNames.count == 2)
  }

  @Test func aNewerStoreIsNotLedBackUnasked() throws {
    let error = #expect(throws: SwiftDataError.backwardMigration) {
      try decision(.paper(trips[2]), trips[1], trips)
    }
    #expect(error?.description.contains("The store has version 3.0.0") == true)
    // A version that no plan lists, but whose number is higher than all.
    let later = ModelVersion.paper(4, Trip("name", "fourth"))
    #expect(throws: SwiftDataError.backwardMigration) {
      try decision(.paper(later), trips[2], trips)
    }
    #expect(throws: SwiftDataError.backwardMigration) { try decision(.paper(later), trips[2]) }
  }

  // MARK: Recognition

  @Test func ofVersionsWithEqualHashesTheOneCountsThatTheFileNames() throws {
    let links = [StageLink(from: 0, to: 1, stage: 0, isCustom: true)]
    let same = [trips[0], ModelVersion.paper(2, Trip("name"))]
    let path = try path(decision(.paper(same[0]), same[1], same, links))
    #expect(
      path.steps == [MigrationPath.Step(from: 0, to: 1, stage: 0)] && !path.changesVersionNameOnly)
    #expect(try decision(.paper(same[1]), same[1], same, links) == .open)
    // Without code nothing but the name of the version changes.
    #expect(try self.path(decision(.paper(same[0]), same[1], same)).changesVersionNameOnly)
  }

  @Test func ofVersionsWithEqualHashesTheOneCountsWhoseDeclarationsTheFileHas() throws {
    let versions = [
      ModelVersion.paper(1, Trip("name", default: "a")),
      ModelVersion.paper(2, Trip("name", default: "b")),
      ModelVersion.paper(3, Trip("name", default: "c")),
    ]
    #expect(Set(versions.map(\.hashes)).count == 1)
    func start(_ store: StoreIdentity) throws -> Int? {
      try path(decision(store, versions[2], versions)).steps.first?.from
    }
    #expect(try start(.paper(versions[0], names: [])) == 0)
    #expect(try start(.paper(versions[1], names: ["first"])) == 1)
    #expect(try decision(.paper(versions[2], names: []), versions[2], versions) == .open)
    // A file that tells neither has the last.
    let bare = StoreIdentity(
      hashes: versions[0].hashes, model: nil, versionIdentifiers: [], entityNames: ["Trip"])
    #expect(try decision(bare, versions[2], versions) == .open)
  }

  /// A file does not tell the default of a decimal number.
  @Test func theDefaultOfADecimalNumberDoesNotCountInAFile() throws {
    func version(_ major: Int, _ text: String, _ price: String?) -> ModelVersion {
      var name = AttributeDescription(name: "name", type: .string)
      name.defaultValue = .string(text)
      var number = AttributeDescription(name: "price", type: .decimal)
      number.defaultValue = price.map(ModelValue.decimal)
      return .paper(
        major,
        [EntityDescription(name: "Item", properties: [.attribute(name), .attribute(number)])])
    }
    let versions = [version(1, "a", "3"), version(2, "b", "3")]
    let path = try path(decision(.paper(version(1, "a", nil), names: []), versions[1], versions))
    #expect(path.steps.first?.from == 0)
  }

  /// A model with a struct of two points, whose columns are numbered in the order of the members.
  private func map(_ major: Int, _ members: String..., in property: String = "box") -> ModelVersion
  {
    var box = AttributeDescription(name: property, type: .composite)
    box.elements = members.map { name in
      var point = AttributeDescription(name: name, type: .composite)
      point.elements = ["x", "y"].map { AttributeDescription(name: $0, type: .double) }
      return point
    }
    return .paper(major, [EntityDescription(name: "Map", properties: [.attribute(box)])])
  }

  @Test func ofVersionsWithEqualHashesTheOneCountsWhoseColumnsTheFileHas() throws {
    let versions = [map(1, "min", "max"), map(2, "max", "min")]
    #expect(versions[0].hashes == versions[1].hashes)
    for plan in [versions, [versions[1]], []] {
      let path = try path(decision(.paper(versions[0], names: []), versions[1], plan))
      #expect(path.steps.count == 1 && !path.changesVersionNameOnly)
      #expect(try decision(.paper(versions[1], names: []), versions[1], plan) == .open)
    }
    #expect(
      try MigrationPlanning(models: map(3, "min", "max"), versions: versions).target == 0)
    // Other names of the same columns are renamed parts.
    #expect(try decision(.paper(versions[0]), map(1, "low", "max")) == .open)
    #expect(try decision(.paper(versions[0]), map(1, "min", "max", in: "area")) == .open)
  }

  @Test func aReusedClassIsNoMatter() throws {
    let versions = [
      ModelVersion.paper(1, Trip("name"), Trip("kind", entity: "Tag")),
      ModelVersion.paper(2, Trip("name", "days"), Trip("kind", entity: "Tag")),
    ]
    #expect(try path(decision(.paper(versions[0]), versions[1], versions)).steps.first?.from == 0)
  }

  @Test func entitiesOfOtherModulesDoNotCount() throws {
    let other = Trip("text", entity: "Note")
    for place in trips.indices {
      let file = ModelVersion.paper(place + 1, trips[place].model.entities + [other.entity])
      if place == 2 {
        #expect(try decision(.paper(file), trips[2], trips) == .open)
      } else {
        #expect(try path(decision(.paper(file), trips[2], trips)).steps.first?.from == place)
      }
    }
    let changed = ModelVersion.paper(1, trips[0].model.entities + [other.entity])
    #expect(try path(decision(.paper(changed), trips[2])).steps.count == 1)
  }

  @Test func anEntityThatAVersionDropsNamesTheVersion() throws {
    let versions = [
      ModelVersion.paper(1, Trip("name"), Trip("kind", entity: "Tag")),
      ModelVersion.paper(2, Trip("name")),
    ]
    #expect(try path(decision(.paper(versions[0]), versions[1], versions)).steps.first?.from == 0)
    #expect(try decision(.paper(versions[1]), versions[1], versions) == .open)
  }

  @Test func aStoreOfSomeOfTheModelsKnowsItsVersion() throws {
    let log = [Trip("line", entity: "Log"), Trip("line", "level", entity: "Log")]
    let versions = [
      ModelVersion.paper(1, Trip("name"), log[0]),
      ModelVersion.paper(2, Trip("name", "days"), log[1]),
    ]
    let (first, second) = (ModelVersion.paper(1, log[0]), ModelVersion.paper(1, log[1]))
    #expect(
      try path(decision(.paper(first), second, versions, isPart: true)).steps
        == [MigrationPath.Step(from: 0, to: 1, stage: nil)])
    #expect(
      try decision(.paper(ModelVersion.paper(2, log[1])), second, versions, isPart: true) == .open)
    // The store of all models becomes that of some.
    #expect(
      try path(decision(.paper(versions[0]), second, versions, isPart: true)).steps.count == 1)
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try decision(.paper(first), second, versions)
    }
  }

  @Test func aFileWithoutHashesIsRecognisedByItsTables() throws {
    let bare = StoreIdentity(
      hashes: [:], model: nil, versionIdentifiers: [], entityNames: ["Trip"])
    #expect(try decision(bare, trips[2], trips) { $0 == 2 ? [] : ["x"] } == .open)
    #expect(
      try path(decision(bare, trips[2], trips) { $0 < 2 ? [] : ["x"] }).steps.first?.from == 1)
    #expect(try decision(bare, trips[2]) { _ in [] } == .open)
    #expect(throws: SwiftDataError.unknownDataStoreSchema) { try decision(bare, trips[2], trips) }
  }

  @Test func whatMakesNoOtherRowsMakesNoOtherVersion() throws {
    // Core Data has limits of counts, which its hashes count.
    let stored = ModelVersion.paper(1, Trip("name", minimumCount: 2))
    let models = ModelVersion.paper(1, Trip("name"))
    #expect(stored.hashes != models.hashes)
    #expect(try decision(.paper(stored), models) == .open)
    #expect(try decision(.paper(stored), models, [models]) == .open)
  }

  // MARK: Stores that no version describes

  @Test func withoutAPlanAStoreChangesByItself() throws {
    let path = try path(decision(.paper(trips[0]), ModelVersion.paper(1, Trip("name", "days"))))
    #expect(path.steps == [MigrationPath.Step(from: nil, to: 0, stage: nil)])
    #expect(path.text == "1.0.0 to 1.0.0")
  }

  @Test func aStoreFromBeforeThePlanIsLedToItsFirstVersion() throws {
    let older = ModelVersion.paper(1, Trip("title"))
    let path = try path(decision(.paper(older), trips[2], trips))
    #expect(path.steps.map(\.from) == [nil, 0, 1] && path.steps.map(\.to) == [0, 1, 2])
  }

  @Test func aRenamedEntityIsACounterpart() throws {
    let renamed = ModelVersion.paper(1, Trip("name", entity: "Journey", formerly: "Trip"))
    let path = try path(decision(.paper(trips[0]), renamed))
    #expect(path.steps.count == 1)
  }

  @Test func aStoreWithoutACounterpartIsNeverEmptied() throws {
    let foreign = ModelVersion.paper(1, Trip("text", entity: "Note"))
    for versions in [[], trips] {
      let error = #expect(throws: SwiftDataError.unknownDataStoreSchema) {
        try decision(.paper(foreign), trips[2], versions)
      }
      let text = error?.description ?? ""
      #expect(text.contains("the model Trip is new") && text.contains("the store has Note"))
    }
    #expect(throws: SwiftDataError.unknownDataStoreSchema) {
      let bare = StoreIdentity(
        hashes: foreign.hashes, model: nil, versionIdentifiers: [], entityNames: ["Note"])
      return try decision(bare, trips[2], trips)
    }
  }

  @Test func aStoreBetweenTheVersionsOfAPlanIsUnknown() throws {
    // A change of version 2 that was never made a version: to version 1 it would lose the days.
    let changed = ModelVersion.paper(1, Trip("name", "days", "guide"))
    let error = #expect(throws: SwiftDataError.unknownDataStoreSchema) {
      try decision(.paper(changed), trips[2], trips)
    }
    let text = error?.description ?? ""
    #expect(text.contains("version 2.0.0 of the migration plan"))
    #expect(text.contains("the store has Trip.guide (String), which the model lacks"))
    #expect(throws: SwiftDataError.unknownDataStoreSchema) {
      let numbered = ModelVersion.paper(2, Trip("name", "guide"))
      return try decision(.paper(numbered), trips[2], trips)
    }
  }

  // MARK: The models

  @Test func modelsThatAreNoVersionAreRefused() throws {
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try MigrationPlanning(models: .paper(1, Trip("name", "guide")), versions: trips)
    }
    let text = error?.description ?? ""
    #expect(text.contains("differ from version 3.0.0"))
    #expect(text.contains("Trip.guide (String) is new"))
    #expect(text.contains("version 3.0.0 has Trip.price (String), which the model lacks"))
  }

  @Test func theModelsMayBeOtherClassesOfAVersion() throws {
    for place in trips.indices {
      let models = ModelVersion.paper(1, trips[place].model.entities)
      #expect(try MigrationPlanning(models: models, versions: trips).target == place)
    }
    // A version that only cleans up has the models of the one before.
    let same = trips + [ModelVersion.paper(4, trips[2].model.entities)]
    let models = ModelVersion.paper(1, trips[2].model.entities)
    #expect(try MigrationPlanning(models: models, versions: same).target == 3)
    #expect(try MigrationPlanning(models: trips[2], versions: same).target == 2)
  }

  /// Versions of ten entities, in each of which one has another property than in the version before.
  private func longPlan(_ count: Int, run: Int) -> [ModelVersion] {
    (1...count).map { number in
      ModelVersion.paper(
        number,
        (0..<10).map { place in
          Trip("run\(run)", "a\(number - number % 10 + place)", entity: "Trip\(place)").entity
        })
    }
  }

  /// - Returns: The time to lead the oldest version to the models.
  private func seconds(_ count: Int, run: Int) throws -> Double {
    let (models, versions) = (longPlan(count, run: run)[count - 1], longPlan(count, run: run))
    return try Growth.seconds {
      let planning = try MigrationPlanning(models: models, versions: versions)
      let store = StoreIdentity.paper(versions[0])
      let decision = try planning.decision(store, named: "", columnDifferences: { _ in [] })
      guard case .migrate(let path) = decision else {
        Issue.record("\(decision)")
        return
      }
      #expect(path.steps.count == count - 1)
    }
  }

  @Test func aPlanOfFourTimesAsManyVersionsTakesFourTimesAsLong() throws {
    // Each run has models of its own, because hashes of models are kept.
    var run = 0
    try Growth.expectLinear(from: 40) { count in
      run += 1
      return try seconds(count, run: run)
    }
  }
}

/// An entity on paper: texts, and a relationship to itself.
private struct Trip {
  let entity: EntityDescription

  init(
    _ names: String..., entity name: String = "Trip", formerly: String? = nil,
    default value: String? = nil, minimumCount: Int = 0
  ) {
    var properties = names.map { name in
      var attribute = AttributeDescription(name: name, type: .string)
      attribute.defaultValue = value.map(ModelValue.string)
      attribute.renamingIdentifier = name
      return PropertyDescription.attribute(attribute)
    }
    properties.append(
      .relationship(
        RelationshipDescription(
          name: "others", destination: name, minimumCount: minimumCount, maximumCount: 0)))
    entity = EntityDescription(
      name: name, properties: properties, renamingIdentifier: formerly ?? name)
  }
}

extension ModelVersion {
  fileprivate static func paper(_ major: Int, _ trips: Trip...) -> ModelVersion {
    paper(major, trips.map(\.entity))
  }

  fileprivate static func paper(_ major: Int, _ entities: [EntityDescription]) -> ModelVersion {
    let version = Schema.Version(major, 0, 0)
    return ModelVersion(
      version, ModelDescription(entities: entities, versionIdentifiers: ["\(version)"]))
  }
}

extension StoreIdentity {
  /// What a file of a version says.
  fileprivate static func paper(
    _ version: ModelVersion, names: [String]? = nil
  ) -> StoreIdentity {
    StoreIdentity(
      hashes: version.hashes, model: version.model,
      versionIdentifiers: names ?? version.model.versionIdentifiers,
      entityNames: Set(version.model.entities.map(\.name)))
  }
}
