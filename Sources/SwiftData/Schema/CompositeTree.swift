/// The leaves of a composite as a tree of coding keys.
struct CompositeTree: Sendable {
  struct Node: Sendable {
    var leaf: Int?
    var children: [String: Int] = [:]
    /// All leaves of this node and of nodes below it.
    var leaves: [Int] = []
    var parent = 0
    /// Set for a case of an enum that has values.
    var payloadCase: CompositeLeaf.PayloadCase?
    /// Whether a value is in one of the columns if it was encoded. Only a NaN is stored as null.
    var isVisible = false
  }

  static let root = 0

  private(set) var nodes = [Node()]
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
        if let payloadCase = leaf.payloadCases.first(where: { $0.depth == remaining }) {
          nodes[position].payloadCase = payloadCase
        }
        nodes[position].leaves.append(index)
      }
      nodes[position].leaf = index
      leafNodes.append(position)
    }
    for (leaf, position) in zip(leaves, leafNodes) { noteVisible(leaf, at: position) }
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

  func child(of position: Int, for key: any CodingKey) -> Int? {
    nodes[position].children[key.stringValue]
  }

  /// The cases of an enum that may be empty.
  func emptyCases(of position: Int) -> [String] {
    nodes[position].children.filter { nodes[$1].payloadCase?.mayBeEmpty == true }.map(\.key)
  }

  func form(at position: Int) -> LeafStorageForm? {
    nodes[position].leaf.map { leaves[$0].form }
  }
}
