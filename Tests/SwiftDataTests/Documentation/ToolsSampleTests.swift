import Foundation
import SwiftData
import SwiftDataTools
import Testing

/// The samples in the documentation comments of `SwiftDataTools`, on a file that is not there.
@Suite struct ToolsSampleTests {
  @Test func aCheckup() {
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      let checkup = try StoreCheckup(of: URL(filePath: "/data/trips.store"))
      for problem in checkup.problems { print(problem) }
    }
  }

  @Test func anInspection() {
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      let inspection = try StoreInspection(of: URL(filePath: "/data/trips.store"))
      for entity in inspection.entities { print(entity.name, entity.rows) }
    }
  }

  @Test func generatedModels() {
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      let source = try ModelSource(of: URL(filePath: "/data/trips.store"))
      try source.text.write(to: URL(filePath: "Models.swift"), atomically: true, encoding: .utf8)
    }
  }
}
