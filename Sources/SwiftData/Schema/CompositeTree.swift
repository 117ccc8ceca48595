/// The leaves of a composite as a tree of coding keys.
struct CompositeTree: Sendable {
  struct Node: Sendable {
    /// The leaf at this place.
    var leaf: Int?
    var children: [String: Int] = [:]
    /// All leaves at and below this place.
    var leaves: [Int] = []
  }

  static let root = 0

  private(set) var nodes = [Node()]
  let leaves: [CompositeLeaf]

  init(_ leaves: [CompositeLeaf]) {
    self.leaves = leaves
    for (index, leaf) in leaves.enumerated() {
      var place = Self.root
      nodes[place].leaves.append(index)
      for key in leaf.codingPath {
        if let child = nodes[place].children[key] {
          place = child
        } else {
          nodes.append(Node())
          nodes[place].children[key] = nodes.count - 1
          place = nodes.count - 1
        }
        nodes[place].leaves.append(index)
      }
      nodes[place].leaf = index
    }
  }

  func child(of place: Int, for key: any CodingKey) -> Int? {
    nodes[place].children[key.stringValue]
  }

  func form(at place: Int) -> LeafForm? {
    nodes[place].leaf.map { leaves[$0].form }
  }
}
