import Foundation
import Synchronization

/// Whether `==` of a structure, or of an enum without raw values, is equality of the stored parts, which SQL and
/// other stores compare.
package enum PartEquality {
  /// The answer for each type. Values of the type are compared with one another, so this is done once.
  private static let known = Mutex<[ObjectIdentifier: Bool]>([:])

  /// - Parameter type: A type of values or of optional values. The answer for a type of which no values can be
  ///   made is false.
  package static func isThatOfParts(_ type: any Any.Type) -> Bool {
    let type = unwrappedType(of: type) ?? type
    if let found = known.withLock({ $0[ObjectIdentifier(type)] }) { return found }
    let found = (type as? any (Equatable & Encodable).Type).map { compareValues(of: $0) } ?? false
    known.withLock { $0[ObjectIdentifier(type)] = found }
    return found
  }

  /// Throws if stored parts may differ where values of the type are equal, or the other way round.
  static func require(for type: any Any.Type) throws {
    if isThatOfParts(type) { return }
    throw NotInSQL("equality that the type of the values defines")
  }

  private static func compareValues<T: Equatable & Encodable>(of type: T.Type) -> Bool {
    guard case .composite(let leaves)? = try? storageForm(of: type) else { return false }
    let coding = CompositeCoding(leaves: leaves)
    let values = ValueSamples.values(of: type).compactMap { value in
      (try? coding.flatten(value)).map { (value, stored: $0) }
    }
    if values.isEmpty { return false }
    // Many values are compared with the first and with the next ones, which differ in the same part.
    let reach = values.count <= 64 ? values.count : 8
    return values.indices.allSatisfy { index in
      let (value, stored) = values[index]
      let others = [0...0, index...min(index + reach, values.count - 1)].joined()
      return others.allSatisfy { (value == values[$0].0) == (stored == values[$0].stored) }
    }
  }
}
