public import Foundation

// Queries for the models that match, as a list. Animations and transactions mean something to SwiftUI only.

extension Query where Result == [Element] {
  /// Fetches the models of a request, for views that animate changes.
  public init(_ descriptor: FetchDescriptor<Element>, animation: Animation) {
    self.init(descriptor, result: { $0.elements })
  }

  /// Fetches the models of a request.
  public init(_ descriptor: FetchDescriptor<Element>, transaction: Transaction? = nil) {
    self.init(descriptor, result: { $0.elements })
  }

  /// Fetches the models that meet a predicate, for views that animate changes.
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    animation: Animation
  ) {
    self.init(FetchDescriptor(predicate: filter, sortBy: descriptors), result: { $0.elements })
  }

  /// Fetches the models that meet a predicate.
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    transaction: Transaction? = nil
  ) {
    self.init(FetchDescriptor(predicate: filter, sortBy: descriptors), result: { $0.elements })
  }

  /// Fetches the models that meet a predicate, ordered by a property, for views that animate changes.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
    order: SortOrder = .forward, animation: Animation
  ) {
    self.init(FetchDescriptor(filter, by: keyPath, order), result: { $0.elements })
  }

  /// Fetches the models that meet a predicate, ordered by a property.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
    order: SortOrder = .forward, transaction: Transaction? = nil
  ) {
    self.init(FetchDescriptor(filter, by: keyPath, order), result: { $0.elements })
  }

  /// Fetches the models that meet a predicate, ordered by an optional property, for views that animate changes.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
    order: SortOrder = .forward, animation: Animation
  ) {
    self.init(FetchDescriptor(filter, by: keyPath, order), result: { $0.elements })
  }

  /// Fetches the models that meet a predicate, ordered by an optional property.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
    order: SortOrder = .forward, transaction: Transaction? = nil
  ) {
    self.init(FetchDescriptor(filter, by: keyPath, order), result: { $0.elements })
  }
}
