import Foundation
import SwiftData
import Testing

/// Models that are inserted again after their rows were deleted.
@Suite(.databases) struct ReinsertionTests {
  private func starts(_ context: ModelContext) throws -> [String?] {
    try context.stored(Graph.Route.self).sorted { $0.name < $1.name }.map { $0.start?.name }
  }

  /// A context with a route that leads to a stop.
  private func route() throws -> (ModelContext, Graph.Route, Graph.Stop) {
    let context = try Graph.context()
    let (route, stop) = (Graph.Route("r"), Graph.Stop("s"))
    route.start = stop
    context.insert(route)
    try context.save()
    return (context, route, stop)
  }

  // MARK: Relationships

  @Test func aReferenceToADeletedModelIsLeftOut() throws {
    let (context, route, stop) = try route()
    context.delete(route)
    context.delete(stop)
    try context.save()
    context.insert(route)
    #expect(route.start == nil)
    try context.save()
    #expect(try starts(context) == [nil])
    #expect(try context.count(Graph.Stop.self) == 0)
    context.delete(route)
    try context.save()
    route.start = stop
    context.insert(route)
    try context.save()
    #expect(try starts(context) == ["s"])
  }

  @Test func aReferenceToAStoredModelIsKept() throws {
    let (context, route, stop) = try route()
    context.delete(route)
    try context.save()
    context.insert(route)
    #expect(route.start === stop)
    try context.save()
    #expect(try starts(context) == ["s"])
  }

  /// The row of the route has the key of a stop that was never in memory.
  @Test(arguments: [false, true]) func aKeyInTheLastRowIsLookedUp(isDeleted: Bool) throws {
    let (first, _, _) = try route()
    let context = ModelContext(first.container)
    let route = try #require(try context.fetch(FetchDescriptor<Graph.Route>()).first)
    context.delete(route)
    try context.save()
    if isDeleted {
      try first.delete(model: Graph.Stop.self)
      try first.save()
    }
    context.insert(route)
    try context.save()
    #expect(try starts(context) == [isDeleted ? nil : "s"])
  }

  @Test func ownersAndMembersOfACascadeCanReturnAlone() throws {
    let context = try Graph.context()
    let parent = Graph.Parent("p")
    let child = Graph.Child("c", parent: parent)
    let rings = (0..<2).map { Graph.Ring("\($0)") }
    for (index, ring) in rings.enumerated() { ring.next = rings[1 - index] }
    context.insert(child)
    context.insert(rings[0])
    try context.save()
    context.delete(parent)
    context.delete(rings[0])
    try context.save()
    context.insert(child)
    context.insert(rings[1])
    try context.save()
    #expect(try context.stored(Graph.Child.self).map { $0.parent?.name } == [nil])
    #expect(try context.stored(Graph.Ring.self).map(\.name) == ["1"])
    #expect(try context.count(Graph.Parent.self) == 0)
  }

  @Test func bothSidesShowAModelThatReturns() throws {
    let context = try Graph.context()
    let parent = Graph.Parent("p")
    let child = Graph.Child("c", parent: parent)
    context.insert(child)
    try context.save()
    context.delete(child)
    try context.save()
    #expect(parent.children.isEmpty)
    context.insert(child)
    #expect(child.parent === parent && parent.children == [child])
    try context.save()
    #expect(try context.stored(Graph.Parent.self).first?.children.map(\.name) == ["c"])
  }

  @Test func aRequiredModelThatIsDeletedTooMustBeSet() throws {
    let context = try Graph.context()
    let child = Graph.Child("c")
    let toy = Graph.Toy("t", owner: child)
    context.insert(toy)
    try context.save()
    context.delete(child)
    try context.save()
    context.insert(toy)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(
      error?.reason == .requiredValueMissing(entity: "Toy", properties: ["owner"]))
    toy.owner = Graph.Child("d")
    try context.save()
    #expect(try context.stored(Graph.Toy.self).map(\.owner.name) == ["d"])
  }

  /// The keys of one store mean nothing in another one.
  @Test(arguments: [false, true]) func aModelTakesNoReferenceIntoAnotherStore(
    isFetched: Bool
  ) throws {
    let (first, made, _) = try route()
    let here = isFetched ? ModelContext(first.container) : first
    let route =
      isFetched ? try #require(try here.fetch(FetchDescriptor<Graph.Route>()).first) : made
    here.delete(route)
    try here.save()
    let there = try Graph.context()
    there.insert(Graph.Stop("another one"))
    try there.save()
    there.insert(route)
    #expect(throws: SwiftDataError.modelValidationFailure) { try there.save() }
    #expect(route.start == nil)
    route.start = nil
    try there.save()
    #expect(try starts(there) == [nil])
  }

  // MARK: Values

  /// A context with a fault of the only passport.
  private func fault() throws -> (ModelContext, Graph.Passport) {
    let first = try Graph.context()
    first.insert(Graph.Passport(7))
    try first.save()
    let identifier = try #require(
      try first.fetchIdentifiers(FetchDescriptor<Graph.Passport>()).first)
    let context = ModelContext(first.container)
    return (context, try #require(context.model(for: identifier) as? Graph.Passport))
  }

  @Test func aDeletedFaultKeepsItsValues() throws {
    let (context, passport) = try fault()
    context.delete(passport)
    try context.save()
    #expect(passport.number == 7)
    context.insert(passport)
    try context.save()
    #expect(try context.stored(Graph.Passport.self).map(\.number) == [7])
  }

  /// The new model becomes the row of the first one, which is read again when it is needed.
  @Test(arguments: [false, true]) func allInstancesOfADeletedRowKeepItsValues(
    first isFirst: Bool
  ) throws {
    let context = try Graph.context()
    let passports = (0..<2).map { _ in Graph.Passport(7) }
    for passport in passports {
      context.insert(passport)
      try context.save()
    }
    context.delete(passports[isFirst ? 0 : 1])
    try context.save()
    #expect(passports.map(\.number) == [7, 7])
    context.insert(passports[isFirst ? 0 : 1])
    try context.save()
    #expect(try context.stored(Graph.Passport.self).map(\.number) == [7])
  }

  @Test(arguments: [false, true]) func aModelWithoutKnownValuesIsRefused(
    isNoticed: Bool
  ) throws {
    let (context, passport) = try fault()
    try ModelContext(context.container).delete(model: Graph.Passport.self)
    if isNoticed { #expect(passport.isDeleted) }
    context.insert(passport)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(context.insertedModelsArray.isEmpty)
    passport.number = 8
    context.insert(passport)
    try context.save()
    #expect(try context.stored(Graph.Passport.self).map(\.number) == [8])
  }

  @Test func aPlaceholderIsRefused() throws {
    let (context, passport) = try fault()
    let identifier = passport.persistentModelID
    context.delete(passport)
    try context.save()
    let other = ModelContext(context.container)
    other.insert(other.model(for: identifier))
    #expect(throws: SwiftDataError.modelValidationFailure) { try other.save() }
  }

  @Test func aModelWithoutRequiredValuesReturns() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Blank.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let blank = Blank()
    context.insert(blank)
    try context.save()
    context.delete(blank)
    try context.save()
    context.insert(blank)
    try context.save()
    #expect(try context.stored(Blank.self).map(\.text) == [nil])
  }

  // MARK: Transactions that fail

  private struct Refusal: Error {}

  @Test(arguments: [false, true]) func aFailedTransactionUndoesDeletionAndInsertion(
    isSaved: Bool
  ) throws {
    let context = try Graph.context()
    let parent = Graph.Parent("p")
    let child = Graph.Child("c", parent: parent)
    context.insert(child)
    try context.save()
    let identifier = child.persistentModelID
    for _ in 0..<2 {
      #expect(throws: Refusal.self) {
        try context.transaction {
          for _ in 0..<2 {
            context.delete(child)
            try context.save()
            context.insert(child)
            if isSaved { try context.save() }
          }
          throw Refusal()
        }
      }
      #expect(child.modelContext === context && !child.isDeleted && !context.hasChanges)
      #expect(child.persistentModelID == identifier && child.parent === parent)
      #expect(try context.fetch(FetchDescriptor<Graph.Child>()).first === child)
    }
    child.name = "edited"
    try context.save()
    #expect(try context.stored(Graph.Child.self).map(\.name) == ["edited"])
  }

  @Test func aFailedTransactionLeavesAModelOutThatWasNewInIt() throws {
    let context = try Graph.context()
    let parent = Graph.Parent("p")
    #expect(throws: Refusal.self) {
      try context.transaction {
        for _ in 0..<2 {
          context.insert(parent)
          try context.save()
          context.delete(parent)
          try context.save()
        }
        throw Refusal()
      }
    }
    #expect(parent.modelContext == nil && parent.name == "p")
    context.insert(parent)
    try context.save()
    #expect(try context.stored(Graph.Parent.self).map(\.name) == ["p"])
  }

  @Test func aFailedTransactionRestoresAllInstancesOfARow() throws {
    let context = try Graph.context()
    let passports = (0..<2).map { _ in Graph.Passport(7) }
    for passport in passports {
      context.insert(passport)
      try context.save()
    }
    #expect(throws: Refusal.self) {
      try context.transaction {
        context.delete(passports[1])
        try context.save()
        throw Refusal()
      }
    }
    for (passport, number) in zip(passports, [8, 9]) {
      #expect(passport.modelContext === context)
      passport.number = number
      try context.save()
      #expect(passports.map(\.number) == [number, number])
      #expect(try context.stored(Graph.Passport.self).map(\.number) == [number])
    }
  }

  /// The files of a deleted row are deleted with it.
  @Test(arguments: [false, true]) func largeValuesOfAModelThatWasNeverReadAreKept(
    isPartial: Bool
  ) throws {
    let folder = try TemporaryFolder()
    let first = ModelContext(
      try ModelContainer(
        for: Scan.self, configurations: ModelConfiguration(url: folder.store)))
    first.insert(Scan(Data(repeating: 7, count: 400_000)))
    try first.save()
    let context = ModelContext(first.container)
    var request = FetchDescriptor<Scan>()
    if isPartial { request.propertiesToFetch = [\.name] }
    let scan = try #require(
      isPartial
        ? try context.fetch(request).first
        : try context.fetchIdentifiers(request).first.map { context.model(for: $0) as? Scan } ?? nil
    )
    context.delete(scan)
    try context.save()
    context.insert(scan)
    try context.save()
    let stored = try #require(try context.stored(Scan.self).first)
    #expect(stored.name == "scan" && stored.image.count == 400_000)
  }

  @Model final class Blank {
    var text: String?

    init() {}
  }

  @Model final class Scan {
    var name = "scan"
    @Attribute(.externalStorage) var image: Data

    init(_ image: Data) { self.image = image }
  }
}
