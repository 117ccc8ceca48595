package import Foundation

/// Keyed archives of lists of texts and of data, which the columns of such properties hold. They are walked
/// and written directly, because they are read with every such property.
///
/// The archive of an empty list is one of an `NSData` with the JSON `[]`. Archives of data with JSON are
/// also what values of other types are stored as.
package enum ArrayArchive {
  /// Whether bytes begin as a property list does.
  @inline(__always)
  package static func isArchive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count > PlistTable.magic.count && bytes[0] == 0x62
      && bytes.prefix(PlistTable.magic.count).elementsEqual(PlistTable.magic)
  }

  /// The texts of an archived list; `nil` where the root is something else, or an element is.
  package static func strings(in bytes: UnsafeRawBufferPointer) -> [String]? {
    guard let walk = Walk(bytes) else { return nil }
    return walk.list { table, object in table.text(object) }
  }

  /// The data of an archived list; `nil` where the root is something else, or an element is.
  package static func data(in bytes: UnsafeRawBufferPointer) -> [Data]? {
    guard let walk = Walk(bytes) else { return nil }
    return walk.list { table, object in
      guard case .data = object.kind else { return nil }
      return Data(table.content(object))
    }
  }

  /// The content of an archived `NSData`; `nil` where the root is something else.
  package static func content(of bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard let walk = Walk(bytes), let root = walk.root, case .data = root.kind else { return nil }
    return walk.table.content(root)
  }

  /// Whether bytes are the archive of an empty list.
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

  /// The objects come in the order in which Apple's framework writes them.
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
    writer.array(16..<(16 + count))
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

  /// What stands before the archived objects.
  private static func begin(_ writer: inout PlistWriter, places: [Int]) {
    writer.dictionary(keys: 1...4, values: [5, 6, 7, 10])
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

  /// The way to the root of an archive.
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
        // Many references to one long element are left to a reader that shares it.
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

    /// The object that a reference of the archive leads to.
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
