public import Foundation

// Queries for a list of models that has sections too, which ``Query/sections`` returns.

extension Query where Result == [Element] {
  /// Fetches the models of a request, in sections, for views that animate.
  @_disfavoredOverload
  public init(
    _ descriptor: FetchDescriptor<Element>, animation: Animation,
    sectionBy: KeyPath<Element, String>
  ) {
    self.init(descriptor, section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models of a request, in sections that may have no title, for views that animate.
  @_disfavoredOverload
  public init(
    _ descriptor: FetchDescriptor<Element>, animation: Animation,
    sectionBy: KeyPath<Element, String?>
  ) {
    self.init(descriptor, section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models of a request, in sections.
  @_disfavoredOverload
  public init(
    _ descriptor: FetchDescriptor<Element>, transaction: Transaction? = nil,
    sectionBy: KeyPath<Element, String>
  ) {
    self.init(descriptor, section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models of a request, in sections that may have no title.
  @_disfavoredOverload
  public init(
    _ descriptor: FetchDescriptor<Element>, transaction: Transaction? = nil,
    sectionBy: KeyPath<Element, String?>
  ) {
    self.init(descriptor, section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models that meet a predicate, in sections, for views that animate.
  @_disfavoredOverload
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    animation: Animation, sectionBy: KeyPath<Element, String>
  ) {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: descriptors),
      section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models that meet a predicate, in sections that may have no title, for views that animate.
  @_disfavoredOverload
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    animation: Animation, sectionBy: KeyPath<Element, String?>
  ) {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: descriptors),
      section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models that meet a predicate, in sections.
  @_disfavoredOverload
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    transaction: Transaction? = nil, sectionBy: KeyPath<Element, String>
  ) {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: descriptors),
      section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models that meet a predicate, in sections that may have no title.
  @_disfavoredOverload
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    transaction: Transaction? = nil, sectionBy: KeyPath<Element, String?>
  ) {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: descriptors),
      section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models that meet a predicate, ordered by a property, in sections, for views that animate.
  @_disfavoredOverload
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
    order: SortOrder = .forward, animation: Animation, sectionBy: KeyPath<Element, String>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models that meet a predicate, ordered by a property, in sections that may have no title, for views that animate.
  @_disfavoredOverload
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
    order: SortOrder = .forward, animation: Animation, sectionBy: KeyPath<Element, String?>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models that meet a predicate, ordered by a property, in sections.
  @_disfavoredOverload
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
    order: SortOrder = .forward, transaction: Transaction? = nil,
    sectionBy: KeyPath<Element, String>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models that meet a predicate, ordered by a property, in sections that may have no title.
  @_disfavoredOverload
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
    order: SortOrder = .forward, transaction: Transaction? = nil,
    sectionBy: KeyPath<Element, String?>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models that meet a predicate, ordered by an optional property, in sections, for views that animate.
  @_disfavoredOverload
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
    order: SortOrder = .forward, animation: Animation, sectionBy: KeyPath<Element, String>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models that meet a predicate, ordered by an optional property, in sections that may have no title, for views that animate.
  @_disfavoredOverload
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
    order: SortOrder = .forward, animation: Animation, sectionBy: KeyPath<Element, String?>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models that meet a predicate, ordered by an optional property, in sections.
  @_disfavoredOverload
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
    order: SortOrder = .forward, transaction: Transaction? = nil,
    sectionBy: KeyPath<Element, String>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }

  /// Fetches the models that meet a predicate, ordered by an optional property, in sections that may have no title.
  @_disfavoredOverload
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
    order: SortOrder = .forward, transaction: Transaction? = nil,
    sectionBy: KeyPath<Element, String?>
  ) {
    self.init(
      FetchDescriptor(filter, by: keyPath, order),
      section: { try SectionProperty(sectionBy) }, result: { $0.elements })
  }
}
