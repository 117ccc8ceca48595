import Foundation

/// How a change of the history tells which properties of a row an update changed: one bit each.
///
/// To-one relationships come first, then attributes with one bit for each of their columns, then to-many
/// relationships, each by name, inherited ones among them. The first is the highest bit of the first byte.
struct ChangedColumns: Sendable {
  /// The slot that each bit stands for.
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
    for (place, slot) in slots.enumerated() where changed.contains(slot) {
      bytes[place / 8] |= 0x80 >> UInt8(place % 8)
    }
    return bytes
  }

  /// The slots whose bits are set; a composite is changed where one of its columns is.
  func slots(of bits: Data) -> SlotSet {
    var changed = SlotSet()
    for (place, slot) in slots.enumerated() where place / 8 < bits.count {
      let byte = bits[bits.startIndex + place / 8]
      if byte & (0x80 >> UInt8(place % 8)) != 0 { changed.insert(slot) }
    }
    return changed
  }
}
