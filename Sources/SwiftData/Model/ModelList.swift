/// Models in order, each once. Finding, adding, removing and restoring a model take constant time.
///
/// The models are a doubly linked list in one array, so a removal moves no other model, and a
/// removed one can return to its position. Searches visit one model after the other, until they
/// have visited several times the number of models; from then on an index by identity is used. A
/// list that is only read, or changed once, needs no index.
package struct ModelList {
  fileprivate struct Node {
    /// nil while the node is free.
    var model: (any PersistentModel)?
    var previous: Int32
    /// The next model's node, or the next free one; -1 at the end.
    var next: Int32
  }

  /// The position of a model in a list: the model before it.
  package enum Position {
    case unknown
    case first
    case after(any PersistentModel)
  }

  package private(set) var count = 0
  private var nodes: ContiguousArray<Node> = []
  private var firstNode: Int32 = -1
  private var lastNode: Int32 = -1
  private var firstFree: Int32 = -1
  private var index: [ObjectIdentifier: Int32]?
  /// How many models searches have visited.
  package private(set) var visits = 0

  package init() {}

  /// - Precondition: No model is in `models` twice.
  package init(_ models: some Collection<any PersistentModel>) {
    nodes.reserveCapacity(models.count)
    for model in models {
      nodes.append(Node(model: model, previous: Int32(count) - 1, next: Int32(count) + 1))
      count += 1
    }
    guard count > 0 else { return }
    nodes[count - 1].next = -1
    firstNode = 0
    lastNode = Int32(count) - 1
  }

  package var isEmpty: Bool { count == 0 }

  package var first: (any PersistentModel)? { model(firstNode) }

  package var last: (any PersistentModel)? { model(lastNode) }

  /// The model before the last one.
  package var lastButOne: (any PersistentModel)? {
    lastNode < 0 ? nil : model(nodes[Int(lastNode)].previous)
  }

  package mutating func contains(_ model: any PersistentModel) -> Bool { node(of: model) != nil }

  /// The model with this object identity.
  package mutating func model(_ identity: ObjectIdentifier) -> (any PersistentModel)? {
    node(of: identity).flatMap { model($0) }
  }

  /// - Precondition: The model is not in the list.
  package mutating func append(_ model: any PersistentModel) {
    link(newNode(model), after: lastNode)
  }

  /// - Precondition: The model is not in the list.
  package mutating func insert(_ model: any PersistentModel, at position: Position) {
    let previous = node(before: position)
    link(newNode(model), after: previous)
  }

  /// - Returns: The earlier position of the model; nil if it is not in the list.
  @discardableResult
  package mutating func remove(_ model: any PersistentModel) -> Position? {
    guard let node = node(of: model) else { return nil }
    let previous = unlink(node)
    index?[ObjectIdentifier(model)] = nil
    nodes[Int(node)] = Node(model: nil, previous: -1, next: firstFree)
    firstFree = node
    if count == 0 { self = ModelList() }
    return previous < 0 ? .first : self.model(previous).map { .after($0) } ?? .unknown
  }

  /// Moves a model that is in the list.
  package mutating func move(_ model: any PersistentModel, to position: Position) {
    if case .unknown = position { return }
    if case .after(let previous) = position, previous === model || !contains(previous) { return }
    guard let node = node(of: model) else { return }
    _ = unlink(node)
    link(node, after: self.node(before: position))
  }

  package mutating func removeAll(where isRemoved: (any PersistentModel) -> Bool) {
    guard contains(where: isRemoved) else { return }
    self = ModelList(filter { !isRemoved($0) })
  }

  /// A copy that takes the index; this list creates another one when it needs it.
  mutating func copyWithIndex() -> ModelList {
    let copy = self
    index = nil
    visits = 0
    return copy
  }
}

// MARK: Nodes

extension ModelList {
  private func model(_ node: Int32) -> (any PersistentModel)? {
    node < 0 ? nil : nodes[Int(node)].model
  }

  private mutating func node(of model: any PersistentModel) -> Int32? {
    if let index { return index[ObjectIdentifier(model)] }
    return node(of: ObjectIdentifier(model))
  }

  private mutating func node(of identity: ObjectIdentifier) -> Int32? {
    if let index { return index[identity] }
    func isModel(_ node: Int32) -> Bool {
      nodes[Int(node)].model.map { ObjectIdentifier($0) } == identity
    }
    // The last model is searched for most often.
    if lastNode < 0 || isModel(lastNode) { return lastNode < 0 ? nil : lastNode }
    var node = firstNode
    while node >= 0, !isModel(node) {
      visits += 1
      node = nodes[Int(node)].next
    }
    if count > 16, visits > 4 * count { makeIndex() }
    return node < 0 ? nil : node
  }

  private mutating func makeIndex() {
    var made = [ObjectIdentifier: Int32](minimumCapacity: count)
    for (position, node) in nodes.enumerated() {
      if let model = node.model { made[ObjectIdentifier(model)] = Int32(position) }
    }
    index = made
    visits += count
  }

  /// - Returns: -1 for the beginning.
  private mutating func node(before position: Position) -> Int32 {
    switch position {
    case .unknown: lastNode
    case .first: -1
    case .after(let model): node(of: model) ?? lastNode
    }
  }

  private mutating func newNode(_ model: any PersistentModel) -> Int32 {
    let node: Int32
    if firstFree >= 0 {
      node = firstFree
      firstFree = nodes[Int(node)].next
      nodes[Int(node)].model = model
    } else {
      node = Int32(nodes.count)
      nodes.append(Node(model: model, previous: -1, next: -1))
    }
    index?[ObjectIdentifier(model)] = node
    return node
  }

  private mutating func link(_ node: Int32, after previous: Int32) {
    let next = previous < 0 ? firstNode : nodes[Int(previous)].next
    nodes[Int(node)].previous = previous
    nodes[Int(node)].next = next
    if previous < 0 { firstNode = node } else { nodes[Int(previous)].next = node }
    if next < 0 { lastNode = node } else { nodes[Int(next)].previous = node }
    count += 1
  }

  /// - Returns: The node before it.
  private mutating func unlink(_ node: Int32) -> Int32 {
    let (previous, next) = (nodes[Int(node)].previous, nodes[Int(node)].next)
    if previous < 0 { firstNode = next } else { nodes[Int(previous)].next = next }
    if next < 0 { lastNode = previous } else { nodes[Int(next)].previous = previous }
    count -= 1
    return previous
  }
}

extension ModelList: Sequence {
  package struct Iterator: IteratorProtocol {
    fileprivate let nodes: ContiguousArray<Node>
    fileprivate var node: Int32

    package mutating func next() -> (any PersistentModel)? {
      guard node >= 0 else { return nil }
      defer { node = nodes[Int(node)].next }
      return nodes[Int(node)].model
    }
  }

  package func makeIterator() -> Iterator { Iterator(nodes: nodes, node: firstNode) }

  package var underestimatedCount: Int { count }

  /// Whether both have the same models in the same order.
  package func isSame(as other: ModelList) -> Bool {
    count == other.count && elementsEqual(other) { $0 === $1 }
  }
}

// MARK: Invariants

extension ModelList {
  /// Links connect all models in both directions, and the index agrees with them.
  func _invariantCheck() {
    #if OPENSWIFTDATA_INVARIANTS
      // Checking a long list after each of its changes would make tests too slow.
      guard count <= 64 || count & (count - 1) == 0 else { return }
      var (node, previous, seen) = (firstNode, Int32(-1), Set<ObjectIdentifier>())
      while node >= 0 {
        let entry = nodes[Int(node)]
        precondition(entry.previous == previous, "A link of a model list is wrong.")
        guard let model = entry.model else { preconditionFailure("A free node is linked.") }
        precondition(seen.insert(ObjectIdentifier(model)).inserted, "A model is in a list twice.")
        if let index {
          precondition(index[ObjectIdentifier(model)] == node, "A model list has a wrong index.")
        }
        (previous, node) = (node, entry.next)
      }
      precondition(previous == lastNode && seen.count == count, "The end of a model list is wrong.")
      precondition(index == nil || index?.count == count, "An index has models without a node.")
      let free = nodes.count { $0.model == nil }
      precondition(free + count == nodes.count, "The node count of a model list is wrong.")
    #endif
  }
}
