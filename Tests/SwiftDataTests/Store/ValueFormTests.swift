import Foundation
import OpenSwiftDataStoreFormat
import SwiftData
import Testing

/// What stands in the columns of values that are no scalars, and which other forms are read.
struct ValueFormTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func context() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: FormParcel.self, configurations: ModelConfiguration(url: folder.store)))
  }

  /// The bytes of a column of the only row, and their storage class.
  private func stored(_ column: String) throws -> (type: String, bytes: Data) {
    let type =
      try SQLiteFile.text("SELECT typeof(\(column)) FROM ZFORMPARCEL", in: folder.store) ?? ""
    let hex = try SQLiteFile.text("SELECT hex(\(column)) FROM ZFORMPARCEL", in: folder.store) ?? ""
    return (type, Data(hexadecimal: hex))
  }

  private func write(_ bytes: Data, to column: String, of name: String) throws {
    let hex = bytes.map { String(format: "%02x", $0) }.joined()
    try SQLiteFile.execute(
      "UPDATE ZFORMPARCEL SET \(column) = X'\(hex)' WHERE ZNAME = '\(name)'", in: folder.store)
  }

  private func save(_ change: (FormParcel) -> Void) throws {
    let context = try context()
    let parcel = FormParcel(name: "p")
    change(parcel)
    context.insert(parcel)
    try context.save()
  }

  private func read() throws -> FormParcel {
    try #require(try context().fetch(FetchDescriptor<FormParcel>()).first)
  }

  @Test func listsOfTextsAndOfDataAreArchivesOfArrays() throws {
    try save {
      $0.tags = ["b", "Zoë", "b"]
      $0.photos = [Data([1]), Data()]
    }
    let tags = try stored("ZTAGS")
    #expect(tags.type == "blob")
    let archive = try KeyedArchive(tags.bytes)
    guard case .object(let root) = archive.root else {
      Issue.record("no object")
      return
    }
    #expect(archive.className(of: root) == "NSArray")
    #expect(
      archive.modelValue(archive.root) == .array(["b", "Zoë", "b"].map { .string($0) }))
    let photos = try KeyedArchive(stored("ZPHOTOS").bytes)
    #expect(photos.modelValue(photos.root) == .array([.data(Data([1])), .data(Data())]))
    let parcel = try read()
    #expect(parcel.tags == ["b", "Zoë", "b"] && parcel.photos == [Data([1]), Data()])
  }

  /// The bytes that Apple's framework writes.
  @Test func emptyListsAreArchivesOfData() throws {
    try save { $0.notes = [] }
    let expected = Data(
      hexadecimal: """
        62706c6973743030d4010203040506070a582476657273696f6e592461726368697665725424746f7058246f626a
        6563747312000186a05f100f4e534b657965644172636869766572d1080954726f6f748001a20b0c55246e756c6c
        425b5d08111a24293237494c5153565c0000000000000101000000000000000d0000000000000000000000000000
        005f
        """)
    for column in ["ZTAGS", "ZNOTES", "ZPHOTOS", "ZSIZES", "ZSTOPS", "ZLABELS"] {
      #expect(try stored(column).bytes == expected, "\(column)")
    }
    let parcel = try read()
    #expect(parcel.tags.isEmpty && parcel.notes == [] && parcel.stops.isEmpty)
  }

  @Test func absentListsAreNull() throws {
    try save { _ in }
    #expect(try stored("ZNOTES").type == "null")
    #expect(try read().notes == nil)
  }

  @Test func otherWholeValuesAreArchivesOfJSON() throws {
    let stop = FormParcel.Stop(city: "Rome", lists: [["a"], []])
    try save {
      ($0.sizes, $0.stops, $0.labels) = ([3, 1], [stop], ["x"])
      ($0.counts, $0.whole) = (["k": 1], stop)
    }
    for (column, json) in [
      ("ZSIZES", "[3,1]"), ("ZLABELS", #"["x"]"#), ("ZCOUNTS", #"{"k":1}"#),
      ("ZSTOPS", #"[{"city":"Rome","lists":[["a"],[]]}]"#),
      ("ZWHOLE", #"{"city":"Rome","lists":[["a"],[]]}"#),
    ] {
      let archive = try KeyedArchive(stored(column).bytes)
      #expect(archive.root == .plain(.data(Data(json.utf8))), "\(column)")
    }
    let parcel = try read()
    #expect(parcel.sizes == [3, 1] && parcel.stops == [stop] && parcel.labels == ["x"])
    #expect(parcel.counts == ["k": 1] && parcel.whole == stop)
  }

  @Test func listsInsideACompositeAreBytesOfJSON() throws {
    try save {
      $0.route = FormParcel.Route(
        start: FormParcel.Stop(city: "a", lists: [["b"]]), marks: ["t", "u"])
    }
    let tags = try stored("ZMARKS")
    #expect(tags.type == "blob" && tags.bytes == Data(#"["t","u"]"#.utf8))
    let lists = try stored("ZLISTS")
    #expect(lists.type == "blob" && lists.bytes == Data(#"[["b"]]"#.utf8))
    #expect(try read().route.marks == ["t", "u"])
    // Text, as other programs may write it.
    try SQLiteFile.execute(#"UPDATE ZFORMPARCEL SET ZMARKS = '["v"]'"#, in: folder.store)
    #expect(try read().route.marks == ["v"])
  }

  @Test func nestedValuesAndOptionalsComeBack() throws {
    let route = FormParcel.Route(
      start: FormParcel.Stop(city: "a"),
      via: FormParcel.Leg(hours: 2, stop: FormParcel.Stop(city: "c", lists: [["d"]])), marks: [],
      stamp: FormParcel.Seal(data: Data([9])))
    try save {
      $0.spare = route
      $0.route.via = FormParcel.Leg(hours: 1)
    }
    let context = try context()
    let parcel = try #require(try context.fetch(FetchDescriptor<FormParcel>()).first)
    #expect(parcel.spare == route)
    #expect(parcel.route.via == FormParcel.Leg(hours: 1) && parcel.route.stamp == nil)
    parcel.spare = nil
    try context.save()
    #expect(try read().spare == nil)
  }

  @Test func scalarsOfFoundationHaveTheFormsOfTheFormat() throws {
    let link = try #require(URL(string: "https://example.org/ä?b=c#d"))
    try save {
      ($0.link, $0.bytes) = (link, Data([0, 255]))
      $0.price = Decimal(string: "12.5") ?? 0
      $0.time = .seconds(-1)
    }
    #expect(try stored("ZLINK") == ("text", Data(link.absoluteString.utf8)))
    #expect(try stored("ZBYTES") == ("blob", Data([0, 255])))
    #expect(try stored("ZPRICE").type == "real")
    #expect(
      try SQLiteFile.text("SELECT ZHIGH1 || ' ' || ZLOW1 FROM ZFORMPARCEL", in: folder.store)
        == "-1 -1000000000000000000")
    #expect(
      try SQLiteFile.text("SELECT typeof(ZHIGH) FROM ZFORMPARCEL", in: folder.store) == "null")
    let parcel = try read()
    #expect(parcel.link == link && parcel.price == Decimal(string: "12.5"))
    #expect(parcel.time == .seconds(-1) && parcel.rest == nil)
    #expect(parcel.locale.identifier == "en_GB")
  }

  @Test func valuesThatCodeThemselvesAsOneHaveItsColumn() throws {
    try save {
      $0.seal = FormParcel.Seal(data: Data("{}".utf8))
      $0.code = FormParcel.ParcelCode(code: "Ab")
    }
    #expect(try stored("ZSEAL") == ("blob", Data("{}".utf8)))
    #expect(try stored("ZCODE") == ("text", Data("Ab".utf8)))
    let parcel = try read()
    #expect(parcel.seal.data == Data("{}".utf8) && parcel.code?.code == "Ab")
    // The type decides what is equal.
    let context = try context()
    let wanted = FormParcel.ParcelCode(code: "aB")
    let matching = FetchDescriptor<FormParcel>(predicate: #Predicate { $0.code == wanted })
    #expect(try context.fetchCount(matching) == 1)
    let inside = FetchDescriptor<FormParcel>(predicate: #Predicate { $0.code?.code == "Ab" })
    #expect(try context.fetchCount(inside) == 1)
    let absent = FetchDescriptor<FormParcel>(predicate: #Predicate { $0.code == nil })
    #expect(try context.fetchCount(absent) == 0)
  }

  /// The forms in which a list of texts may stand in a file.
  private static func forms(of texts: [String]) throws -> [Data] {
    let json = try JSONEncoder().encode(texts)
    let set = try NSKeyedArchiver.archivedData(
      withRootObject: NSMutableArray(array: texts), requiringSecureCoding: false)
    return [json, ArrayArchive.archive(content: json), ArrayArchive.archive(texts), set]
  }

  @Test func everyFormOfAListIsRead() throws {
    let context = try context()
    let forms = try Self.forms(of: ["red", "größe", ""]) + Self.forms(of: [])
    for number in forms.indices { context.insert(FormParcel(name: "\(number)")) }
    try context.save()
    for (number, bytes) in forms.enumerated() {
      try write(bytes, to: "ZTAGS", of: "\(number)")
      try write(bytes, to: "ZLABELS", of: "\(number)")
    }
    let found = try self.context().fetch(
      FetchDescriptor<FormParcel>(sortBy: [SortDescriptor(\.name)]))
    #expect(
      found.map(\.tags)
        == Array(repeating: ["red", "größe", ""], count: 4) + Array(repeating: [], count: 4))
    #expect(found.first?.labels == ["red", "größe", ""])

    func names(_ predicate: Predicate<FormParcel>) throws -> [String] {
      try self.context().fetch(
        FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)])
      ).map(\.name)
    }
    let full = (0..<4).map { "\($0)" }
    let bare = (4..<8).map { "\($0)" }
    #expect(try names(#Predicate { $0.tags.contains("red") }) == full)
    #expect(try names(#Predicate { $0.tags.contains("größe") }) == full)
    #expect(try names(#Predicate { $0.tags.contains("") }) == full)
    #expect(try names(#Predicate { $0.tags.contains("re") }).isEmpty)
    #expect(try names(#Predicate { $0.labels.contains("red") }) == full)
    #expect(try names(#Predicate { $0.tags.count == 3 }) == full)
    #expect(try names(#Predicate { $0.tags.isEmpty }) == bare)
    #expect(try names(#Predicate { $0.tags.first == "red" }) == full)
    #expect(try names(#Predicate { $0.tags.count > 1 && $0.tags[1] == "größe" }) == full)
    #expect(try names(#Predicate { $0.tags.min() == "" }) == full)
    #expect(try names(#Predicate { $0.tags.max() == "red" }) == full)
    let wanted = ["red", "größe", ""]
    let none: [String] = []
    #expect(try names(#Predicate { $0.tags == wanted }) == full)
    #expect(try names(#Predicate { $0.tags != wanted }) == bare)
    #expect(try names(#Predicate { $0.tags == none }) == bare)
  }

  @Test func archivesOfOtherValuesAreRead() throws {
    let (id, link) = (UUID(), try #require(URL(string: "https://example.org")))
    let date = Date(timeIntervalSinceReferenceDate: 5.5)
    try save { _ in }
    for (column, values) in [
      ("ZSIZES", [.integer(3), .integer(-1)]), ("ZDATES", [.date(5.5)]), ("ZIDS", [.uuid(id)]),
      ("ZLINKS", [.url(link.absoluteString)]), ("ZPHOTOS", [.data(Data([4]))]),
      ("ZSTOPS", [.dictionary(["city": .string("Rome"), "lists": .array([])])]),
    ] as [(String, [ModelValue])] {
      var writer = KeyedArchiveWriter()
      let root = writer.value(.array(values))
      try write(writer.data(root: root), to: column, of: "p")
    }
    let parcel = try read()
    #expect(parcel.sizes == [3, -1] && parcel.dates == [date] && parcel.ids == [id])
    #expect(parcel.links == [link] && parcel.photos == [Data([4])])
    #expect(parcel.stops == [FormParcel.Stop(city: "Rome")])
    let context = try context()
    let sizes = FetchDescriptor<FormParcel>(
      predicate: #Predicate { $0.sizes.contains(3) && $0.sizes.min() == -1 })
    #expect(try context.fetchCount(sizes) == 1)
    let ids = FetchDescriptor<FormParcel>(predicate: #Predicate { $0.ids.contains(id) })
    #expect(try context.fetchCount(ids) == 1)
    let dates = FetchDescriptor<FormParcel>(predicate: #Predicate { $0.dates.first == date })
    #expect(try context.fetchCount(dates) == 1)
  }

  @Test func damagedArchivesReadAsStandIns() throws {
    try save { $0.tags = ["a"] }
    let bytes = try stored("ZTAGS").bytes
    for count in stride(from: 9, to: bytes.count, by: 7) {
      try write(bytes.prefix(count), to: "ZTAGS", of: "p")
      let context = try context()
      let parcel = try #require(try context.fetch(FetchDescriptor<FormParcel>()).first)
      #expect(parcel.tags.isEmpty)
      #expect(context.unreadableValues.count == 1)
    }
  }
}

extension Data {
  fileprivate init(hexadecimal text: String) {
    let digits = text.filter { !$0.isWhitespace }.map { UInt8($0.hexDigitValue ?? 0) }
    self.init(stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
  }
}
