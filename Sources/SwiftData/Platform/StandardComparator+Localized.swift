#if canImport(Darwin)
  import Foundation
#else
  public import Foundation

  extension String.StandardComparator {
    /// Orders texts as file managers do: by the rules of the language, and numbers by their values.
    ///
    /// Case counts only where nothing else decides. Foundation for Linux lacks it. Fetches and `sorted(using:)` of
    /// models order by it; other sorts of Foundation for Linux compare code points, and numbers by their values.
    // Foundation for Linux stops the program when it compares texts beyond ASCII without case or width.
    public static let localizedStandard = made("localizedStandard", [.numeric, .forcedOrdering])

    /// Orders texts by the rules of the language.
    ///
    /// Foundation for Linux lacks it. Fetches and `sorted(using:)` of models order by it; other sorts of
    /// Foundation for Linux compare code points.
    public static let localized = made("localized", [])

    /// The values of a comparator, which has no initialiser for them on Linux.
    private struct Values: Codable, Equatable {
      var options: UInt
      var isLocalized: Bool
      var order: SortOrder
    }

    private static func made(_ name: String, _ options: String.CompareOptions) -> Self {
      let values = Values(
        options: options.rawValue, isLocalized: true, order: lexical.order)
      if let comparator = castIfSameSize(values, to: Self.self),
        let data = try? JSONEncoder().encode(comparator),
        (try? JSONDecoder().decode(Values.self, from: data)) == values
      {
        return comparator
      }
      let line =
        "SwiftData: Foundation has an unknown form of String.StandardComparator, so orders by .\(name) "
        + "compare code points.\n"
      StandardError.write(line)
      return lexical
    }
  }
#endif

#if !canImport(Darwin)
  extension String {
    /// Orders texts by the rules of the language.
    @_documentation(visibility: internal)
    public struct _LanguageComparator: SortComparator {
      fileprivate let kind: String.StandardComparator
      /// The direction.
      public var order: SortOrder = .forward

      /// Compares two texts.
      public func compare(_ left: String, _ right: String) -> ComparisonResult {
        let (first, second) = order == .forward ? (left, right) : (right, left)
        return kind.compareByLanguage(first, second)
      }
    }
  }

  extension SortComparator where Self == String._LanguageComparator {
    /// Orders texts as file managers do: by the rules of the language, and numbers by their values.
    ///
    /// For `sorted(using:)` of texts and for `KeyPathComparator`. Foundation for Linux lacks it.
    public static var localizedStandard: Self { Self(kind: .localizedStandard) }

    /// Orders texts by the rules of the language.
    ///
    /// For `sorted(using:)` of texts and for `KeyPathComparator`. Foundation for Linux lacks it.
    public static var localized: Self { Self(kind: .localized) }
  }
#endif

extension String.StandardComparator {
  /// Compares as Foundation of Apple's systems does; that for Linux ignores the language. Always ascending.
  func compareByLanguage(_ left: String, _ right: String) -> ComparisonResult {
    var kind = self
    kind.order = .forward
    switch kind {
    case .localizedStandard: return left.localizedStandardCompare(right)
    case .localized: return left.localizedCompare(right)
    default: return kind.compare(left, right)
    }
  }
}
