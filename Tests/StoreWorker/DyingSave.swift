import Foundation
import OpenSwiftDataTestModels
import SwiftData

/// A save of two stores by a process that dies before its end.
enum DyingSave {
  static func run(_ folder: URL, at step: String) throws {
    let container = try ModelContainer(
      for: Batch.self, Parcel.self, Negative.self,
      configurations: ModelConfiguration(
        "batches", schema: Schema([Batch.self, Parcel.self]),
        url: folder.appending(path: "batches.store")),
      ModelConfiguration(
        "negatives", schema: Schema([Negative.self]),
        url: folder.appending(path: "negatives.store")))
    let context = ModelContext(container)
    context.insert(Negative(number: 1, data: Data()))
    context.insert(Batch(number: 1, size: 1))
    try SaveStep.$reached.withValue({ if $0.rawValue == step { kill(getpid(), SIGKILL) } }) {
      try context.save()
    }
  }
}
