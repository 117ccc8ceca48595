public import Foundation

// Queries for models in sections. Those whose section has no title are in the one with the title "". The order of
// the sections' titles comes before any other.

extension Query where Result == SectionedResults<Element, String> {
  /// Fetches the models of a request, in sections, for views that animate.
  public init(
    _ descriptor: FetchDescriptor<Element>, animation: Animation,
    sectionBy: KeyPath<Element, String>
  ) {
    self.init(descriptor, section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models of a request, in sections that may have no title, for views that animate.
  public init(
    _ descriptor: FetchDescriptor<Element>, animation: Animation,
    sectionBy: KeyPath<Element, String?>
  ) {
    self.init(descriptor, section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models of a request, in sections.
  public init(
    _ descriptor: FetchDescriptor<Element>, transaction: Transaction? = nil,
    sectionBy: KeyPath<Element, String>
  ) {
    self.init(descriptor, section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models of a request, in sections that may have no title.
  public init(
    _ descriptor: FetchDescriptor<Element>, transaction: Transaction? = nil,
    sectionBy: KeyPath<Element, String?>
  ) {
    self.init(descriptor, section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models that meet a predicate, in sections, for views that animate.
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    animation: Animation, sectionBy: KeyPath<Element, String>
  ) {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: descriptors),
      section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models that meet a predicate, in sections that may have no title, for views that animate.
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    animation: Animation, sectionBy: KeyPath<Element, String?>
  ) {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: descriptors),
      section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models that meet a predicate, in sections.
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    transaction: Transaction? = nil, sectionBy: KeyPath<Element, String>
  ) {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: descriptors),
      section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models that meet a predicate, in sections that may have no title.
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    transaction: Transaction? = nil, sectionBy: KeyPath<Element, String?>
  ) {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: descriptors),
      section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models that meet a predicate, ordered by a property, in sections, for views that animate.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
    order: SortOrder = .forward, animation: Animation, sectionBy: KeyPath<Element, String>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models that meet a predicate, ordered by a property, in sections that may have no title, for views that animate.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
    order: SortOrder = .forward, animation: Animation, sectionBy: KeyPath<Element, String?>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models that meet a predicate, ordered by a property, in sections.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
    order: SortOrder = .forward, transaction: Transaction? = nil,
    sectionBy: KeyPath<Element, String>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models that meet a predicate, ordered by a property, in sections that may have no title.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
    order: SortOrder = .forward, transaction: Transaction? = nil,
    sectionBy: KeyPath<Element, String?>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models that meet a predicate, ordered by an optional property, in sections, for views that animate.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
    order: SortOrder = .forward, animation: Animation, sectionBy: KeyPath<Element, String>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models that meet a predicate, ordered by an optional property, in sections that may have no title, for views that animate.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
    order: SortOrder = .forward, animation: Animation, sectionBy: KeyPath<Element, String?>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models that meet a predicate, ordered by an optional property, in sections.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
    order: SortOrder = .forward, transaction: Transaction? = nil,
    sectionBy: KeyPath<Element, String>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }

  /// Fetches the models that meet a predicate, ordered by an optional property, in sections that may have no title.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
    order: SortOrder = .forward, transaction: Transaction? = nil,
    sectionBy: KeyPath<Element, String?>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.sections })
  }
}
