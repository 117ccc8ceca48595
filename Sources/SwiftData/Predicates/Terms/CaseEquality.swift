import Synchronization

/// Whether `==` of an enum, or of a structure, is equality of the raw values, in whose form its values are stored.
enum CaseEquality {
  /// The answer for each type. The cases may be compared with one another, so this is done once.
  private static let known = Mutex<[ObjectIdentifier: Bool]>([:])

  /// - Parameter type: A type of values or of optional values. For types without raw values, and for those of which
  ///   no values can be made, the answer is that raw values decide.
  static func isThatOfRawValues(_ type: any Any.Type) -> Bool {
    let type = unwrappedType(of: type) ?? type
    guard let enumeration = type as? any (RawRepresentable & Equatable).Type else { return true }
    if let found = known.withLock({ $0[ObjectIdentifier(type)] }) { return found }
    let found = compareCases(of: enumeration)
    known.withLock { $0[ObjectIdentifier(type)] = found }
    return found
  }

  private static func compareCases<T: RawRepresentable & Equatable>(of type: T.Type) -> Bool {
    let all = TypeReflection.values(of: type)?.map(\.value)
    let cases = all ?? ValueSamples.values(of: type)
    let rawValues = cases.compactMap { $0.rawValue as? AnyHashable }
    guard rawValues.count == cases.count else { return true }
    if all != nil, let isSame = comparesByHash(cases) { return isSame }
    return cases.indices.allSatisfy { first in
      cases.indices.allSatisfy { second in
        (cases[first] == cases[second]) == (rawValues[first] == rawValues[second])
      }
    }
  }
}

/// Whether no two of the cases, whose raw values are different, are equal, in linear time; `nil` if that is not
/// certain.
private func comparesByHash<T: Equatable>(_ cases: [T]) -> Bool? {
  guard cases.allSatisfy({ $0 == $0 }), let hashable = cases as? [any Hashable] else { return nil }
  return Set(hashable.map { AnyHashable($0) }).count == cases.count ? true : nil
}

extension ScalarTerm {
  /// Throws if stored forms may differ where the values are equal, or the other way round.
  func requireEqualityOfStoredForms() throws {
    guard case .rawValue = kind, let valueType, !CaseEquality.isThatOfRawValues(valueType) else {
      return
    }
    throw NotInSQL("equality that the type of the values defines")
  }
}
