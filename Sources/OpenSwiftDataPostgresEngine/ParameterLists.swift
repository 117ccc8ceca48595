/// The values of many rows, as one list for each column: for statements that read their rows with
/// `unnest`.
package struct ParameterLists {
  private struct List {
    /// The elements in their binary form, each after its length.
    var elements: [UInt8] = []
    var hasNulls = false
  }

  private var lists: [List]
  /// The number of rows.
  package private(set) var count = 0

  package init(columnCount: Int) {
    lists = Array(repeating: List(), count: columnCount)
  }

  /// The size of the values in bytes.
  package var size: Int { lists.reduce(0) { $0 + $1.elements.count } }

  /// Copies the values of a row.
  package mutating func append(_ row: ParameterBuffer) throws {
    var column = 0
    try row.forEachField { field in
      if let field {
        lists[column].elements.appendBigEndian(Int32(field.count))
        lists[column].elements.append(contentsOf: field)
      } else {
        lists[column].elements.appendBigEndian(-1 as Int32)
        lists[column].hasNulls = true
      }
      column += 1
    }
    count += 1
  }

  fileprivate func write(_ index: Int, of element: PostgresType, to bytes: inout [UInt8]) {
    bytes.appendArrayHeader(element, count: count, hasNulls: lists[index].hasNulls)
    bytes += lists[index].elements
  }
}

extension ParameterBuffer {
  /// Binds all parameters, which are arrays.
  package mutating func bind(_ lists: ParameterLists) throws {
    for (index, type) in types.enumerated() {
      guard let element = type.element else { throw failure("\(type) is no array", index) }
      try set(index) { lists.write(index, of: element, to: &$0) }
    }
  }
}
