import Foundation
import SwiftData
import Testing

/// What requests become in plain data, for the forms of predicates that programs use most.
struct QueryDescriptionTests {
  typealias Trip = Journeys.Trip
  typealias Expression = DataStoreQuery.Expression

  private let name = Expression.property("name", .attribute(.string), of: .row)
  private let seats = Expression.property("seats", .attribute(.int), of: .row)
  private let end = Expression.property("end", .attribute(.date), of: .row)
  private let traveller = Expression.property("traveller", .toOne("Traveller"), of: .row)
  private let stops = Expression.property("stops", .toMany("Stop"), of: .row)

  private func condition<T: PersistentModel>(_ predicate: Predicate<T>) throws -> Expression? {
    let query = try FetchDescriptor(predicate: predicate).query()
    #expect(query.entity == Schema.entityName(for: T.self))
    let data = try JSONEncoder().encode(query)
    #expect(try JSONDecoder().decode(DataStoreQuery.self, from: data) == query)
    return query.condition
  }

  private func travellers(_ name: String) -> Expression {
    .property(name, .attribute(name == "age" ? .int : .string), of: traveller)
  }

  @Test func equality() throws {
    let wanted = "Rome"
    #expect(
      try condition(#Predicate<Trip> { $0.name == wanted })
        == .call(.equal, [name, .string("Rome")]))
    #expect(
      try condition(#Predicate<Trip> { $0.name != wanted })
        == .call(.notEqual, [name, .string("Rome")]))
    #expect(
      try condition(#Predicate<Trip> { $0.end == nil }) == .call(.equal, [end, .value(.null)]))
    #expect(try condition(#Predicate<Trip> { !$0.isPaid }) != nil)
  }

  @Test func enumerationsAreTheirRawValues() throws {
    let grade = Journeys.Grade.luxury
    let property = Expression.property("grade", .attribute(.string), of: .row)
    #expect(
      try condition(#Predicate<Trip> { $0.grade == grade })
        == .call(.equal, [property, .string("luxury")]))
    #expect(
      try condition(#Predicate<Trip> { $0.grade.rawValue == "luxury" })
        == .call(.equal, [property, .string("luxury")]))
    let cases = DataStoreValue.list([.string("standard"), .string("comfort"), .string("luxury")])
    #expect(
      try condition(#Predicate<Trip> { $0.grade < grade })
        == .call(
          .less,
          [
            .call(.rank, [property, .value(cases)]),
            .call(.rank, [.string("luxury"), .value(cases)]),
          ]))
  }

  @Test func conjunctionsAndDisjunctionsAreLists() throws {
    #expect(
      try condition(#Predicate<Trip> { $0.seats > 1 && $0.isPaid && $0.name == "a" })
        == .call(
          .and,
          [
            .call(.greater, [seats, .value(.integer(1))]),
            .property("isPaid", .attribute(.bool), of: .row),
            .call(.equal, [name, .string("a")]),
          ]))
    #expect(
      try condition(#Predicate<Trip> { $0.seats <= 1 || !$0.isPaid })
        == .call(
          .or,
          [
            .call(.lessOrEqual, [seats, .value(.integer(1))]),
            .call(.not, [.property("isPaid", .attribute(.bool), of: .row)]),
          ]))
  }

  @Test func capturedFlagsDecide() throws {
    let (text, isOff) = ("", true)
    let filter = #Predicate<Trip> { isOff || $0.name.localizedStandardContains(text) }
    #expect(try condition(filter) == nil)
    let isOn = false
    #expect(
      try condition(#Predicate<Trip> { isOn || $0.name == "a" })
        == .call(.equal, [name, .string("a")]))
  }

  @Test func optionalChainingIsAPropertyOfAProperty() throws {
    #expect(
      try condition(#Predicate<Trip> { $0.traveller?.name == "Ann" })
        == .call(.equal, [travellers("name"), .string("Ann")]))
    #expect(
      try condition(#Predicate<Trip> { $0.traveller?.guide?.age == 30 })
        == .call(
          .equal,
          [
            .property(
              "age", .attribute(.int), of: .property("guide", .toOne("Traveller"), of: traveller)),
            .value(.integer(30)),
          ]))
    #expect(
      try condition(#Predicate<Trip> { ($0.traveller?.age ?? 0) > 30 })
        == .call(
          .greater,
          [.call(.coalesce, [travellers("age"), .value(.integer(0))]), .value(.integer(30))]))
  }

  @Test func stepsThatMayFail() throws {
    #expect(
      try condition(#Predicate<Trip> { $0.traveller!.name == "Ann" })
        == .call(
          .equal,
          [
            .property("name", .attribute(.string), of: .call(.forceUnwrap, [traveller])),
            .string("Ann"),
          ]))
    #expect(
      try condition(#Predicate<Trip> { $0.seats * 2 == 4 })
        == .call(
          .equal, [.compute(.multiply, .int, [seats, .value(.integer(2))]), .value(.integer(4))]))
    let missing: String? = nil
    #expect(
      try condition(#Predicate<Trip> { $0.name == missing! })
        == .call(.equal, [name, .call(.fail, [])]))
    #expect(
      try condition(#Predicate<Trip> { $0.stops.contains { $0.nights / 0 == 1 } })
        == .closure(
          .contains, of: stops, variable: 1,
          .call(
            .falseOnFailure,
            [
              .call(
                .equal,
                [
                  .compute(
                    .divide, .int,
                    [
                      .property("nights", .attribute(.int), of: .variable(1)),
                      .value(.integer(0)),
                    ]), .value(.integer(1)),
                ])
            ])))
  }

  @Test func membership() throws {
    let names = ["a", "b"]
    #expect(
      try condition(#Predicate<Trip> { names.contains($0.name) })
        == .call(.contains, [.value(.list([.string("a"), .string("b")])), name]))
    let tags = Expression.property("tags", .list, of: .row)
    #expect(
      try condition(#Predicate<Trip> { $0.tags.contains("a") })
        == .call(.contains, [tags, .string("a")]))
    #expect(
      try condition(#Predicate<Trip> { $0.tags.isEmpty || $0.stops.count == 2 })
        == .call(
          .or,
          [
            .call(.isEmpty, [tags]),
            .call(.equal, [.call(.count, [stops]), .value(.integer(2))]),
          ]))
    #expect(
      try condition(#Predicate<Trip> { (1...5).contains($0.seats) })
        == .call(.isInClosedRange, [seats, .value(.integer(1)), .value(.integer(5))]))
  }

  @Test func closuresOverRelationshipsBindAVariable() throws {
    let wanted = 2
    #expect(
      try condition(#Predicate<Trip> { trip in trip.stops.contains { $0.nights > wanted } })
        == .closure(
          .contains, of: stops, variable: 1,
          .call(
            .greater,
            [.property("nights", .attribute(.int), of: .variable(1)), .value(.integer(2))])))
    let longest = [1, 2]
    #expect(
      try condition(#Predicate<Trip> { trip in longest.contains { $0 == trip.seats } })
        == .call(
          .or,
          [
            .call(.equal, [.value(.integer(1)), seats]),
            .call(.equal, [.value(.integer(2)), seats]),
          ]))
  }

  @Test func texts() throws {
    let part = "ro"
    #expect(
      try condition(#Predicate<Trip> { $0.name.localizedStandardContains(part) })
        == .call(.localizedStandardContains, [name, .string("ro")]))
    #expect(
      try condition(#Predicate<Trip> { $0.name.lowercased().hasPrefix(part) })
        == .call(.hasPrefix, [.call(.lowercased, [name]), .string("ro")]))
    #expect(
      try condition(#Predicate<Trip> { $0.name.caseInsensitiveCompare(part) == .orderedSame })
        == .call(
          .equal, [.call(.caseInsensitiveCompare, [name, .string("ro")]), .value(.integer(0))]))
    let word = #/ro+/#
    #expect(
      try condition(#Predicate<Trip> { $0.name.contains(word) })
        == .call(.matches, [name, .string("ro+")]))
  }

  @Test func optionsOfRegularExpressionsAreInTheirText() throws {
    let word = #/ro+/#.ignoresCase()
    #expect(
      try condition(#Predicate<Trip> { $0.name.contains(word) })
        == .call(.matches, [name, .string("(?i:ro+)")]))
    let lines = #/^a$/#.anchorsMatchLineEndings().dotMatchesNewlines()
    #expect(
      try condition(#Predicate<Trip> { $0.name.contains(lines) })
        == .call(.matches, [name, .string("(?s:(?m:^a$))")]))
  }

  @Test func modelsAndIdentifiersAreIdentifiers() throws {
    let container = try ModelContainer(
      for: Schema(Journeys.types),
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let ann = Journeys.Traveller("Ann")
    context.insert(ann)
    try context.save()
    let identifier = ann.persistentModelID
    let isAnn = Expression.call(.equal, [traveller, .value(.identifier(identifier))])
    #expect(try condition(#Predicate<Trip> { $0.traveller == ann }) == isAnn)
    #expect(
      try condition(#Predicate<Trip> { $0.traveller?.persistentModelID == identifier }) == isAnn)
    #expect(
      try condition(#Predicate<Journeys.Traveller> { $0.persistentModelID == identifier })
        == .call(.equal, [.row, .value(.identifier(identifier))]))
  }

  @Test func classesAreNamedByTheirEntities() throws {
    #expect(
      try condition(#Predicate<Journeys.Booking> { $0 is Trip })
        == .call(.isEntity, [.row, .string("Trip")]))
    #expect(
      try condition(#Predicate<Journeys.Booking> { ($0 as? Trip)?.seats == 2 })
        == .call(
          .equal,
          [
            .property(
              "seats", .attribute(.int), of: .call(.asEntity, [.row, .string("Trip")])),
            .value(.integer(2)),
          ]))
  }

  @Test func partsOfCompositesAreNamedByTheirCodingKeys() throws {
    let lodging = Expression.property("lodging", .composite, of: .row)
    #expect(
      try condition(#Predicate<Trip> { $0.lodging?.spot.x == 1 })
        == .call(
          .equal,
          [
            .property("x", .attribute(.double), of: .property("at", .composite, of: lodging)),
            .value(.double(1)),
          ]))
    let place = Journeys.Lodging(street: "Main", rooms: nil, spot: .init(x: 1, y: 2))
    #expect(
      try condition(#Predicate<Trip> { $0.lodging == place })
        == .call(
          .equal,
          [
            lodging,
            .value(
              .composite([
                "street": .string("Main"),
                "at": .composite(["x": .double(1), "y": .double(2)]),
              ])),
          ]))
  }

  @Test func evaluatedPredicatesAreInlined() throws {
    let isShort = #Predicate<Trip> { $0.seats < 3 }
    let isAdult = #Predicate<Journeys.Traveller> { ($0.age ?? 0) > 17 }
    let double = #Expression<Int, Int> { $0 * 2 }
    #expect(
      try condition(#Predicate<Trip> { isShort.evaluate($0) && $0.isPaid })
        == .call(
          .and,
          [
            .call(.less, [seats, .value(.integer(3))]),
            .property("isPaid", .attribute(.bool), of: .row),
          ]))
    #expect(
      try condition(#Predicate<Trip> { isAdult.evaluate($0.traveller!) })
        == .closure(
          .bind, of: .call(.forceUnwrap, [traveller]), variable: 1,
          .call(
            .greater,
            [
              .call(
                .coalesce,
                [.property("age", .attribute(.int), of: .variable(1)), .value(.integer(0))]),
              .value(.integer(17)),
            ])))
    #expect(
      try condition(#Predicate<Trip> { double.evaluate($0.seats) == 4 })
        == .call(
          .equal, [.compute(.multiply, .int, [seats, .value(.integer(2))]), .value(.integer(4))]))
  }

  @Test func choices() throws {
    #expect(
      try condition(
        #Predicate<Trip> {
          if let end = $0.end { end > $0.start } else { false }
        }) != nil)
    #expect(
      try condition(#Predicate<Trip> { $0.isPaid ? $0.seats == 1 : $0.seats == 2 })
        == .call(
          .conditional,
          [
            .property("isPaid", .attribute(.bool), of: .row),
            .call(.equal, [seats, .value(.integer(1))]),
            .call(.equal, [seats, .value(.integer(2))]),
          ]))
  }

  @Test func wholeRequests() throws {
    var descriptor = FetchDescriptor<Trip>(
      predicate: #Predicate { $0.name == "Rome" },
      sortBy: [
        SortDescriptor(\.start, order: .reverse), SortDescriptor(\.name),
        SortDescriptor(\.traveller?.name, comparator: .lexical), SortDescriptor(\.grade),
      ])
    descriptor.fetchLimit = 10
    descriptor.fetchOffset = 20
    descriptor.propertiesToFetch = [\.name, \.seats]
    descriptor.relationshipKeyPathsForPrefetching = [\.stops, \.traveller?.guide]
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    let text = String(decoding: try encoder.encode(descriptor.query()), as: UTF8.self)
    #expect(text.filter { !$0.isWhitespace } == Self.wholeRequest.filter { !$0.isWhitespace })
    descriptor.fetchLimit = 0
    #expect(try descriptor.query().limit == nil)
  }

  private static let wholeRequest = """
    {
      "condition": {
        "arguments": [{"property": "name", "type": "string"}, {"value": {"string": "Rome"}}],
        "call": "equal"
      },
      "entity": "Trip",
      "limit": 10,
      "offset": 20,
      "order": [
        {"ascending": false, "by": {"property": "start", "type": "date"}},
        {"by": {"property": "name", "type": "string"}, "text": "lexical"},
        {
          "by": {
            "of": {"property": "traveller", "toOne": "Traveller"},
            "property": "name", "type": "string"
          },
          "text": "lexical"
        },
        {
          "by": {
            "arguments": [
              {"property": "grade", "type": "string"},
              {
                "value": {
                  "list": [{"string": "standard"}, {"string": "comfort"}, {"string": "luxury"}]
                }
              }
            ],
            "call": "rank"
          }
        }
      ],
      "prefetch": [["stops"], ["traveller", "guide"]],
      "properties": ["traveller", "name", "seats", "stops"]
    }
    """

  @Test func batchDeletionsNameTheirClasses() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Schema(Journeys.types),
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let request = DataStoreBatchDeleteRequest<Journeys.Booking>(
      editingState: context.editingState, predicate: #Predicate { $0.code == "x" },
      includeSubclasses: false)
    let query = try request.query()
    let code = Expression.property("code", .attribute(.string), of: .row)
    #expect(
      query
        == DataStoreQuery(
          entity: "Booking", includesSubentities: false,
          condition: .call(.equal, [code, .string("x")])))
    let data = try JSONEncoder().encode(query)
    #expect(try JSONDecoder().decode(DataStoreQuery.self, from: data) == query)
    #expect(request.undescribedParts.isEmpty)
  }

  // MARK: Size

  @Test func longChainsAreDescribedAndDeepOnesAreNot() throws {
    let parts = (0..<5000).map { number in #Predicate<Trip> { $0.seats != number } }
    guard case .call(.and, let conditions)? = try condition(Predicate(all: parts)) else {
      Issue.record("A chain is a list.")
      return
    }
    #expect(conditions.count == 5000)
    #expect(conditions.last == .call(.notEqual, [seats, .value(.integer(4999))]))
    var deep = #Predicate<Trip> { $0.isPaid }
    for _ in 0..<150 {
      let inner = deep
      deep = #Predicate<Trip> { !inner.evaluate($0) }
    }
    let descriptor = FetchDescriptor(predicate: deep)
    #expect(throws: DataStoreError.preferInMemoryFilter) { try descriptor.query() }
    #expect(descriptor.undescribedParts.first?.hasSuffix("nested too deeply") == true)
  }

  @Test func expressionsThatGrowWithoutLimitAreNotDescribed() throws {
    var wide = #Predicate<Trip> { $0.isPaid }
    for _ in 0..<40 {
      let inner = wide
      wide = #Predicate<Trip> { inner.evaluate($0) == inner.evaluate($0) }
    }
    let descriptor = FetchDescriptor(predicate: wide)
    #expect(throws: DataStoreError.preferInMemoryFilter) { try descriptor.query() }
  }

  // MARK: What cannot be described

  @Test func reasonsNameWhatCannotBeDescribed() throws {
    func parts<T: PersistentModel>(_ predicate: Predicate<T>) -> [String] {
      let descriptor = FetchDescriptor(predicate: predicate)
      #expect(throws: DataStoreError.preferInMemoryFilter) { try descriptor.query() }
      return descriptor.undescribedParts
    }
    #expect(
      parts(#Predicate<Trip> { $0.title == "Rome" && $0.seats > 1 })
        == ["$0.<computed>: a property that is not stored"])
    let badge = Journeys.Badge("gold")
    #expect(
      parts(#Predicate<Trip> { $0.badge == badge })
        == ["$0.badge == <Badge> as? Badge: equality that the type of the values defines"])
    let secret = "x"
    #expect(
      parts(#Predicate<Trip> { $0.secret == secret })
        == ["$0.secret == <String> as? String: equality that the type of the values defines"])
    #expect(
      try FetchDescriptor<Trip>(predicate: #Predicate { $0.secret == nil }).query().condition != nil
    )
    let sorted = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.title)])
    #expect(throws: DataStoreError.preferInMemorySort) { try sorted.query() }
    #expect(sorted.undescribedParts.count == 1)
    #expect(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.seats)]).undescribedParts.isEmpty)
  }
}
