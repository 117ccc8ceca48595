import Foundation

/// A property whose values are the titles of sections.
struct SectionProperty<Element: PersistentModel> {
  let keyPath: PartialKeyPath<Element>
  let slot: Int
  /// The order of the sections if the request has none of the property: one descriptor.
  ///
  /// In a list, because a release build cannot link a type that contains a descriptor directly: it
  /// would need the metadata of a type that Foundation keeps private.
  private let order: [SortDescriptor<Element>]
  let title: (Element) -> String

  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a property that is not stored.
  init(_ keyPath: KeyPath<Element, String>) throws {
    try self.init(keyPath, [SortDescriptor(keyPath.ofProperty, comparator: .lexical)]) {
      $0[keyPath: keyPath]
    }
  }

  /// Models without a value are in the section titled "".
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a property that is not stored.
  init(_ keyPath: KeyPath<Element, String?>) throws {
    try self.init(keyPath, [SortDescriptor(keyPath.ofProperty)]) { $0[keyPath: keyPath] ?? "" }
  }

  private init(
    _ keyPath: PartialKeyPath<Element>, _ order: [SortDescriptor<Element>],
    _ title: @escaping (Element) -> String
  ) throws {
    guard let slot = Element._$descriptor.slot(for: keyPath) else {
      throw SwiftDataError.unsupportedKeyPath.with(
        "Sections require a stored property; \(keyPath) is not one.",
        entity: Element._$descriptor.entityName)
    }
    self.keyPath = keyPath
    self.slot = slot
    self.order = order
    self.title = title
  }

  /// The order of a request in sections. That of the property comes first, so that the models of a section are
  /// together: as the request orders by the property, otherwise ascending.
  func order(before descriptors: [SortDescriptor<Element>]) -> [SortDescriptor<Element>] {
    let own = descriptors.firstIndex { descriptor in
      descriptor.keyPath.flatMap { Element._$descriptor.slot(for: $0) } == slot
    }
    guard let own else { return order + descriptors }
    var ordered = descriptors
    ordered.insert(ordered.remove(at: own), at: 0)
    return ordered
  }
}

extension KeyPath {
  /// The same key path; it must lead to properties only, because such a key path captures nothing.
  ///
  /// `Sendable` is a marker protocol: it changes the type of a value and not its form (SE-0302).
  var ofProperty: any KeyPath<Root, Value> & Sendable {
    unsafeBitCast(self, to: (any KeyPath<Root, Value> & Sendable).self)
  }
}
