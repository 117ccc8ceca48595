/// What leads from one list of results to the next: which models were removed, inserted, moved and
/// updated.
///
/// Not in Apple's framework. It names models by their identifiers, so it can be encoded and sent to a user
/// interface in another process or a browser.
///
/// ```swift
/// let difference = ResultsDifference(from: shown, to: current, updated: changed)
/// let message = try JSONEncoder().encode(difference)
/// ```
///
/// Offsets of what is removed, and those from which models move, are places in the old list; all others are
/// places in the new one. Who changes a list in place takes out the former, last one first, then
/// puts in the latter, first one first, as ``applying(to:)`` does. Moves are as few as possible.
public struct ResultsDifference: Codable, Hashable, Sendable {
  /// A model at a place.
  public struct Element: Codable, Hashable, Sendable {
    /// The place in the old list for a removed model, in the new list for others.
    public let offset: Int
    /// The model.
    public let identifier: PersistentIdentifier

    /// A model at a place.
    /// - Parameters:
    ///   - offset: The place in the old list for a removed model, in the new list for others.
    ///   - identifier: The model.
    public init(offset: Int, identifier: PersistentIdentifier) {
      self.offset = offset
      self.identifier = identifier
    }
  }

  /// A model that is in both lists, at another place among the others.
  public struct Move: Codable, Hashable, Sendable {
    /// The place in the old list.
    public let source: Int
    /// The place in the new list.
    public let destination: Int
    /// The model.
    public let identifier: PersistentIdentifier
  }

  /// The models that the new list lacks, in the order of the old one.
  public internal(set) var removed: [Element] = []
  /// The models that the old list lacks, in the order of the new one.
  public internal(set) var inserted: [Element] = []
  /// The models that changed places, in the order of the new list.
  public internal(set) var moved: [Move] = []
  /// The models in both lists whose properties were changed, in the order of the new one; moved models may
  /// be among them.
  public internal(set) var updated: [Element] = []

  init() {}

  /// Whether the lists are the same and no model was updated.
  public var isEmpty: Bool {
    removed.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty
  }

  /// Makes the new list from the old one.
  /// - Parameter identifiers: The old list.
  /// - Returns: `nil` where the difference is not one of this list: a model that is removed or moved is not
  ///   at its place, or a place is outside of the list.
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
    /// Takes old ones that stay, until the new list has a number of models.
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
