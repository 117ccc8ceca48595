import Foundation

/// Converts the changed properties of an update to the bits that the history stores, and back.
///
/// To-one relationships come first, then attributes with one bit for each column, then to-many
/// relationships; each group is sorted by name and includes inherited properties. The first bit is
/// the highest bit of the first byte.
struct ChangedColumns: Sendable {
  /// The slot for each bit.
  private let slots: [Int]

  init(of entity: EntityMapping) {
    var (toOne, attributes, toMany): ([Int], [Int], [Int]) = ([], [], [])
    for property in entity.properties.sorted(by: { $0.name < $1.name }) {
      switch property.kind {
      case .toOne: toOne.append(property.slot)
      case .attribute: attributes.append(property.slot)
      case .composite(let leaves): attributes += leaves.map { _ in property.slot }
      case .toMany: toMany.append(property.slot)
      case .ephemeral: continue
      }
    }
    slots = toOne + attributes + toMany
  }

  func bits(of changed: SlotSet) -> Data {
    var bytes = Data(count: (slots.count + 7) / 8)
    for (index, slot) in slots.enumerated() where changed.contains(slot) {
      bytes[index / 8] |= 0x80 >> UInt8(index % 8)
    }
    return bytes
  }

  /// The slots whose bits are set; a composite has changed if one of its columns has.
  func slots(of bits: Data) -> SlotSet {
    var changed = SlotSet()
    for (index, slot) in slots.enumerated() where index / 8 < bits.count {
      let byte = bits[bits.startIndex + index / 8]
      if byte & (0x80 >> UInt8(index % 8)) != 0 { changed.insert(slot) }
    }
    return changed
  }
}
