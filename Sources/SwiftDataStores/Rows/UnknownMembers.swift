/// The members of objects in a value that its type does not have, as the document has them. A newer
/// program may have written them.
///
/// A member is known if the type encodes it, or if it is one of the keys with which the type asks for its members,
/// whether it reads it or not. In doubt, as in a list whose elements are not decoded one by one, members are known.
struct UnknownMembers: Hashable, Sendable {
  /// Those of the value itself.
  private var members: [String: DocumentValue] = [:]
  /// Those of its parts, by the name of a member or the index of an element.
  private var parts: [String: UnknownMembers] = [:]
  /// For the list of a set or dictionary: how many adjacent elements belong together.
  private var stride: Int?

  var isEmpty: Bool { members.isEmpty && parts.isEmpty }

  private init() {}

  /// - Parameters:
  ///   - found: The value in the document.
  ///   - value: The same value as its type encodes it.
  ///   - read: What its type reads of it.
  init(in found: DocumentValue, encodedAs value: DocumentValue, read: ReadMembers) {
    switch (found, value) {
    case (.object(let found), .object(let values)):
      guard let keys = read.keys else { return }
      for (name, member) in found {
        if !keys.contains(name) {
          if values[name] == nil { members[name] = member }
        } else if let value = values[name], let read = read.parts[name] {
          set(UnknownMembers(in: member, encodedAs: value, read: read), of: name)
        }
      }
    case (.list(let found), .list(let values)):
      stride = read.stride
      let parts = found.indices.map { read.parts["\($0)"] }
      let (positions, _) = Self.positions(of: parts.map { $0?.encoding }, in: values)
      for (index, position) in positions.enumerated() {
        guard let position, let read = parts[index] else { continue }
        set(
          UnknownMembers(in: found[index], encodedAs: values[position], read: read),
          of: "\(position)")
      }
    default: break
    }
  }

  private mutating func set(_ part: UnknownMembers, of name: String) {
    if !part.isEmpty { parts[name] = part }
  }

  /// The value with these members.
  func added(to value: DocumentValue) -> DocumentValue {
    switch value {
    case .object(var values):
      for (name, part) in parts { values[name] = values[name].map(part.added) }
      return .object(values.merging(members) { known, _ in known })
    case .list(let values):
      return .list(
        values.enumerated().map { index, value in parts["\(index)"]?.added(to: value) ?? value })
    default: return value
    }
  }

  /// Those that stay when a value is changed. The members of an element of a list follow the element. If elements
  /// change themselves, they keep the members if all other elements are where they were.
  /// - Parameter isAmbiguous: Becomes true if it can't be told whether an element is gone or changed.
  func moved(
    from old: DocumentValue, to new: DocumentValue, isAmbiguous: inout Bool
  ) -> UnknownMembers {
    var moved = UnknownMembers()
    moved.stride = stride
    switch (old, new) {
    case (.object(let old), .object(let new)):
      moved.members = members
      for (name, part) in parts {
        guard let old = old[name], let new = new[name] else { continue }
        moved.set(part.moved(from: old, to: new, isAmbiguous: &isAmbiguous), of: name)
      }
    case (.list(let old), .list(let new)) where stride == 2:
      let keys = Swift.stride(from: 0, to: new.count - 1, by: 2).map { (new[$0], $0) }
      let positions = Dictionary(keys) { first, _ in first }
      for (index, value) in old.enumerated() {
        guard let part = parts["\(index)"], let key = positions[old[index & ~1]] else { continue }
        let position = key + index & 1
        moved.set(
          part.moved(from: value, to: new[position], isAmbiguous: &isAmbiguous), of: "\(position)")
      }
    case (.list(let old), .list(let new)):
      let (positions, hasOthers) = Self.positions(of: old, in: new)
      let isInPlace =
        stride == nil && old.count == new.count
        && positions.enumerated().allSatisfy { $1 == nil || $1 == $0 }
      for (index, value) in old.enumerated() {
        guard let part = parts["\(index)"] else { continue }
        if let position = positions[index] {
          moved.set(part, of: "\(position)")
        } else if isInPlace {
          moved.set(
            part.moved(from: value, to: new[index], isAmbiguous: &isAmbiguous), of: "\(index)")
        } else if hasOthers {
          isAmbiguous = true
        }
      }
    default: break
    }
    return moved
  }

  /// Where the elements of a list are in another one. Of equal elements those at the beginning, at the end and at the
  /// same index are found, and one that has no equal in its list.
  /// - Returns: The positions, and whether the other list has further elements.
  private static func positions(
    of old: [DocumentValue?], in new: [DocumentValue]
  ) -> (positions: [Int?], hasOthers: Bool) {
    var positions = [Int?](repeating: nil, count: old.count)
    var free = Set(new.indices)
    func pair(_ index: Int, _ position: Int) -> Bool {
      guard old[index] == new[position] else { return false }
      if positions[index] == nil, free.remove(position) != nil { positions[index] = position }
      return true
    }
    let count = min(old.count, new.count)
    _ = (0..<count).first { !pair($0, $0) }
    _ = (1..<count + 1).first { !pair(old.count - $0, new.count - $0) }
    if old.count == new.count { for index in old.indices { _ = pair(index, index) } }
    let places = Dictionary(grouping: free) { new[$0] }
    let left = Dictionary(grouping: old.indices.filter { positions[$0] == nil }) { old[$0] }
    for (value, indices) in left where indices.count == 1 {
      if let value, let found = places[value], found.count == 1 { _ = pair(indices[0], found[0]) }
    }
    return (positions, !free.isEmpty)
  }
}

/// What a type reads of a value.
final class ReadMembers {
  /// The keys of its members that are keys of the type, in the containers that it asked for; `nil` if it asked for
  /// none.
  private(set) var keys: Set<String>?
  private(set) var parts: [String: ReadMembers] = [:]
  /// How many adjacent elements belong together if the type is a set or dictionary.
  var stride: Int?
  /// An element of a list as its type encodes it.
  var encoding: DocumentValue?

  func addKeys(_ names: some Sequence<String>) { keys = (keys ?? []).union(names) }

  /// Notes that a member is read.
  func part(_ name: String) -> ReadMembers {
    keys?.insert(name)
    if let part = parts[name] { return part }
    let part = ReadMembers()
    parts[name] = part
    return part
  }
}

extension DocumentValue {
  /// Whether objects in the value have members that those of another value lack.
  func hasMembers(besides other: DocumentValue) -> Bool {
    switch (self, other) {
    case (.object(let values), .object(let others)):
      values.contains { name, value in
        others[name].map(value.hasMembers(besides:)) ?? true
      }
    case (.list(let values), .list(let others)):
      values.count != others.count
        || zip(values, others).contains { $0.hasMembers(besides: $1) }
    default: false
    }
  }
}
