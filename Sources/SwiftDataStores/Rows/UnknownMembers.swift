/// The members of objects in a value that its type does not have, as the document has them. A newer
/// program may have written them.
struct UnknownMembers: Hashable, Sendable {
  /// Those of the value itself.
  private var members: [String: DocumentValue] = [:]
  /// Those of its parts, by the name of a member or the index of an element.
  private var parts: [String: UnknownMembers] = [:]

  var isEmpty: Bool { members.isEmpty && parts.isEmpty }

  private init() {}

  /// - Parameters:
  ///   - found: The value in the document.
  ///   - value: The same value as its type encodes it.
  ///   - read: What its type reads of it. A member that is read is known, even if the type encodes
  ///     it under another name.
  ///   - isInFoundOrder: Whether indices are those in the document, and not those of the encoded value: a set is
  ///     encoded in another order.
  init(
    in found: DocumentValue, encodedAs value: DocumentValue, read: ReadMembers,
    isInFoundOrder: Bool
  ) {
    func part(
      _ found: DocumentValue, _ value: DocumentValue, _ read: ReadMembers
    ) -> UnknownMembers {
      UnknownMembers(in: found, encodedAs: value, read: read, isInFoundOrder: isInFoundOrder)
    }
    switch (found, value) {
    case (.object(let found), .object(let value)):
      for (name, member) in found {
        switch (read.parts[name], value[name]) {
        case (nil, nil): members[name] = member
        case (let read?, let value?): set(part(member, value, read), of: name)
        default: break
        }
      }
    case (.list(let found), .list(let values)):
      for (index, element) in found.enumerated() {
        guard let read = read.parts["\(index)"] else { continue }
        let isHere = values.indices.contains(index) && element.contains(values[index])
        let position = isHere ? index : values.firstIndex(where: element.contains) ?? index
        guard values.indices.contains(position) else { continue }
        set(
          part(element, values[position], read), of: "\(isInFoundOrder ? index : position)")
      }
    default: break
    }
  }

  private mutating func set(_ part: UnknownMembers, of name: String) {
    if !part.isEmpty { parts[name] = part }
  }

  /// The path to the first of these members.
  var path: [String] {
    if let name = members.keys.min() { return [name] }
    return parts.min { $0.key < $1.key }.map { [$0.key] + $0.value.path } ?? []
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

  /// Those that stay when a value is changed. The members of an element of a list follow the element; if it is
  /// changed itself, they stay at its index, as long as the list has as many elements.
  func moved(from old: DocumentValue, to new: DocumentValue) -> UnknownMembers {
    var moved = UnknownMembers()
    switch (old, new) {
    case (.object(let old), .object(let new)):
      moved.members = members
      for (name, part) in parts {
        guard let old = old[name], let new = new[name] else { continue }
        moved.set(part.moved(from: old, to: new), of: name)
      }
    case (.list(let old), .list(let new)):
      var positions: [DocumentValue: [Int]] = [:]
      var free: Set<Int> = []
      for (index, value) in new.enumerated().reversed()
      where !old.indices.contains(index) || old[index] != value {
        positions[value, default: []].append(index)
        free.insert(index)
      }
      var changed: [(index: Int, part: UnknownMembers)] = []
      for (index, value) in old.enumerated() {
        guard let part = parts["\(index)"] else { continue }
        if new.indices.contains(index), !free.contains(index) {
          moved.set(part, of: "\(index)")
        } else if let position = positions[value]?.popLast() {
          free.remove(position)
          moved.set(part, of: "\(position)")
        } else {
          changed.append((index, part))
        }
      }
      for (index, part) in changed where old.count == new.count && free.contains(index) {
        moved.set(part.moved(from: old[index], to: new[index]), of: "\(index)")
      }
    default: break
    }
    return moved
  }
}

/// The members of objects that a type reads, with those that it reads of their values.
final class ReadMembers {
  private(set) var parts: [String: ReadMembers] = [:]

  /// Notes that a member is read.
  @discardableResult
  func part(_ name: String) -> ReadMembers {
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

  /// Whether the value is another one, except for further members of objects.
  fileprivate func contains(_ other: DocumentValue) -> Bool {
    switch (self, other) {
    case (.object(let values), .object(let others)):
      others.allSatisfy { name, other in values[name]?.contains(other) ?? false }
    case (.list(let values), .list(let others)):
      values.count == others.count && zip(values, others).allSatisfy { $0.contains($1) }
    default: self == other
    }
  }
}
