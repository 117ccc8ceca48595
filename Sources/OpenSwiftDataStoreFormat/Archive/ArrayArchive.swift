package import Foundation

/// Keyed archives of lists of texts or data, as columns of such properties store them. They are
/// parsed and written directly, for speed: every read of such a property decodes one.
///
/// The archive of an empty list is an `NSData` with the JSON `[]`. Values of other types are also
/// stored as an archived `NSData` with JSON.
package enum ArrayArchive {
  /// Whether the bytes begin like a binary property list.
  @inline(__always)
  package static func isArchive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count > PlistTable.magic.count && bytes[0] == 0x62 && PlistTable.hasMagic(bytes)
  }

  /// The texts of an archived list; `nil` if the root is not a list or an element is not a text.
  package static func strings(in bytes: UnsafeRawBufferPointer) -> [String]? {
    guard let walk = Walk(bytes) else { return nil }
    return walk.list { table, object in table.text(object) }
  }

  /// The data of an archived list; `nil` if the root is not a list or an element is not data.
  package static func data(in bytes: UnsafeRawBufferPointer) -> [Data]? {
    guard let walk = Walk(bytes) else { return nil }
    return walk.list { table, object in
      guard case .data = object.kind else { return nil }
      return Data(table.content(object))
    }
  }

  /// The content of an archived `NSData`; `nil` if the root is another object.
  package static func content(of bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard let walk = Walk(bytes), let root = walk.root, case .data = root.kind else { return nil }
    return walk.table.content(root)
  }

  package static func isEmptyList(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count == empty.count && empty.elementsEqual(bytes)
  }

  package static func archive(_ strings: [String]) -> Data {
    guard !strings.isEmpty else { return empty }
    let size = strings.reduce(0) { $0 + $1.utf8.count }
    return list(count: strings.count, size: size) { writer in
      for string in strings { writer.string(string) }
    }
  }

  package static func archive(_ list: [Data]) -> Data {
    guard !list.isEmpty else { return empty }
    let size = list.reduce(0) { $0 + $1.count }
    return self.list(count: list.count, size: size) { writer in
      for data in list { writer.data(data) }
    }
  }

  /// The archive of an `NSData`.
  package static func archive(content: Data) -> Data {
    var writer = PlistWriter(objectCount: 13, capacity: content.count + 160)
    begin(&writer, places: [11, 12])
    writer.string("$null")
    writer.data(content)
    return writer.finish()
  }

  private static let empty = archive(content: Data("[]".utf8))

  /// The objects are in the order in which Apple's framework writes them.
  private static func list(
    count: Int, size: Int, _ writeElements: (inout PlistWriter) -> Void
  ) -> Data {
    let objectCount = 2 * count + 24
    var writer = PlistWriter(objectCount: objectCount, capacity: size + 8 * count + 8 * 64)
    let elements = 17 + count
    let classPlace = elements + count
    let places = [11, 12] + Array(elements..<classPlace) + [classPlace]
    begin(&writer, places: places)
    writer.string("$null")
    writer.dictionary(keys: [13, 14], values: [15, 16 + count])
    writer.string("NS.objects")
    writer.string("$class")
    writer.array(Array(16..<(16 + count)))
    for place in 0..<count { writer.uid(place + 2) }
    writer.uid(count + 2)
    writeElements(&writer)
    writer.dictionary(
      keys: [classPlace + 1, classPlace + 2], values: [classPlace + 3, classPlace + 4])
    writer.string("$classname")
    writer.string("$classes")
    writer.string("NSArray")
    writer.array([classPlace + 5, classPlace + 6])
    writer.string("NSArray")
    writer.string("NSObject")
    return writer.finish()
  }

  /// Writes everything before the archived objects.
  private static func begin(_ writer: inout PlistWriter, places: [Int]) {
    writer.dictionary(keys: [1, 2, 3, 4], values: [5, 6, 7, 10])
    writer.string("$version")
    writer.string("$archiver")
    writer.string("$top")
    writer.string("$objects")
    writer.integer(100_000)
    writer.string("NSKeyedArchiver")
    writer.dictionary(keys: [8], values: [9])
    writer.string("root")
    writer.uid(1)
    writer.array(places)
  }

  /// Finds the root of an archive.
  private struct Walk {
    let table: PlistTable
    private let objects: PlistTable.Object
    private let rootIndex: Int

    init?(_ bytes: UnsafeRawBufferPointer) {
      do throws(FormatError) {
        table = try PlistTable(bytes)
        let plist = try table.object(table.top)
        guard let objectsIndex = try Self.value(of: "$objects", in: plist, table),
          let topIndex = try Self.value(of: "$top", in: plist, table)
        else { return nil }
        objects = try table.object(objectsIndex)
        guard case .array = objects.kind else { return nil }
        let top = try table.object(topIndex)
        guard let root = try Self.value(of: "root", in: top, table),
          let index = try Self.target(of: root, in: objects, table)
        else { return nil }
        rootIndex = index
      } catch {
        return nil
      }
    }

    var root: PlistTable.Object? { try? table.object(rootIndex) }

    /// The elements of the list at the root.
    func list<Element>(
      _ read: (PlistTable, PlistTable.Object) -> Element?
    ) -> [Element]? {
      do throws(FormatError) {
        let root = try table.object(rootIndex)
        guard let index = try Self.value(of: "NS.objects", in: root, table),
          try Self.value(of: "NS.keys", in: root, table) == nil
        else { return nil }
        let references = try table.object(index)
        guard case .array = references.kind else { return nil }
        var elements: [Element] = []
        elements.reserveCapacity(references.count)
        // Limits the total size: an archive in which many references share one long element is left
        // to a decoder that shares the value.
        var remaining = 64 * table.bytes.count
        for place in 0..<references.count {
          let reference = try table.reference(place, of: references)
          guard let target = try Self.target(of: reference, in: objects, table) else { return nil }
          let object = try table.object(target)
          remaining -= object.count
          guard remaining > 0, let element = read(table, object) else { return nil }
          elements.append(element)
        }
        return elements
      } catch {
        return nil
      }
    }

    /// The object at a reference of the archive.
    private static func target(
      of reference: Int, in objects: PlistTable.Object, _ table: PlistTable
    ) throws(FormatError) -> Int? {
      let object = try table.object(reference)
      guard case .uid = object.kind else { return nil }
      let place = table.number(object)
      guard place < UInt64(objects.count) else { return nil }
      return try table.reference(Int(place), of: objects)
    }

    /// The value of a key in a dictionary.
    private static func value(
      of key: StaticString, in object: PlistTable.Object, _ table: PlistTable
    ) throws(FormatError) -> Int? {
      guard case .dictionary = object.kind else { return nil }
      for place in 0..<object.count
      where try table.isText(table.reference(place, of: object), key) {
        return try table.reference(object.count + place, of: object)
      }
      return nil
    }
  }
}
