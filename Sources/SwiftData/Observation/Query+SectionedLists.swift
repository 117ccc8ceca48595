public import Foundation

// Queries for a list of models that is also available in sections, as ``Query/sections``.

extension Query where Result == [Element] {
  /// Fetches the models of a request, in sections; with animation.
  @_disfavoredOverload
  public init(
    _ descriptor: FetchDescriptor<Element>, animation: _SwiftData_SwiftUI.Animation,
    sectionBy: KeyPath<Element, String>
  ) {
    self.init(descriptor, section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models of a request, in sections with optional titles; with animation.
  @_disfavoredOverload
  public init(
    _ descriptor: FetchDescriptor<Element>, animation: _SwiftData_SwiftUI.Animation,
    sectionBy: KeyPath<Element, String?>
  ) {
    self.init(descriptor, section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models of a request, in sections.
  @_disfavoredOverload
  public init(
    _ descriptor: FetchDescriptor<Element>, transaction: _SwiftData_SwiftUI.Transaction? = nil,
    sectionBy: KeyPath<Element, String>
  ) {
    self.init(descriptor, section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models of a request, in sections with optional titles.
  @_disfavoredOverload
  public init(
    _ descriptor: FetchDescriptor<Element>, transaction: _SwiftData_SwiftUI.Transaction? = nil,
    sectionBy: KeyPath<Element, String?>
  ) {
    self.init(descriptor, section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models that match a predicate, in sections; with animation.
  @_disfavoredOverload
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    animation: _SwiftData_SwiftUI.Animation, sectionBy: KeyPath<Element, String>
  ) {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: descriptors),
      section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models that match a predicate, in sections with optional titles; with animation.
  @_disfavoredOverload
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    animation: _SwiftData_SwiftUI.Animation, sectionBy: KeyPath<Element, String?>
  ) {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: descriptors),
      section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models that match a predicate, in sections.
  @_disfavoredOverload
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    transaction: _SwiftData_SwiftUI.Transaction? = nil, sectionBy: KeyPath<Element, String>
  ) {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: descriptors),
      section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models that match a predicate, in sections with optional titles.
  @_disfavoredOverload
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    transaction: _SwiftData_SwiftUI.Transaction? = nil, sectionBy: KeyPath<Element, String?>
  ) {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: descriptors),
      section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models that match a predicate, sorted by a property, in sections; with animation.
  @_disfavoredOverload
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
    order: SortOrder = .forward, animation: _SwiftData_SwiftUI.Animation,
    sectionBy: KeyPath<Element, String>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models that match a predicate, sorted by a property, in sections with optional
  /// titles; with animation.
  @_disfavoredOverload
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
    order: SortOrder = .forward, animation: _SwiftData_SwiftUI.Animation,
    sectionBy: KeyPath<Element, String?>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models that match a predicate, sorted by a property, in sections.
  @_disfavoredOverload
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
    order: SortOrder = .forward, transaction: _SwiftData_SwiftUI.Transaction? = nil,
    sectionBy: KeyPath<Element, String>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models that match a predicate, sorted by a property, in sections with optional
  /// titles.
  @_disfavoredOverload
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
    order: SortOrder = .forward, transaction: _SwiftData_SwiftUI.Transaction? = nil,
    sectionBy: KeyPath<Element, String?>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models that match a predicate, sorted by an optional property, in sections; with
  /// animation.
  @_disfavoredOverload
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
    order: SortOrder = .forward, animation: _SwiftData_SwiftUI.Animation,
    sectionBy: KeyPath<Element, String>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models that match a predicate, sorted by an optional property, in sections with
  /// optional titles; with animation.
  @_disfavoredOverload
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
    order: SortOrder = .forward, animation: _SwiftData_SwiftUI.Animation,
    sectionBy: KeyPath<Element, String?>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models that match a predicate, sorted by an optional property, in sections.
  @_disfavoredOverload
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
    order: SortOrder = .forward, transaction: _SwiftData_SwiftUI.Transaction? = nil,
    sectionBy: KeyPath<Element, String>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models that match a predicate, sorted by an optional property, in sections with
  /// optional titles.
  @_disfavoredOverload
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
    order: SortOrder = .forward, transaction: _SwiftData_SwiftUI.Transaction? = nil,
    sectionBy: KeyPath<Element, String?>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }
}
