import Foundation

/// The members of a to-many as the array that its getter returns.
///
/// Kept beside the list of members while the list does not change, so it keeps no model alive that
/// the list does not keep alive. While an accessor borrows the array to change it in place, the
/// array has one owner, so an append copies nothing.
class MemberArray {
  /// The model at each index, to find what was changed in a borrowed array.
  fileprivate var identities: ContiguousArray<ObjectIdentifier>?

  fileprivate init() {}

  /// Appends a model.
  /// - Returns: Whether the array can contain it.
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

  /// Passes the array to an accessor, which changes it in place.
  func lend() -> [Member] {
    if identities == nil { identities = ContiguousArray(models.lazy.map(ObjectIdentifier.init)) }
    defer { models = [] }
    return models
  }

  /// Takes a borrowed array back, which then has no other owner, and finds its changes.
  func takeBack(_ changed: inout [Member]?) -> ArrayDifference {
    models = changed.take() ?? []
    var before = identities.take() ?? []
    let shared = ObjectWords.read(of: models) { new in
      before.withUnsafeBytes { old in MemberArray.commonPrefixAndSuffix(old, new) }
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

/// The changes in an array: a range of indices has other models now.
struct ArrayDifference {
  /// The first index with another model.
  let start: Int
  /// Whether the changed range extends to the end.
  let isAtEnd: Bool
  /// The models that were in the range, and those that are in it now.
  let removed: [ObjectIdentifier]
  var added: [any PersistentModel]
}

extension MemberArray {
  private static var width: Int { MemoryLayout<ObjectIdentifier>.size }

  /// How many elements at the beginning and at the end of two arrays are the same models.
  /// References are compared as bytes, many at a time.
  fileprivate static func commonPrefixAndSuffix(
    _ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer
  ) -> (start: Int, end: Int) {
    let count = min(old.count, new.count) / width
    let start = longest(count) { agree(old, 0, new, 0, $0) }
    let end = longest(count - start) {
      agree(old, old.count - $0 * width, new, new.count - $0 * width, $0)
    }
    return (start, end)
  }

  /// The largest number up to `count` for which `agrees` is true; it is true for all smaller ones.
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
