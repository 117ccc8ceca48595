import Foundation
import SwiftData
import SwiftDataStores

/// Answers requests as a store without SQL does: described in plain data, sent as JSON, and
/// evaluated over plain rows.
struct PlainJudge {
  private let evaluator: QueryEvaluator

  /// - Parameter context: The context whose models are the rows.
  init(_ context: ModelContext) throws {
    let schema = context.container.schema
    var rows: [PersistentIdentifier: [String: DataStoreValue]] = [:]
    func read<M: PersistentModel>(_ type: M.Type) throws {
      for model in try context.fetch(FetchDescriptor<M>()) {
        rows[model.persistentModelID] = try Self.values(of: model)
      }
    }
    for descriptor in schema.descriptors.values { try read(descriptor.type) }
    evaluator = QueryEvaluator(schema: schema, rows: rows)
  }

  /// The rows of a request, in order; `nil` if the request cannot be described.
  func answer<T: PersistentModel>(
    _ request: FetchDescriptor<T>
  ) throws -> [PersistentIdentifier]? {
    let query: DataStoreQuery
    do {
      query = try request.query()
    } catch is DataStoreError {
      return nil
    }
    let sent = try Self.encoded(query)
    let received = try JSONDecoder().decode(DataStoreQuery.self, from: sent)
    guard try Self.encoded(received) == sent else { throw LostInJSON() }
    let found = try evaluator.identifiers(of: received)
    guard try evaluator.count(of: received) == found.count else { throw LostInJSON() }
    return found
  }

  private struct LostInJSON: Error {}

  private static func encoded(_ query: DataStoreQuery) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(query)
  }

  private static func values<M: PersistentModel>(of model: M) throws -> [String: DataStoreValue] {
    func snapshot<B: BackingData>(_ data: B) -> DefaultSnapshot {
      var related: [PersistentIdentifier: any BackingData] = [:]
      return DefaultSnapshot(from: data, relatedBackingDatas: &related)
    }
    var values = try snapshot(model.persistentBackingData).values()
    // A row in memory does not name the models of relationships that were not read.
    for property in type(of: model)._$descriptor.properties where property.destination != nil {
      let related = (model as Any)[keyPath: property.keyPath]
      if property.isToMany {
        let models = (related as? any RelationshipCollection)?.models ?? []
        values[property.name] = .list(models.map { .identifier($0.persistentModelID) })
      } else {
        let other = related as? any PersistentModel
        values[property.name] = other.map { .identifier($0.persistentModelID) } ?? .null
      }
    }
    return values
  }
}

extension RelationshipCollection {
  fileprivate var models: [any PersistentModel] { _models ?? [] }
}
