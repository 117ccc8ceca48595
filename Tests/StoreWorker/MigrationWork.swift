import Foundation
import OpenSwiftDataTestModels
import SwiftData

/// Opens a store with the models of the next version.
enum MigrationWork {
  /// Migrates the store, and prints the numbers of crates and of runs of the stage, or the error.
  static func run(_ store: URL) {
    FileHandle.standardOutput.write(Data("saved 1\n".utf8))
    do {
      let context = try Freight.open(Freight.V2.self, store, plan: Freight.Plan.self)
      let crates = try context.fetchCount(FetchDescriptor<Freight.V2.Crate>())
      print("migrated \(crates) \(try context.fetchCount(FetchDescriptor<Freight.V2.Mark>()))")
    } catch {
      print(error)
    }
  }
}
