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
  }

  static let root = 0

  private(set) var nodes = [Node()]
  let leaves: [CompositeLeaf]

  init(_ leaves: [CompositeLeaf]) {
    self.leaves = leaves
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
    }
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
