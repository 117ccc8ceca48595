package import Foundation

extension BinaryPlist {
  /// Writes equal texts and equal integers once, and sorts keys, so that equal values give equal
  /// bytes.
  package static func encode(_ value: PropertyList) throws(FormatError) -> Data {
    var objects = Objects()
    _ = try objects.add(value, depth: 0)
    var writer = PlistWriter(objectCount: objects.all.count)
    for object in objects.all {
      switch object {
      case .scalar(.bool(let flag)): writer.bool(flag)
      case .scalar(.integer(let number)): writer.integer(number)
      case .scalar(.unsigned(let number)): writer.unsigned(number)
      case .scalar(.real(let number)): writer.real(number)
      case .scalar(.date(let seconds)): writer.date(seconds)
      case .scalar(.data(let data)): writer.data(data)
      case .scalar(.string(let text)): writer.string(text)
      case .scalar(.uid(let index)): writer.uid(index)
      case .array(let elements): writer.array(elements)
      case .dictionary(let keys, let values): writer.dictionary(keys: keys, values: values)
      case .scalar(.array), .scalar(.dictionary): break
      }
    }
    return writer.finish()
  }

  /// The objects of a list in the order in which they are written.
  private struct Objects {
    enum Object {
      case scalar(PropertyList)
      case array([Int])
      case dictionary([Int], [Int])
    }

    private(set) var all: [Object] = []
    private var shared = UniquedValues()

    mutating func add(_ value: PropertyList, depth: Int) throws(FormatError) -> Int {
      guard depth < deepest else {
        throw FormatError("The value is nested more than \(deepest) levels deep.")
      }
      let index = all.count
      switch value {
      case .array(let elements):
        all.append(.array([]))
        var references: [Int] = []
        for element in elements { references.append(try add(element, depth: depth + 1)) }
        all[index] = .array(references)
      case .dictionary(let entries):
        all.append(.dictionary([], []))
        var (keys, values): ([Int], [Int]) = ([], [])
        let names = Array(entries.keys).inCodePointOrder
        for name in names { keys.append(try add(.string(name), depth: depth + 1)) }
        for name in names {
          if let entry = entries[name] { values.append(try add(entry, depth: depth + 1)) }
        }
        all[index] = .dictionary(keys, values)
      case .string, .bool, .integer, .unsigned, .uid, .real, .date, .data:
        if let earlier = shared.earlierIndex(of: value, or: index) { return earlier }
        all.append(.scalar(value))
      }
      return index
    }
  }
}
