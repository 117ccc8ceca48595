import Foundation
import SwiftData
import Testing

/// Random programs on models of several shapes agree with a reference of plain dictionaries: in the
/// context that they run in, in other contexts, and after the store was opened again.
///
/// `OPENSWIFTDATA_SHAPE_PROGRAMS` raises the number of programs for each shape,
/// `OPENSWIFTDATA_RANDOM_SEED` begins with another one. A failing program is shrunk.
@Suite(.databases) struct RandomShapeTests {
  private static let first =
    ProcessInfo.processInfo.environment["OPENSWIFTDATA_RANDOM_SEED"].flatMap(UInt64.init) ?? 1

  /// A server takes longer to open a store.
  private static var count: UInt64 {
    ProcessInfo.processInfo.environment["OPENSWIFTDATA_SHAPE_PROGRAMS"].flatMap(UInt64.init)
      ?? (PostgresTestStores.current == nil ? 8 : 3)
  }

  @Test func lists() { expectAgreement(ListShape.shape) }

  @Test func oneToOnes() { expectAgreement(OneToOneShape.shape) }

  @Test func manyToManys() { expectAgreement(ManyToManyShape.shape) }

  @Test func relationshipsWithoutAnInverse() { expectAgreement(OneWayShape.shape) }

  @Test func requiredRelationships() { expectAgreement(RequiredShape.shape) }

  @Test func subclasses() { expectAgreement(HierarchyShape.shape) }

  private func expectAgreement(_ shape: Shape) {
    let seeds = Self.first..<(Self.first + Self.count)
    if let failure = ShapeFailure(of: shape, in: .database, seeds: seeds) {
      Issue.record("\(failure)")
    }
  }

  @Test func aDifferenceIsFoundAndShrunk() throws { try Self.expectDifference(in: .database) }

  /// The description of the models says that a badge stays when its holder is deleted.
  static func expectDifference(in store: ShapeStore) throws {
    let wrong = Shape(
      "a wrong delete rule",
      kinds: [
        .root(OneToOneShape.Person.self) { .init($0) },
        .root(OneToOneShape.Badge.self) { .init($0) },
      ],
      bonds: [
        [
          .toOne("badge", \OneToOneShape.Person.badge, .nullify),
          .toOne("holder", \OneToOneShape.Badge.holder),
        ]
      ])
    let failure = try #require(ShapeFailure(of: wrong, in: store, seeds: 1..<50))
    // Two models, a link and a deletion are needed.
    #expect(failure.program.steps.count <= 5, "\(failure)")
    #expect(failure.difference.contains("is missing") || failure.difference.contains("not found"))
    #expect("\(failure)".contains("OPENSWIFTDATA_RANDOM_SEED=\(failure.seed) "))
  }
}
