import Foundation
import SwiftData
import Testing

/// The programs of `RandomShapeTests` in the stores of `SwiftDataStores`. They leave out transactions, which
/// undo nothing there.
@Suite struct RandomDocumentTests {
  private static let first =
    ProcessInfo.processInfo.environment["OPENSWIFTDATA_RANDOM_SEED"].flatMap(UInt64.init) ?? 1
  private static let count =
    ProcessInfo.processInfo.environment["OPENSWIFTDATA_SHAPE_PROGRAMS"].flatMap(UInt64.init) ?? 2

  private static var shapes: [Shape] {
    [
      ListShape.shape, OneToOneShape.shape, ManyToManyShape.shape, OneWayShape.shape,
      RequiredShape.shape, HierarchyShape.shape,
    ]
  }

  @Test(arguments: [ShapeStore.dictionary, .json])
  func documentStoresAgreeWithTheReference(_ store: ShapeStore) {
    for shape in Self.shapes {
      let seeds = Self.first..<(Self.first + Self.count)
      if let failure = ShapeFailure(of: shape, in: store, seeds: seeds) {
        Issue.record("\(failure)")
      }
    }
  }

  @Test func aDifferenceIsFoundAndShrunk() throws {
    try RandomShapeTests.expectDifference(in: .dictionary)
  }
}
