import Foundation
import SwiftData
import SwiftDataStores
import Testing

/// The encoded form of queries, also where it is damaged.
struct QueryCodingTests {
  typealias Expression = DataStoreQuery.Expression

  private func decode(_ text: String) throws -> Expression {
    try JSONDecoder().decode(Expression.self, from: Data(text.utf8))
  }

  @Test func everyKindOfExpressionSurvivesItsEncodedForm() throws {
    let name = Expression.property("name", .attribute(.string), of: .variable(2))
    var all: [Expression] = [
      .row, .variable(3), .value(.null), name,
      .property("a", .composite, of: .property("b", .toOne("B"), of: .row)),
      .property("a", .list, of: .row), .property("a", .dictionary, of: .row),
      .property("a", .opaque, of: .row), .property("a", .toMany("A"), of: .row),
    ]
    all += DataStoreQuery.Function.allCases.map { function in
      .call(function, Array(repeating: name, count: min(3, function.operandCounts.upperBound)))
    }
    all += DataStoreQuery.ValueType.allCases.map { .property("a", .attribute($0), of: .row) }
    all += DataStoreQuery.Arithmetic.allCases.map {
      .compute($0, .int8, Array(repeating: name, count: $0.operandCount))
    }
    all += DataStoreQuery.Closure.allCases.map {
      .closure($0, of: name, variable: 3, .call(.not, [.variable(3)]))
    }
    let data = try JSONEncoder().encode(all)
    #expect(try JSONDecoder().decode([Expression].self, from: data) == all)
    let list = try PropertyListEncoder().encode(all)
    #expect(try PropertyListDecoder().decode([Expression].self, from: list) == all)
  }

  @Test(arguments: [
    #"{"call": "explode", "arguments": []}"#, #"{"call": "equal", "arguments": []}"#,
    #"{"call": "not", "arguments": [{"variable": 0}, {"variable": 0}]}"#, #"{"call": "not"}"#,
    #"{"variable": 0, "call": "and", "arguments": []}"#, "{}", "[]", "3", "null",
    #"{"property": "name"}"#, #"{"property": "name", "type": "quaternion"}"#,
    #"{"value": {}}"#, #"{"value": {"string": "a", "integer": 1}}"#,
    #"{"value": {"decimal": "1-2"}}"#, #"{"value": {"uuid": "x"}}"#,
    #"{"value": {"double": "four"}}"#, #"{"value": {"integer": 9223372036854775808}}"#,
    #"{"value": {"data": "§"}}"#, #"{"compute": "add", "type": "int", "arguments": []}"#,
    #"{"closure": "contains", "of": {"variable": 0}, "binds": 1}"#,
  ])
  func damagedExpressionsAreRefused(_ text: String) {
    #expect(throws: DecodingError.self) { try decode(text) }
  }

  @Test func deepNestingIsRefused() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: #"{"call":"not","arguments":["#, count: depth) + #"{"variable":0}"#
        + String(repeating: "]}", count: depth)
    }
    #expect(try decode(nested(100)) != .row)
    for depth in [230, 1000, 100_000] {
      #expect(throws: DecodingError.self) { try decode(nested(depth)) }
    }
    let lists =
      #"{"value":"# + String(repeating: #"{"list":["#, count: 230)
      + String(repeating: "]}", count: 230) + "}"
    #expect(throws: DecodingError.self) { try decode(lists) }
    let parts = [String](repeating: #"{"variable":0}"#, count: 10_000).joined(separator: ",")
    #expect(try decode(#"{"call":"and","arguments":["# + parts + "]}") != .row)
  }

  @Test func damagedQueriesAreRefused() {
    for text in [#"{"entity": "A", "limit": 0}"#, #"{"entity": "A", "offset": -1}"#, "{}"] {
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(DataStoreQuery.self, from: Data(text.utf8))
      }
    }
  }

  /// An evaluator gets queries from elsewhere, so none may stop the program.
  @Test func evaluatorsRefuseQueriesWithoutMeaning() throws {
    let schema = Schema(Journeys.types)
    let row = try PersistentIdentifier.identifier(
      for: "store", entityName: "Stop", primaryKey: "a")
    let evaluator = QueryEvaluator(
      schema: schema, rows: [row: ["city": .string("Rome"), "nights": .integer(1)]])
    let city = Expression.property("city", .attribute(.string), of: .row)
    let meaningless: [Expression] = [
      city, .call(.equal, []), .call(.and, [city]), .variable(1),
      .compute(.add, .int, [city, city]), .compute(.negate, .string, [city]),
      .compute(.add, .int8, [.value(.integer(1000)), .value(.integer(0))]),
      .call(.less, [city, .value(.integer(1))]), .call(.matches, [city, .string("(")]),
      .closure(.filter, of: city, variable: 1, .value(.boolean(true))),
      .property("x", .composite, of: city), .call(.isEntity, [city, city]),
    ]
    for condition in meaningless {
      #expect(throws: QueryEvaluationError.self) {
        try evaluator.identifiers(of: DataStoreQuery(entity: "Stop", condition: condition))
      }
    }
    #expect(throws: QueryEvaluationError.self) {
      try evaluator.count(of: DataStoreQuery(entity: "Unknown"))
    }
    let fails = Expression.call(
      .equal,
      [.compute(.divide, .int, [.value(.integer(1)), .value(.integer(0))]), .value(.integer(0))])
    #expect(try evaluator.count(of: DataStoreQuery(entity: "Stop", condition: fails)) == 0)
    let guarded = Expression.call(.not, [.call(.falseOnFailure, [fails])])
    #expect(try evaluator.count(of: DataStoreQuery(entity: "Stop", condition: guarded)) == 1)
  }
}
