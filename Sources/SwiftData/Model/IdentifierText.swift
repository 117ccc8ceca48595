import Foundation

/// The form of an identifier in URLs: base64url without padding of
///
/// ```
/// form 1 byte │ entity 4 bytes │ store 3 bytes │ key 1 to 10 bytes │ check 4 bytes
/// ```
///
/// The form is 1 for an integer key, written with seven bits in a byte, and 2 for a key that is
/// text. Entity and store are hashes of their names, so the text stays short and a container finds
/// both among its own. The check is a hash of all bytes before it, so a truncated or mistyped text
/// is recognised without a store. It protects against accidents, not against forgery.
struct IdentifierText: Equatable {
  enum Key: Equatable {
    case row(Int64)
    case text(String)
  }

  let entityTag: UInt32
  let storeTag: UInt32
  let key: Key

  init(entity: String, store: String, key: Key) {
    entityTag = IdentifierText.entityTag(entity)
    storeTag = IdentifierText.storeTag(store)
    self.key = key
  }

  static func entityTag(_ name: String) -> UInt32 { hash("entity".utf8, name.utf8) }

  static func storeTag(_ identifier: String) -> UInt32 {
    hash("store".utf8, identifier.utf8) & 0xFF_FFFF
  }

  // MARK: Writing

  var text: String {
    var bytes: [UInt8] = []
    switch key {
    case .row: bytes.append(1)
    case .text: bytes.append(2)
    }
    for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: entityTag >> shift)) }
    for shift in [16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: storeTag >> shift)) }
    switch key {
    case .row(let key):
      var rest = UInt64(bitPattern: key)
      while rest >= 0x80 {
        bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
      }
      bytes.append(UInt8(rest))
    case .text(let key): bytes += key.utf8
    }
    let check = IdentifierText.hash("check".utf8, bytes)
    for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: check >> shift)) }
    return Data(bytes).base64EncodedString()
      .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
      .replacingOccurrences(of: "=", with: "")
  }

  // MARK: Reading

  private static let headLength = 8
  private static let checkLength = 4

  /// Keys of custom stores have any length, so the text has no limit. The time is linear in it.
  ///
  /// - Returns: `nil` unless the text is exactly what `text` returns for some identifier.
  init?(_ text: String) {
    guard let bytes = IdentifierText.bytes(of: text),
      bytes.count > IdentifierText.headLength + IdentifierText.checkLength
    else { return nil }
    func number(_ range: Range<Int>) -> UInt32 { bytes[range].reduce(0) { $0 << 8 | UInt32($1) } }
    let end = bytes.count - IdentifierText.checkLength
    guard number(end..<bytes.count) == IdentifierText.hash("check".utf8, bytes[..<end]) else {
      return nil
    }
    let keyBytes = bytes[IdentifierText.headLength..<end]
    switch bytes[0] {
    case 1:
      guard let key = IdentifierText.integer(keyBytes) else { return nil }
      self.key = .row(key)
    case 2:
      guard let key = String(validating: keyBytes, as: UTF8.self) else { return nil }
      self.key = .text(key)
    default: return nil
    }
    entityTag = number(1..<5)
    storeTag = number(5..<8)
    // One identifier has one text: bits that decoding ignores must not make others.
    guard self.text == text else { return nil }
  }

  private static func bytes(of text: String) -> [UInt8]? {
    var standard = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "-"): standard.append("+")
      case UInt8(ascii: "_"): standard.append("/")
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        standard.append(Character(Unicode.Scalar(byte)))
      default: return nil
      }
    }
    standard += String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
    return Data(base64Encoded: standard).map { [UInt8]($0) }
  }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> Int64? {
    var value: UInt64 = 0
    for (index, byte) in bytes.enumerated() {
      guard index < 10, index < 9 || byte <= 1 else { return nil }
      value |= UInt64(byte & 0x7F) << (7 * index)
      let isLast = index == bytes.count - 1
      guard (byte & 0x80 == 0) == isLast else { return nil }
    }
    return Int64(bitPattern: value)
  }

  // MARK: Hashing

  /// FNV-1a with the finaliser of MurmurHash3; the same in every process and release.
  private static func hash(_ name: some Sequence<UInt8>, _ bytes: some Sequence<UInt8>) -> UInt32 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    for byte in name { mix(byte) }
    mix(0)
    for byte in bytes { mix(byte) }
    hash = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
    hash = (hash ^ hash >> 33) &* 0xC4CE_B9FE_1A85_EC53
    return UInt32(truncatingIfNeeded: hash ^ hash >> 33)
  }
}

extension PersistentIdentifier {
  /// The identifier as a short text for URLs: 18 to 27 letters, digits, `-` and `_`.
  ///
  /// ```swift
  /// let path = "/trips/\(try trip.persistentModelID.urlText)"
  /// ```
  ///
  /// ``ModelContext/model(_:urlText:)`` finds the model, also in another process and after the store
  /// was opened again. The text does not change while the row exists. It contains no name; it is
  /// valid for one store, and for a copy or backup of it. Custom stores with keys that are texts
  /// have longer ones.
  ///
  /// A new model in the closure of ``ModelWriter/write(_:)`` has no text yet. Return the identifier,
  /// and ask it for the text after `write` has returned: a copy from before the commit is enough.
  ///
  /// It is neither a secret nor a permission: who knows one text can make others. Check for each
  /// request whether the client may use the model. Not in Apple's framework.
  ///
  /// - Throws: ``SwiftDataError/invalidIdentifier`` with ``SwiftDataError/IdentifierProblem/unsaved``
  ///   for a model that has not been saved.
  public var urlText: String {
    get throws {
      let stored = resolved
      guard !stored.isTemporary, let store = stored.storeIdentifier else {
        throw SwiftDataError.invalidIdentifier.with(
          "The model has not been saved, so its identifier is temporary. Save its context first.",
          entity: entityName, because: .invalidIdentifier(.unsaved))
      }
      let key = stored.rowKey.map(IdentifierText.Key.row) ?? .text(stored.primaryKey)
      return IdentifierText(entity: stored.entityName, store: store, key: key).text
    }
  }
}
