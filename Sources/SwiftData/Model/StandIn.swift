import Foundation

/// A value of a type, made from nothing.
///
/// In this order: the empty value of a scalar, nil, a raw value of zero or an empty text, what the type
/// decodes from empty values, the first of all cases, the first case of an enum without associated
/// values, and what the type decodes where numbers are one and texts and lists are not empty. Nothing
/// is left for a type that refuses all of that, or that cannot be decoded.
struct StandIn {
  /// What scalars are filled with.
  enum Filling { case empty, one }

  let filling: Filling
  /// How deep the values around this one are nested.
  let depth: Int

  private static let deepest = 16

  static func value<V>(of type: V.Type) -> V? {
    StandIn(filling: .empty, depth: 0).value(type)
      ?? StandIn(filling: .one, depth: 0).value(type)
  }

  func value<V>(_ type: V.Type) -> V? {
    if let optional = type as? any OptionalValue.Type { return optional.makeNil() as? V }
    if let scalar = scalar(type) { return scalar }
    if let known = Self.known(type) { return known }
    if let representable = type as? any RawRepresentable.Type,
      let value = represented(representable) as? V
    {
      return value
    }
    if let decodable = type as? any Decodable.Type, let value = decoded(decodable) as? V {
      return value
    }
    if let iterable = type as? any CaseIterable.Type, let first = iterable.firstCase as? V {
      return first
    }
    return firstPlainCase(type)
  }

  private func scalar<V>(_ type: V.Type) -> V? {
    guard let scalar = type as? any (_ScalarAttribute & ScalarCoding).Type else { return nil }
    if filling == .one {
      let ones: [_StoredValue] = [.integer(1), .real(1), .text("1"), .blob(Data(count: 16))]
      for one in ones {
        if let value = scalar.init(storedValue: one) as? V { return value }
      }
    }
    return scalar._empty as? V
  }

  /// Types that decode none of the empty values.
  private static func known<V>(_ type: V.Type) -> V? {
    switch type {
    case is TimeZone.Type: TimeZone.gmt as? V
    case is Calendar.Type: Calendar(identifier: .gregorian) as? V
    case is Locale.Type: Locale(identifier: "") as? V
    default: nil
    }
  }

  private func represented<R: RawRepresentable>(_ type: R.Type) -> Any? {
    scalar(R.RawValue.self).flatMap { R(rawValue: $0) }
  }

  private func decoded(_ type: any Decodable.Type) -> (any Decodable)? {
    if depth > Self.deepest { return nil }
    let decoder = StandInDecoder(standIn: self, chosenCase: nil)
    guard let cases = TypeReflection.cases(of: type) else { return try? type.init(from: decoder) }
    // A case without associated values needs nothing more.
    for enumCase in cases.filter(\.payload.isEmpty) + cases.filter({ !$0.payload.isEmpty }) {
      let decoder = StandInDecoder(standIn: self, chosenCase: enumCase.name)
      if let value = try? type.init(from: decoder) { return value }
    }
    return nil
  }

  private func firstPlainCase<V>(_ type: V.Type) -> V? {
    guard _isPOD(type), let cases = TypeReflection.cases(of: type), !cases.isEmpty,
      cases.allSatisfy(\.payload.isEmpty)
    else { return nil }
    // Such an enum is stored as the number of its case.
    return withUnsafeTemporaryAllocation(
      byteCount: max(MemoryLayout<V>.size, 1), alignment: MemoryLayout<V>.alignment
    ) { buffer in
      buffer.initializeMemory(as: UInt8.self, repeating: 0)
      return buffer.load(as: V.self)
    }
  }

  /// A value inside of this one.
  func part<V>(_ type: V.Type) throws -> V {
    guard let value = StandIn(filling: filling, depth: depth + 1).value(type) else {
      throw NoStandIn()
    }
    return value
  }

  /// How many elements lists have.
  var listCount: Int { filling == .one && depth < 4 ? 1 : 0 }
}

/// A part of a value for which nothing stands in.
struct NoStandIn: Error {}

extension CaseIterable {
  fileprivate static var firstCase: (any Any)? { allCases.first }
}
