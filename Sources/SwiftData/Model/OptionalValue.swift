/// `Optional` without its type parameter.
protocol OptionalValue {
  static func makeNil() -> Self
  var isNil: Bool { get }
  var unwrappedValue: Any? { get }
}

extension Optional: OptionalValue {
  static func makeNil() -> Wrapped? { nil }

  var isNil: Bool { self == nil }

  var unwrappedValue: Any? {
    switch self {
    case .none: nil
    case .some(let value): value
    }
  }
}
