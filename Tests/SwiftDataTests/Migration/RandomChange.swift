import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat
import SwiftData
import Testing

/// A file with random rows of a random model, and the model after random changes.
struct RandomChange {
  let folder: TemporaryFolder
  let connection: Connection
  let layout: StoreLayout
  let before: ModelDescription
  let after: ModelDescription
  let mutation: ModelMutation
  /// Names the seed and the changes.
  let label: Comment

  init(seed: UInt64, isCareless: Bool = false) throws {
    folder = try TemporaryFolder()
    before = RandomModel(seed: seed).description.withIdentities
    var mutation = ModelMutation(before, seed: seed, isCareless: isCareless)
    after = mutation.run()
    self.mutation = mutation
    label = "seed \(seed): \(mutation.steps.joined(separator: ", "))"
    connection = try Connection(path: folder.store.path)
    layout = StoreLayout(before, numbers: before.freshNumbers)
    try connection.transaction(.immediate) {
      try StoreCreation(
        model: before, numbers: layout.numbers, definitions: layout.creationStatements
      ).create(connection)
      try RandomRows(layout, seed: seed).fill(connection)
    }
  }
}
