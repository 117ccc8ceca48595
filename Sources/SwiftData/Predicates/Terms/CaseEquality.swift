import Synchronization

/// Whether `==` of an enum is equality of the raw values, in whose form its cases are stored.
enum CaseEquality {
  /// The answer for each type. Each case is compared with each other one, so this is done once.
  private static let known = Mutex<[ObjectIdentifier: Bool]>([:])

  /// - Parameter type: A type of values or of optional values. For types that are no enum, or whose
  ///   cases have associated values, the answer is that raw values decide.
  static func isThatOfRawValues(_ type: any Any.Type) -> Bool {
    let type = unwrappedType(of: type) ?? type
    guard let enumeration = type as? any (RawRepresentable & Equatable).Type else { return true }
    if let found = known.withLock({ $0[ObjectIdentifier(type)] }) { return found }
    let found = compareCases(of: enumeration)
    known.withLock { $0[ObjectIdentifier(type)] = found }
    return found
  }

  private static func compareCases<T: RawRepresentable & Equatable>(of type: T.Type) -> Bool {
    guard let cases = TypeReflection.values(of: type)?.map(\.value) else { return true }
    let rawValues = cases.compactMap { $0.rawValue as? AnyHashable }
    guard rawValues.count == cases.count else { return true }
    return cases.indices.allSatisfy { first in
      cases.indices.allSatisfy { second in
        (cases[first] == cases[second]) == (rawValues[first] == rawValues[second])
      }
    }
  }
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
