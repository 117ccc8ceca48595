public import Foundation

// Queries for models in sections. Models without a title are in the section with the title "". The
// order of the section titles comes before any other order.

extension Query where Result == SectionedResults<Element, String> {
  /// Fetches the models of a request, in sections; with animation.
  public init(
    _ descriptor: FetchDescriptor<Element>, animation: _SwiftData_SwiftUI.Animation,
    sectionBy: KeyPath<Element, String>
  ) {
    self.init(descriptor, section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models of a request, in sections with optional titles; with animation.
  public init(
    _ descriptor: FetchDescriptor<Element>, animation: _SwiftData_SwiftUI.Animation,
    sectionBy: KeyPath<Element, String?>
  ) {
    self.init(descriptor, section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models of a request, in sections.
  public init(
    _ descriptor: FetchDescriptor<Element>, transaction: _SwiftData_SwiftUI.Transaction? = nil,
    sectionBy: KeyPath<Element, String>
  ) {
    self.init(descriptor, section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models of a request, in sections with optional titles.
  public init(
    _ descriptor: FetchDescriptor<Element>, transaction: _SwiftData_SwiftUI.Transaction? = nil,
    sectionBy: KeyPath<Element, String?>
  ) {
    self.init(descriptor, section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models that match a predicate, in sections; with animation.
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    animation: _SwiftData_SwiftUI.Animation, sectionBy: KeyPath<Element, String>
  ) {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: descriptors),
      section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models that match a predicate, in sections with optional titles; with animation.
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    animation: _SwiftData_SwiftUI.Animation, sectionBy: KeyPath<Element, String?>
  ) {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: descriptors),
      section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models that match a predicate, in sections.
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    transaction: _SwiftData_SwiftUI.Transaction? = nil, sectionBy: KeyPath<Element, String>
  ) {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: descriptors),
      section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models that match a predicate, in sections with optional titles.
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    transaction: _SwiftData_SwiftUI.Transaction? = nil, sectionBy: KeyPath<Element, String?>
  ) {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: descriptors),
      section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models that match a predicate, sorted by a property, in sections; with animation.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
    order: SortOrder = .forward, animation: _SwiftData_SwiftUI.Animation,
    sectionBy: KeyPath<Element, String>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models that match a predicate, sorted by a property, in sections with optional
  /// titles; with animation.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
    order: SortOrder = .forward, animation: _SwiftData_SwiftUI.Animation,
    sectionBy: KeyPath<Element, String?>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models that match a predicate, sorted by a property, in sections.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
    order: SortOrder = .forward, transaction: _SwiftData_SwiftUI.Transaction? = nil,
    sectionBy: KeyPath<Element, String>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models that match a predicate, sorted by a property, in sections with optional
  /// titles.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
    order: SortOrder = .forward, transaction: _SwiftData_SwiftUI.Transaction? = nil,
    sectionBy: KeyPath<Element, String?>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models that match a predicate, sorted by an optional property, in sections; with
  /// animation.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
    order: SortOrder = .forward, animation: _SwiftData_SwiftUI.Animation,
    sectionBy: KeyPath<Element, String>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models that match a predicate, sorted by an optional property, in sections with
  /// optional titles; with animation.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
    order: SortOrder = .forward, animation: _SwiftData_SwiftUI.Animation,
    sectionBy: KeyPath<Element, String?>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models that match a predicate, sorted by an optional property, in sections.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
    order: SortOrder = .forward, transaction: _SwiftData_SwiftUI.Transaction? = nil,
    sectionBy: KeyPath<Element, String>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models that match a predicate, sorted by an optional property, in sections with
  /// optional titles.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
    order: SortOrder = .forward, transaction: _SwiftData_SwiftUI.Transaction? = nil,
    sectionBy: KeyPath<Element, String?>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }
}
