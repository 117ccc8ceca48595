import Foundation
import SwiftData
import Synchronization

/// The store of one rule, and what the rule found.
///
/// Used on the thread of the rule; only the problems are read elsewhere. A rule whose time is over
/// keeps its thread, but nobody reads its problems any more.
final class Trial: @unchecked Sendable {
  private let setup: SpecificationSetup
  private let configure: @Sendable (SpecificationSetup) throws -> any DataStoreConfiguration
  private var containers: [ModelContainer] = []
  private let found = Mutex<[String]>([])

  init(
    models: [any PersistentModel.Type],
    _ configure: @escaping @Sendable (SpecificationSetup) throws -> any DataStoreConfiguration
  ) {
    let name = "specification-\(UUID().uuidString.prefix(8))"
    setup = SpecificationSetup(
      name: name, schema: Schema(models),
      folder: FileManager.default.temporaryDirectory.appending(path: name))
    self.configure = configure
  }

  private init(_ setup: SpecificationSetup, like other: Trial) {
    self.setup = setup
    configure = other.configure
  }

  var problems: [String] { found.withLock { $0 } }

  func problem(_ text: String) { found.withLock { $0.append(text) } }

  func run(_ rule: Rule) {
    do {
      try FileManager.default.createDirectory(
        at: setup.folder, withIntermediateDirectories: true)
      try rule.body(self)
    } catch is RuleEnd {
    } catch {
      problem("Expected no error, but this was thrown: \(error)")
    }
    close()
    try? FileManager.default.removeItem(at: setup.folder)
  }

  // MARK: The store

  /// The container of the rule, opened at the first use.
  func container() throws -> ModelContainer { try containers.last ?? open() }

  /// Opens another container over the same configuration.
  @discardableResult
  func open(_ schema: Schema? = nil) throws -> ModelContainer {
    let container = try ModelContainer(
      for: schema ?? setup.schema, configurations: [configure(with(schema))])
    containers.append(container)
    return container
  }

  /// Opens the store itself with a migration plan, without a container.
  func openStore(_ schema: Schema, _ plan: any SchemaMigrationPlan.Type) throws -> any DataStore {
    func open<C: DataStoreConfiguration>(_ configuration: C) throws -> any DataStore {
      var configuration = configuration
      configuration.schema = schema
      try configuration.validate()
      return try C.Store(configuration, migrationPlan: plan)
    }
    return try open(configure(with(schema)))
  }

  private func with(_ schema: Schema?) -> SpecificationSetup {
    SpecificationSetup(
      name: setup.name, schema: schema ?? setup.schema, folder: setup.folder)
  }

  /// Releases the containers. Contexts must be released before.
  func close() { containers = [] }

  /// A new context of the container.
  func context() throws -> ModelContext {
    let context = ModelContext(try container())
    context.reportsUnsavedChanges = false
    return context
  }

  func store() throws -> any DataStore {
    guard let store = try container().stores.first else {
      problem("The container has no store.")
      throw RuleEnd()
    }
    return store
  }

  /// The trial of another store, whose problems are not reported.
  func sibling() throws -> Trial {
    let name = setup.name + "-2"
    let folder = setup.folder.appending(path: name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return Trial(
      SpecificationSetup(name: name, schema: setup.schema, folder: folder), like: self)
  }
}

/// Ends a rule that cannot continue; the problem has been noted.
struct RuleEnd: Error {}
