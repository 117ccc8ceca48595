import Foundation
import SwiftData
import Testing

/// A file that its path does not lead to any more takes no saves: nobody would find them.
struct MovedFileTests {
  typealias Trip = Travel.Trip

  private func container(_ folder: TemporaryFolder) throws -> ModelContainer {
    try ModelContainer(
      for: Trip.self, Travel.Stop.self, configurations: ModelConfiguration(url: folder.store))
  }

  private func expectRefusal(
    _ location: SourceLocation = #_sourceLocation, after change: (URL) throws -> Void
  ) throws {
    let folder = try TemporaryFolder()
    let container = try container(folder)
    let context = ModelContext(container)
    context.insert(Trip(name: "before", start: .now))
    try context.save()
    try change(folder.store)
    context.insert(Trip(name: "after", start: .now))
    let error = #expect(throws: SwiftDataError.self, sourceLocation: location) {
      try context.save()
    }
    #expect(error == .storeWriteFailure, sourceLocation: location)
    #expect(error?.reason == .schemaMismatch, sourceLocation: location)
    #expect(error?.reason.isTransient == false, sourceLocation: location)
    let text = "\(error.map(String.init(describing:)) ?? "")"
    for part in ["deleted, moved or replaced", folder.store.path, "new container"] {
      #expect(text.contains(part), "\(text)", sourceLocation: location)
    }
    // Nothing is lost: the change is pending still.
    #expect(context.hasChanges && context.insertedModelsArray.count == 1)
    #expect(throws: SwiftDataError.self, sourceLocation: location) {
      try ModelContext(container).delete(model: Trip.self)
    }
  }

  @Test func aDeletedFile() throws {
    try expectRefusal { try FileManager.default.removeItem(at: $0) }
  }

  @Test func aMovedFile() throws {
    try expectRefusal {
      try FileManager.default.moveItem(at: $0, to: $0.appendingPathExtension("old"))
    }
  }

  @Test func aReplacedFile() throws {
    try expectRefusal { store in
      let other = try TemporaryFolder()
      let context = ModelContext(try container(other))
      context.insert(Trip(name: "restored", start: .now))
      try context.save()
      try FileManager.default.removeItem(at: store)
      try FileManager.default.moveItem(at: other.store, to: store)
      withExtendedLifetime(other) {}
    }
  }
}
