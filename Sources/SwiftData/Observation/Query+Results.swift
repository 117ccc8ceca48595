public import Foundation

// Queries for the matching models as a list. Animations and transactions have an effect in SwiftUI
// only.

extension Query where Result == [Element] {
  /// Fetches the models of a request; with animation.
  public init(_ descriptor: FetchDescriptor<Element>, animation: _SwiftData_SwiftUI.Animation) {
    self.init(descriptor, result: { $0.elements })
  }

  /// Fetches the models of a request.
  public init(
    _ descriptor: FetchDescriptor<Element>, transaction: _SwiftData_SwiftUI.Transaction? = nil
  ) {
    self.init(descriptor, result: { $0.elements })
  }

  /// Fetches the models that match a predicate; with animation.
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    animation: _SwiftData_SwiftUI.Animation
  ) {
    self.init(FetchDescriptor(predicate: filter, sortBy: descriptors), result: { $0.elements })
  }

  /// Fetches the models that match a predicate.
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    transaction: _SwiftData_SwiftUI.Transaction? = nil
  ) {
    self.init(FetchDescriptor(predicate: filter, sortBy: descriptors), result: { $0.elements })
  }

  /// Fetches the models that match a predicate, sorted by a property; with animation.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
    order: SortOrder = .forward, animation: _SwiftData_SwiftUI.Animation
  ) {
    self.init(FetchDescriptor(filter, by: keyPath, order), result: { $0.elements })
  }

  /// Fetches the models that match a predicate, sorted by a property.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
    order: SortOrder = .forward, transaction: _SwiftData_SwiftUI.Transaction? = nil
  ) {
    self.init(FetchDescriptor(filter, by: keyPath, order), result: { $0.elements })
  }

  /// Fetches the models that match a predicate, sorted by an optional property; with animation.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
    order: SortOrder = .forward, animation: _SwiftData_SwiftUI.Animation
  ) {
    self.init(FetchDescriptor(filter, by: keyPath, order), result: { $0.elements })
  }

  /// Fetches the models that match a predicate, sorted by an optional property.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
    order: SortOrder = .forward, transaction: _SwiftData_SwiftUI.Transaction? = nil
  ) {
    self.init(FetchDescriptor(filter, by: keyPath, order), result: { $0.elements })
  }
}
