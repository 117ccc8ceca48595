import SwiftData
import SwiftDataTesting
import XCTest

/// Expectations need no test framework of their own.
final class XCTestExpectationTests: XCTestCase {
  func testAnExpectationPasses() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, seed: Journeys.three)
    let count = try expectStatements(1, in: temporary) {
      try temporary.makeContext().fetchCount(FetchDescriptor<Trip>())
    }
    XCTAssertEqual(count, 4)
  }

  func testAnExpectationThrowsWhatItSays() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, seed: Journeys.three)
    XCTAssertThrowsError(
      try expectStatements(2, in: temporary) {
        try temporary.makeContext().fetchCount(FetchDescriptor<Trip>())
      }
    ) { error in
      XCTAssertTrue(
        "\(error)".contains("expected exactly 2 statements, but 1 ran:\n  1. SELECT"), "\(error)")
    }
  }
}
