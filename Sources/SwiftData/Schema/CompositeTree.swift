/// The leaves of a composite as a tree of coding keys.
struct CompositeTree: Sendable {
  struct Node: Sendable {
    var leaf: Int?
    var children: [String: Int] = [:]
    /// All leaves of this node and of nodes below it.
    var leaves: [Int] = []
    var parent = 0
    /// Set for a case of an enum that stores nothing if all its values are absent.
    var emptyCase: CompositeLeaf.EmptyCase?
    /// Whether a value is in one of the columns if it was encoded. Only a NaN is stored as null.
    var isVisible = false
  }

  static let root = 0

  /// A part of which a column has a value whenever the value around it is present.
  struct RequiredPart: Sendable {
    let codingPath: [String]
    let leaves: [Int]
    /// The number of coding keys to the innermost optional value around the part, and its leaves.
    let optional: (depth: Int, leaves: [Int])?
  }

  private(set) var nodes = [Node()]
  private(set) var requiredParts: [RequiredPart] = []
  let leaves: [CompositeLeaf]

  init(_ leaves: [CompositeLeaf]) {
    self.leaves = leaves
    var leafNodes: [Int] = []
    for (index, leaf) in leaves.enumerated() {
      var position = Self.root
      nodes[position].leaves.append(index)
      for (depth, key) in leaf.codingPath.enumerated() {
        if let child = nodes[position].children[key] {
          position = child
        } else {
          nodes.append(Node())
          nodes[position].children[key] = nodes.count - 1
          nodes[nodes.count - 1].parent = position
          position = nodes.count - 1
        }
        let remaining = leaf.codingPath.count - depth - 1
        if let emptyCase = leaf.emptyCases.first(where: { $0.depth == remaining }) {
          nodes[position].emptyCase = emptyCase
        }
        nodes[position].leaves.append(index)
      }
      nodes[position].leaf = index
      leafNodes.append(position)
    }
    for (leaf, position) in zip(leaves, leafNodes) { noteVisible(leaf, at: position) }
    requiredParts = nodes.indices.dropFirst().compactMap(requiredPart)
  }

  /// Marks the nodes from a leaf upwards, as far as the leaf has a value if the node has one.
  private mutating func noteVisible(_ leaf: CompositeLeaf, at position: Int) {
    var (position, depth) = (position, leaf.codingPath.count)
    while depth > leaf.optionalDepth ?? 0 {
      nodes[position].isVisible = true
      position = nodes[position].parent
      // Another case of the enum may have no column.
      if leaf.form == .enumCase, depth == leaf.codingPath.count, !emptyCases(of: position).isEmpty {
        return
      }
      depth -= 1
    }
  }

  /// Whether the node is a case of an enum, or inside of one.
  func isInCase(_ position: Int) -> Bool {
    form(at: position) == .enumCase
      || nodes[position].leaves.allSatisfy { leaves[$0].isInPayload }
  }

  /// A visible leaf or enum.
  private func requiredPart(at position: Int) -> RequiredPart? {
    let node = nodes[position]
    guard node.isVisible, !isInCase(position), node.children.values.allSatisfy(isInCase) else {
      return nil
    }
    let path = leaves[node.leaves[0]].codingPath.prefix(depth(of: position))
    let optionalDepth = node.leaves.compactMap {
      leaves[$0].isInPayload ? nil : leaves[$0].optionalDepth
    }.min()
    let optional = optionalDepth.map { depth in
      let prefix = path.prefix(depth)
      return (
        depth, leaves.indices.filter { leaves[$0].codingPath.starts(with: prefix) }
      )
    }
    return RequiredPart(codingPath: Array(path), leaves: node.leaves, optional: optional)
  }

  /// The number of coding keys that lead to a node.
  func depth(of position: Int) -> Int {
    position == Self.root ? 0 : 1 + depth(of: nodes[position].parent)
  }

  func child(of position: Int, for key: any CodingKey) -> Int? {
    nodes[position].children[key.stringValue]
  }

  /// The cases of an enum that may be empty.
  func emptyCases(of position: Int) -> [String] {
    nodes[position].children.filter { nodes[$1].emptyCase != nil }.map(\.key)
  }

  func form(at position: Int) -> LeafStorageForm? {
    nodes[position].leaf.map { leaves[$0].form }
  }
}
