public import SwiftData

/// Evaluates queries over rows of plain data, for stores that have all of their rows at hand.
///
/// A store keeps the values of its snapshots by identifier, and answers a request in two lines:
///
/// ```swift
/// let query = try request.query()
/// let identifiers = try QueryEvaluator(schema: schema, rows: rows).identifiers(of: query)
/// ```
///
/// The results are those of Swift, and so of the context: a row for which a step of the condition
/// fails does not match; functions of texts are those of Foundation on this platform. A relationship
/// is read in the row that has it; a list that the store does not keep is empty.
public struct QueryEvaluator: Sendable {
  private let rows: [PersistentIdentifier: [String: DataStoreValue]]
  /// The names of each entity and of its superentities.
  private let lineages: [String: Set<String>]

  /// Creates an evaluator for some rows.
  /// - Parameters:
  ///   - schema: The entities of the rows.
  ///   - rows: The values of each row by the names of the properties, as
  ///     `DataStoreSnapshot.values()` returns them: those of the requested entities, and those to
  ///     which conditions and orders lead.
  public init(schema: Schema, rows: [PersistentIdentifier: [String: DataStoreValue]]) {
    self.rows = rows
    lineages = schema.entitiesByName.mapValues { entity in
      Set(sequence(first: entity) { $0.superentity }.map(\.name))
    }
  }

  /// The rows that match a query, in its order, with its offset and limit.
  ///
  /// Rows that the order does not distinguish are ordered by their identifiers.
  /// - Parameter query: The query.
  /// - Returns: The identifiers of the rows.
  /// - Throws: `QueryEvaluationError` for a query that no request makes, for example a sum of texts.
  public func identifiers(of query: DataStoreQuery) throws -> [PersistentIdentifier] {
    let evaluation = QueryEvaluation(rows: rows, lineages: lineages)
    var found = try matches(of: query, evaluation).sorted()
    if !query.order.isEmpty { found = try sorted(found, by: query.order, evaluation) }
    let rest = found.dropFirst(query.offset)
    return Array(query.limit.map { rest.prefix($0) } ?? rest)
  }

  /// The number of rows that match a query, with its offset and limit.
  /// - Parameter query: The query; its order is ignored.
  /// - Returns: The number of rows.
  /// - Throws: `QueryEvaluationError` for a query that no request makes.
  public func count(of query: DataStoreQuery) throws -> Int {
    let evaluation = QueryEvaluation(rows: rows, lineages: lineages)
    let count = max(0, try matches(of: query, evaluation).count - query.offset)
    return query.limit.map { min($0, count) } ?? count
  }

  private func matches(
    of query: DataStoreQuery, _ evaluation: QueryEvaluation
  ) throws -> [PersistentIdentifier] {
    guard lineages[query.entity] != nil else {
      throw QueryEvaluationError("The schema has no entity \(query.entity).")
    }
    guard query.offset >= 0, query.limit ?? 0 >= 0 else {
      throw QueryEvaluationError("The offset and the limit of a query are not negative.")
    }
    return try rows.keys.filter { row in
      let isRequested =
        query.includesSubentities
        ? evaluation.isKind(row, of: query.entity) : row.entityName == query.entity
      guard isRequested else { return false }
      return try query.condition.map { try evaluation.matches($0, row) } ?? true
    }
  }

  private func sorted(
    _ rows: [PersistentIdentifier], by order: [DataStoreQuery.Order],
    _ evaluation: QueryEvaluation
  ) throws -> [PersistentIdentifier] {
    let keyed = try rows.map { row in
      (row: row, keys: try order.map { try evaluation.value(of: $0.expression, for: row) })
    }
    for key in keyed.flatMap(\.keys) where !key.isSortable {
      throw QueryEvaluationError("Rows cannot be ordered by \(key.kindName).")
    }
    return keyed.enumerated().sorted { left, right in
      for (index, element) in order.enumerated() {
        let result = left.element.keys[index].sortingOrder(
          with: right.element.keys[index], element.textComparison)
        switch result {
        case .orderedSame: continue
        case .orderedAscending: return element.isAscending
        case .orderedDescending: return !element.isAscending
        }
      }
      return left.offset < right.offset
    }.map(\.element.row)
  }
}

/// A query that does not have the form of those that requests make.
public struct QueryEvaluationError: Error, Hashable, CustomStringConvertible {
  /// What is wrong with the query.
  public let description: String

  init(_ description: String) { self.description = description }
}
