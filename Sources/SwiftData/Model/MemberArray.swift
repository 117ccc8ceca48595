import Foundation

/// The members of a to-many as the array that its getter hands out.
///
/// Kept beside the list of members and for as long as that stays as it is, so it keeps no model alive
/// that the list does not. While an accessor lends the array out to be changed in place, the array
/// has one owner, so that an append is an append.
class MemberArray {
  /// Which model is in which place, to see what was changed in an array that was lent.
  fileprivate var identities: ContiguousArray<ObjectIdentifier>?

  fileprivate init() {}

  /// Puts a model behind the others.
  /// - Returns: Whether the array can hold it.
  func append(_ model: any PersistentModel) -> Bool { false }

  func removeLast() {}
}

final class TypedMemberArray<Member: PersistentModel>: MemberArray {
  private(set) var models: [Member]

  init(_ models: [Member]) {
    self.models = models
    super.init()
  }

  override func append(_ model: any PersistentModel) -> Bool {
    guard let member = model as? Member else { return false }
    models.append(member)
    identities?.append(ObjectIdentifier(member))
    return true
  }

  override func removeLast() {
    models.removeLast()
    identities?.removeLast()
  }

  /// Gives the array away, to be changed in place.
  func lend() -> [Member] {
    if identities == nil { identities = ContiguousArray(models.lazy.map(ObjectIdentifier.init)) }
    defer { models = [] }
    return models
  }

  /// Takes a lent array back, which has no other owner then, and finds what was changed in it.
  func takeBack(_ changed: inout [Member]?) -> ArrayDifference {
    models = changed.take() ?? []
    var before = identities.take() ?? []
    let shared = models.withUnsafeBytes { new in
      before.withUnsafeBytes { old in MemberArray.sharedPlaces(old, new) }
    }
    let range = shared.start..<(before.count - shared.end)
    let newRange = shared.start..<(models.count - shared.end)
    let difference = ArrayDifference(
      start: shared.start, isAtEnd: shared.end == 0, removed: Array(before[range]),
      added: models[newRange].map { $0 })
    before.replaceSubrange(range, with: models[newRange].lazy.map(ObjectIdentifier.init))
    identities = before
    return difference
  }
}

/// What was changed in an array: some places have other models now.
struct ArrayDifference {
  /// The first place with another model.
  let start: Int
  /// Whether the changed places go on to the end.
  let isAtEnd: Bool
  /// The models that stood there, and those that do now.
  let removed: [ObjectIdentifier]
  var added: [any PersistentModel]
}

extension MemberArray {
  private static var width: Int { MemoryLayout<ObjectIdentifier>.size }

  /// How many places at the beginning and at the end of two arrays hold the same models. References
  /// are compared as bytes, many at a time.
  fileprivate static func sharedPlaces(
    _ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer
  ) -> (start: Int, end: Int) {
    let count = min(old.count, new.count) / width
    let start = longest(count) { agree(old, 0, new, 0, $0) }
    let end = longest(count - start) {
      agree(old, old.count - $0 * width, new, new.count - $0 * width, $0)
    }
    return (start, end)
  }

  /// The largest number up to `count` for which `agrees` is true; it is true for all below it.
  private static func longest(_ count: Int, _ agrees: (Int) -> Bool) -> Int {
    if count == 0 || agrees(count) { return count }
    var (low, high) = (0, count)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if agrees(middle) { low = middle } else { high = middle }
    }
    return low
  }

  private static func agree(
    _ old: UnsafeRawBufferPointer, _ oldOffset: Int, _ new: UnsafeRawBufferPointer,
    _ newOffset: Int, _ count: Int
  ) -> Bool {
    guard count > 0, let left = old.baseAddress, let right = new.baseAddress else { return true }
    return memcmp(left + oldOffset, right + newOffset, count * width) == 0
  }
}
