import Foundation
import SwiftData

extension Trial {
  /// Inserts models and saves them.
  @discardableResult
  func save<T: PersistentModel>(_ models: [T], in context: ModelContext? = nil) throws
    -> [PersistentIdentifier]
  {
    let context = try context ?? self.context()
    for model in models { context.insert(model) }
    try context.save()
    return models.map(\.persistentModelID)
  }

  /// All models of a class.
  func all<T: PersistentModel>(
    _ type: T.Type = T.self, in context: ModelContext? = nil
  ) throws -> [T] {
    try (context ?? self.context()).fetch(FetchDescriptor<T>())
  }

  /// The only model of a class.
  func only<T: PersistentModel>(
    _ type: T.Type = T.self, in context: ModelContext
  ) throws -> T {
    let found = try context.fetch(FetchDescriptor<T>())
    expect("The number of \(type) models", found.count, 1)
    return try require("The only \(type)", found.first)
  }

  /// The model of a class with a value.
  func one<T: PersistentModel, V: Equatable>(
    _ type: T.Type, _ property: KeyPath<T, V>, _ value: V, in context: ModelContext
  ) throws -> T {
    let found = try context.fetch(FetchDescriptor<T>()).filter { $0[keyPath: property] == value }
    return try require("The \(type) with \(Trial.text(value))", found.first)
  }

  /// The titles of fetched entries, in their order.
  func titles(
    _ descriptor: FetchDescriptor<Specimens.Entry>, in context: ModelContext? = nil
  ) throws -> [String] {
    try (context ?? self.context()).fetch(descriptor).map(\.title)
  }
}
