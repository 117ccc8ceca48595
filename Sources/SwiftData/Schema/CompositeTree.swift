/// The leaves of a composite as a tree of coding keys.
struct CompositeTree: Sendable {
  struct Node: Sendable {
    /// The leaf at this place.
    var leaf: Int?
    var children: [String: Int] = [:]
    /// All leaves at and below this place.
    var leaves: [Int] = []
    var parent = 0
    /// Set for a case of an enum of which nothing is stored where all its values are absent.
    var emptyCase: CompositeLeaf.EmptyCase?
  }

  static let root = 0

  private(set) var nodes = [Node()]
  let leaves: [CompositeLeaf]

  init(_ leaves: [CompositeLeaf]) {
    self.leaves = leaves
    for (index, leaf) in leaves.enumerated() {
      var place = Self.root
      nodes[place].leaves.append(index)
      for (depth, key) in leaf.codingPath.enumerated() {
        if let child = nodes[place].children[key] {
          place = child
        } else {
          nodes.append(Node())
          nodes[place].children[key] = nodes.count - 1
          nodes[nodes.count - 1].parent = place
          place = nodes.count - 1
        }
        let remaining = leaf.codingPath.count - depth - 1
        if let emptyCase = leaf.emptyCases.first(where: { $0.depth == remaining }) {
          nodes[place].emptyCase = emptyCase
        }
        nodes[place].leaves.append(index)
      }
      nodes[place].leaf = index
    }
  }

  func child(of place: Int, for key: any CodingKey) -> Int? {
    nodes[place].children[key.stringValue]
  }

  /// The cases of an enum that may be empty.
  func emptyCases(of place: Int) -> [String] {
    nodes[place].children.filter { nodes[$1].emptyCase != nil }.map(\.key)
  }

  func form(at place: Int) -> LeafForm? {
    nodes[place].leaf.map { leaves[$0].form }
  }
}
