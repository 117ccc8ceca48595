/// The difference between two lists of results: removed, inserted, moved and updated models.
///
/// Not in Apple's framework. Models are named by their identifiers, so a difference can be encoded
/// and sent to a user interface in another process or a browser.
///
/// ```swift
/// let difference = ResultsDifference(from: shown, to: current, updated: changed)
/// let message = try JSONEncoder().encode(difference)
/// ```
///
/// Offsets of removed models, and the sources of moves, are positions in the old list; all others
/// are positions in the new one. To change a list in place, remove the models at the former, the
/// last one first, then insert models at the latter, the first one first, as ``applying(to:)``
/// does. Moves are as few as possible.
public struct ResultsDifference: Codable, Hashable, Sendable {
  /// A model at a position.
  public struct Element: Codable, Hashable, Sendable {
    /// The position in the old list for a removed model, in the new list for other models.
    public let offset: Int
    /// The identifier of the model.
    public let identifier: PersistentIdentifier

    /// Creates a model at a position.
    /// - Parameters:
    ///   - offset: The position in the old list for a removed model, in the new list for other
    ///     models.
    ///   - identifier: The identifier of the model.
    public init(offset: Int, identifier: PersistentIdentifier) {
      self.offset = offset
      self.identifier = identifier
    }
  }

  /// A model that is in both lists, at another position among the others.
  public struct Move: Codable, Hashable, Sendable {
    /// The position in the old list.
    public let source: Int
    /// The position in the new list.
    public let destination: Int
    /// The identifier of the model.
    public let identifier: PersistentIdentifier
  }

  /// The models that are not in the new list, in the order of the old one.
  public internal(set) var removed: [Element] = []
  /// The models that are not in the old list, in the order of the new one.
  public internal(set) var inserted: [Element] = []
  /// The models that moved, in the order of the new list.
  public internal(set) var moved: [Move] = []
  /// The models in both lists whose properties were changed, in the order of the new one; they may
  /// include moved models.
  public internal(set) var updated: [Element] = []

  init() {}

  /// Whether the lists are the same and no model was updated.
  public var isEmpty: Bool {
    removed.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty
  }

  /// Returns the new list for the old one.
  /// - Parameter identifiers: The old list.
  /// - Returns: `nil` if the difference does not fit this list: a removed or moved model is not at
  ///   its position, or a position is outside of the list.
  public func applying(to identifiers: [PersistentIdentifier]) -> [PersistentIdentifier]? {
    let sources =
      removed.map { ($0.offset, $0.identifier) } + moved.map { ($0.source, $0.identifier) }
    let destinations =
      inserted.map { ($0.offset, $0.identifier) } + moved.map { ($0.destination, $0.identifier) }
    let count = identifiers.count - sources.count + destinations.count
    guard count >= 0, sources.allSatisfy({ identifiers.indices.contains($0.0) }),
      destinations.allSatisfy({ (0..<count).contains($0.0) })
    else { return nil }
    var result: [PersistentIdentifier] = []
    result.reserveCapacity(count)
    var next = 0
    var leaving = sources.sorted { $0.0 < $1.0 }[...]
    /// Appends old models that stay, until the new list has `end` models.
    func takeStaying(until end: Int) -> Bool {
      while true {
        while let first = leaving.first, first.0 == next {
          guard next < identifiers.count, identifiers[next] == first.1 else { return false }
          leaving.removeFirst()
          next += 1
        }
        guard result.count < end else { return true }
        let stop = min(leaving.first?.0 ?? identifiers.count, next + end - result.count)
        guard next < stop, stop <= identifiers.count else { return false }
        result += identifiers[next..<stop]
        next = stop
      }
    }
    for (offset, identifier) in destinations.sorted(by: { $0.0 < $1.0 }) {
      guard offset >= result.count, takeStaying(until: offset) else { return nil }
      result.append(identifier)
    }
    guard takeStaying(until: count), leaving.isEmpty, next == identifiers.count else { return nil }
    return result
  }
}
