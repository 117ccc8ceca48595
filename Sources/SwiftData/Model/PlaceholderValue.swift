import Foundation

/// Creates a placeholder value of a type.
///
/// Tried in this order: nil, the empty value of a scalar, a raw value of zero or empty text, what
/// the type decodes from empty values, the first of all cases, the first case of an enum without
/// associated values, and what the type decodes if numbers are one and texts and lists are not
/// empty. There is no placeholder for a type that rejects all of these, or that cannot be decoded.
///
/// An enum inside itself makes a deep value, and the number of attempts grows with the power of its
/// depth. So a recursive case is only taken if no other value is found, and a few times at most.
struct PlaceholderValue {
  /// The content of scalars.
  enum Filling { case empty, one }

  let filling: Filling
  /// How many times an enum may be inside itself.
  let repetitions: Int
  /// The nesting depth of this value.
  private(set) var depth = 0
  /// The enums around this value.
  private var enclosing: [ObjectIdentifier] = []

  private static let deepest = 16

  private init(_ filling: Filling, repetitions: Int) {
    self.filling = filling
    self.repetitions = repetitions
  }

  static func value<V>(of type: V.Type) -> V? {
    PlaceholderValue(.empty, repetitions: 0).value(type)
      ?? PlaceholderValue(.one, repetitions: 0).value(type)
      // Lists of enums are not empty until they are nested.
      ?? PlaceholderValue(.one, repetitions: 2).value(type)
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
    guard let cases = TypeReflection.cases(of: type) else {
      return try? type.init(from: PlaceholderDecoder(placeholderValue: self, chosenCase: nil))
    }
    let identity = ObjectIdentifier(type)
    guard enclosing.count(where: { $0 == identity }) <= repetitions else { return nil }
    var inner = self
    inner.enclosing.append(identity)
    // A case without associated values needs no further values.
    for enumCase in cases.filter(\.payload.isEmpty) + cases.filter({ !$0.payload.isEmpty }) {
      let decoder = PlaceholderDecoder(placeholderValue: inner, chosenCase: enumCase.name)
      if let value = try? type.init(from: decoder) { return value }
    }
    return nil
  }

  private func firstPlainCase<V>(_ type: V.Type) -> V? {
    TypeReflection.values(of: type)?.first?.value
  }

  /// A placeholder for a part of this value.
  func part<V>(_ type: V.Type) throws -> V {
    var part = self
    part.depth += 1
    guard let value = part.value(type) else { throw NoPlaceholderValue() }
    return value
  }

  /// The number of elements in lists.
  var listCount: Int { filling == .one && depth < 4 ? 1 : 0 }
}

/// A part of a value has no placeholder.
struct NoPlaceholderValue: Error {}

extension CaseIterable {
  fileprivate static var firstCase: (any Any)? { allCases.first }
}
