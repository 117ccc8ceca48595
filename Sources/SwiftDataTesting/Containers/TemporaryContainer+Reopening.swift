import Foundation
public import SwiftData
import Synchronization

extension TemporaryContainer {
  /// Opens the file again: what an app sees after a restart.
  ///
  /// The old container is released, unless the test still uses it.
  /// - Returns: The new container, which is also ``container``.
  /// - Throws: `TemporaryContainerError` for a store in memory; `SwiftDataError` if the file can't be
  ///   opened.
  @discardableResult
  public func reopen() throws -> ModelContainer {
    let (schema, plan) = state.withLock { ($0.schema, $0.plan) }
    return try reopen(for: schema, migrationPlan: plan)
  }

  /// Opens the file again with other models: what an app sees after an update.
  /// - Parameters:
  ///   - schema: The new models.
  ///   - migrationPlan: How the store is migrated.
  /// - Returns: The new container, which is also ``container``.
  /// - Throws: `TemporaryContainerError` for a store in memory; `SwiftDataError` if the file can't be
  ///   opened or migrated.
  @discardableResult
  public func reopen(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContainer {
    try replace(schema, migrationPlan, at: try file(for: "reopened"))
  }

  /// Opens the file with other models, for the statements that this runs. ``container`` stays the
  /// same.
  func openOnce(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)?,
    onStatement: @escaping @Sendable () -> Void
  ) throws {
    _ = try TemporaryContainer.open(
      schema, migrationPlan, at: try file(for: "reopened"), in: folder, options,
      onStatement: onStatement)
  }

  /// Opens another file with other models.
  func reopen(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)?, at url: URL
  ) throws -> ModelContainer { try replace(schema, migrationPlan, at: url) }

  /// Opens another file with the same models.
  func reopen(at url: URL) throws -> ModelContainer {
    let (schema, plan) = state.withLock { ($0.schema, $0.plan) }
    return try replace(schema, plan, at: url)
  }

  /// Opens a second container over the same file, as another process would.
  ///
  /// Its statements are recorded on their own.
  /// - Returns: The other container; ``container`` stays the same.
  /// - Throws: `TemporaryContainerError` for a store in memory; `SwiftDataError` if the file can't be
  ///   opened.
  public func openAnotherContainer() throws -> ModelContainer {
    let url = try file(for: "shared")
    let (schema, plan) = state.withLock { ($0.schema, $0.plan) }
    return try TemporaryContainer.open(schema, plan, at: url, in: folder, options)
  }

  private func replace(
    _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?, at url: URL
  ) throws -> ModelContainer {
    let opened = try TemporaryContainer.open(schema, plan, at: url, in: folder, options)
    let old = state.withLock { state in
      defer { state.container = opened }
      (state.url, state.schema, state.plan) = (url, schema, plan)
      return state.container
    }
    // The old stores are closed outside of the lock.
    withExtendedLifetime(old) {}
    return opened
  }

  private func file(for purpose: String) throws -> URL {
    if let url { return url }
    throw TemporaryContainerError(
      "a store in memory can't be \(purpose), because it belongs to its container. Create the "
        + "temporary container with storage: .file.")
  }
}
