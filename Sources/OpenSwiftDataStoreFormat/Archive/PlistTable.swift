/// Finds the objects of a binary property list in its bytes. Every access checks its bounds.
struct PlistTable {
  enum Kind {
    case bool(Bool)
    case integer, real, date, data, ascii, utf16, uid, array, dictionary
  }

  /// The position of an object. Its content is within the bytes.
  struct Object {
    let kind: Kind
    let start: Int
    /// The number of bytes, UTF-16 units, elements or entries.
    let count: Int
  }

  static let magic: [UInt8] = Array("bplist00".utf8)
  private static let trailerSize = 32

  let bytes: UnsafeRawBufferPointer
  /// The number of objects.
  let count: Int
  let top: Int
  private let offsets: Int
  private let offsetSize: Int
  private let referenceSize: Int

  init(_ bytes: UnsafeRawBufferPointer) throws(FormatError) {
    let trailer = bytes.count - Self.trailerSize
    guard trailer > Self.magic.count, Self.hasMagic(bytes) else { throw Self.damaged }
    self.bytes = bytes
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    let (count, top, offsets) = (
      Self.number(bytes, at: trailer + 8, size: 8), Self.number(bytes, at: trailer + 16, size: 8),
      Self.number(bytes, at: trailer + 24, size: 8)
    )
    guard offsetSize >= 1, offsetSize <= 8, referenceSize >= 1, referenceSize <= 8,
      max(count, top, offsets) <= UInt64(trailer)
    else { throw Self.damaged }
    (self.count, self.top, self.offsets) = (Int(count), Int(top), Int(offsets))
    guard top < count, self.offsets > Self.magic.count,
      self.count <= (trailer - self.offsets) / offsetSize
    else { throw Self.damaged }
  }

  /// Whether the bytes begin like a binary property list. There must be as many as in `magic`.
  static func hasMagic(_ bytes: UnsafeRawBufferPointer) -> Bool {
    for place in 0..<magic.count where bytes[place] != magic[place] { return false }
    return true
  }

  static var damaged: FormatError { FormatError("The property list is damaged.") }

  func object(_ index: Int) throws(FormatError) -> Object {
    guard index >= 0, index < count else { throw Self.damaged }
    let offset = Self.number(bytes, at: offsets + index * offsetSize, size: offsetSize)
    guard offset >= UInt64(Self.magic.count), offset < UInt64(offsets) else { throw Self.damaged }
    let marker = bytes[Int(offset)]
    let (high, low) = (marker >> 4, Int(marker & 0x0F))
    var start = Int(offset) + 1
    switch high {
    case 0x0 where low == 8 || low == 9:
      return Object(kind: .bool(low == 9), start: start, count: 0)
    case 0x1 where low <= 4: return try fixed(.integer, start, 1 << low)
    case 0x2 where low == 2 || low == 3: return try fixed(.real, start, 1 << low)
    case 0x3 where low == 3: return try fixed(.date, start, 8)
    case 0x8 where low < 8: return try fixed(.uid, start, low + 1)
    default: break
    }
    var count = low
    if low == 0x0F {
      guard start < offsets, bytes[start] >> 4 == 1, bytes[start] & 0x0F <= 3 else {
        throw Self.damaged
      }
      let size = 1 << Int(bytes[start] & 0x0F)
      guard size < offsets - start else { throw Self.damaged }
      let number = Self.number(bytes, at: start + 1, size: size)
      guard number <= UInt64(offsets) else { throw Self.damaged }
      count = Int(number)
      start += 1 + size
    }
    let (kind, unit): (Kind, Int) =
      switch high {
      case 0x4: (.data, 1)
      case 0x5: (.ascii, 1)
      case 0x6: (.utf16, 2)
      case 0xA: (.array, referenceSize)
      case 0xD: (.dictionary, 2 * referenceSize)
      default: throw Self.damaged
      }
    guard start <= offsets, count <= (offsets - start) / unit else { throw Self.damaged }
    return Object(kind: kind, start: start, count: count)
  }

  private func fixed(_ kind: Kind, _ start: Int, _ size: Int) throws(FormatError) -> Object {
    guard size <= offsets - start else { throw Self.damaged }
    return Object(kind: kind, start: start, count: size)
  }

  /// The index of an element of an array or dictionary. The values of a dictionary follow its keys.
  func reference(_ place: Int, of object: Object) throws(FormatError) -> Int {
    let at = object.start + place * referenceSize
    let index = Self.number(bytes, at: at, size: referenceSize)
    guard index < UInt64(count) else { throw Self.damaged }
    return Int(index)
  }

  /// The content of a fixed-size object as a number.
  func number(_ object: Object) -> UInt64 {
    Self.number(bytes, at: object.start, size: min(object.count, 8))
  }

  func content(_ object: Object) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[object.start..<(object.start + object.count)])
  }

  /// The text of a string; `nil` for other objects.
  func text(_ object: Object) -> String? {
    switch object.kind {
    case .ascii: return String(decoding: content(object), as: UTF8.self)
    case .utf16:
      let units = [UInt16](unsafeUninitializedCapacity: object.count) { units, count in
        for unit in 0..<object.count {
          let word = bytes.loadUnaligned(fromByteOffset: object.start + 2 * unit, as: UInt16.self)
          units.initializeElement(at: unit, to: UInt16(bigEndian: word))
        }
        count = object.count
      }
      return String(decoding: units, as: UTF16.self)
    default: return nil
    }
  }

  /// Whether an object is the given ASCII text.
  func isText(_ index: Int, _ text: StaticString) throws(FormatError) -> Bool {
    let object = try object(index)
    guard case .ascii = object.kind, object.count == text.utf8CodeUnitCount else { return false }
    for place in 0..<object.count where bytes[object.start + place] != text.utf8Start[place] {
      return false
    }
    return true
  }

  /// Reads a big-endian number. The caller must check the bounds.
  @inline(__always)
  private static func number(_ bytes: UnsafeRawBufferPointer, at start: Int, size: Int) -> UInt64 {
    var number: UInt64 = 0
    for place in start..<(start + size) { number = number << 8 | UInt64(bytes[place]) }
    return number
  }
}
