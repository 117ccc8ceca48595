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
    if let failure = ShapeFailure(of: shape, seeds: seeds) { Issue.record("\(failure)") }
  }

  @Test func aDifferenceIsFoundAndShrunk() throws {
    // The models say that the badge is deleted with its holder.
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
    let failure = try #require(ShapeFailure(of: wrong, seeds: 1..<50))
    // Two models, a link and a deletion are needed.
    #expect(failure.program.steps.count <= 5, "\(failure)")
    #expect(failure.difference.contains("is missing") || failure.difference.contains("not found"))
    #expect("\(failure)".contains("OPENSWIFTDATA_RANDOM_SEED=\(failure.seed) "))
  }
}

/// A program that fails, as short as possible.
struct ShapeFailure: CustomStringConvertible {
  let seed: UInt64
  let program: ShapeProgram
  let difference: String

  /// The first failure among the programs with some seeds.
  init?(of shape: Shape, seeds: Range<UInt64>) {
    for seed in seeds {
      let program = ShapeProgram(shape, seed: seed, length: 40 + Int(seed % 4) * 40)
      guard let difference = ShapeTrial.difference(of: program) else { continue }
      self.seed = seed
      self.program = program.shrunk { ShapeTrial.difference(of: $0) != nil }
      self.difference = ShapeTrial.difference(of: self.program) ?? difference
      return
    }
    return nil
  }

  /// What to read, and how to repeat it.
  var description: String {
    """
    \(program.shape.name): \(difference)
    \(program)
    This program is repeated with
    OPENSWIFTDATA_RANDOM_SEED=\(seed) OPENSWIFTDATA_SHAPE_PROGRAMS=1
    """
  }
}
