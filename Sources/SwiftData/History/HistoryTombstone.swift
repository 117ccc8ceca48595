/// The preserved values of a deleted model: those of attributes with `.preserveValueOnDeletion`.
public struct HistoryTombstone<Model> where Model: PersistentModel {
  private let values: [(keyPath: PartialKeyPath<Model>, value: any Sendable)]

  /// Creates the preserved values of a deleted model, for the history of a custom store.
  ///
  /// Not in Apple's framework, where only the default store makes tombstones.
  /// - Parameter values: The values by property; empty if none is preserved.
  public init(_ values: [(keyPath: PartialKeyPath<Model>, value: any Sendable)] = []) {
    self.values = values
  }

  /// The value of a property; `nil` if it was not preserved or was `nil`.
  public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
    values.first { $0.keyPath == keyPath }?.value
  }
}

/// Safe: key paths are immutable, and the values are sendable.
extension HistoryTombstone: @unchecked Sendable {}

extension HistoryTombstone: Sequence {
  /// A preserved value.
  public typealias Element = Any

  /// Iterates over the preserved values.
  public struct Iterator: IteratorProtocol {
    /// A preserved value.
    public typealias Element = Any

    private var values: IndexingIterator<[any Sendable]>

    fileprivate init(_ values: [any Sendable]) {
      self.values = values.makeIterator()
    }

    /// The next value.
    public mutating func next() -> Any? {
      values.next()
    }
  }

  /// Iterates over the values in the order of their properties.
  public func makeIterator() -> HistoryTombstone<Model>.Iterator {
    Iterator(values.map(\.value))
  }
}
