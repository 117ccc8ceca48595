import Foundation
import SwiftData
import SwiftDataStores
import Synchronization
import Testing

extension StoreBehaviourTests {
  @Test(arguments: Kind.all)
  func twoNewModelsWithAUniqueValueBecomeOneRow(_ kind: Kind) throws {
    let open = try kind.make()
    let context = try context(open)
    let (one, two) = (Author("Tove", born: 1), Author("Tove", born: 2))
    context.insert(one)
    context.insert(two)
    context.insert(Book("A", by: one))
    context.insert(Book("B", by: two))
    try context.save()
    #expect(one.persistentModelID == two.persistentModelID)
    let found = try self.context(open).all(Author.self)
    #expect(found.map(\.born) == [2])
    #expect(found[0].books.count == 2)
  }

  /// The row was there before, also if the context has not loaded it.
  @Test(arguments: Kind.all, [false, true])
  func aNewModelThatBecomesAStoredRowIsAnnouncedAsUpdated(_ kind: Kind, isLoaded: Bool) throws {
    let open = try kind.make()
    let first = try context(open)
    let stored = [Author("Tove"), Author("Astrid")]
    for author in stored { first.insert(author) }
    try first.save()
    let context = try isLoaded ? first : context(open)
    let infos = Mutex<[[String: [PersistentIdentifier]]]>([])
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { notification in
      let info = notification.userInfo as? [String: [PersistentIdentifier]]
      infos.withLock { $0.append(info ?? [:]) }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    let new = Author("Selma")
    for author in [Author("Tove"), Author("Astrid"), Author("Astrid"), new, Author("Selma")] {
      context.insert(author)
    }
    try context.save()
    let info = try #require(infos.withLock { $0.first })
    #expect(info["inserted"] == [new.persistentModelID])
    #expect(info["updated"]?.sorted() == stored.map(\.persistentModelID).sorted())
    #expect(info["deleted"] == [])
  }

  @Test(arguments: Kind.all(Schema([Badge.self])))
  func aUniqueValueThatANewModelReplacedIsFree(_ kind: Kind) throws {
    let open = try kind.make()
    let context = try context(open)
    // The second model becomes the row of the first one and replaces its code, which the third has.
    for (name, code) in [("a", "1"), ("a", "2"), ("b", "1")] {
      context.insert(Badge(name, code))
    }
    try context.save()
    let badges = try self.context(open).all(Badge.self).map { $0.name + $0.code }
    #expect(badges.sorted() == ["a2", "b1"])
  }

  @Test(arguments: Kind.all)
  func aChangedUniqueValueThatAnotherRowHasMakesTheSaveThrow(_ kind: Kind) throws {
    let open = try kind.make()
    let context = try context(open)
    let (one, two) = (Author("One"), Author("Two"))
    context.insert(one)
    context.insert(two)
    try context.save()
    two.name = "One"
    let error = #expect(throws: (any Error).self) { try context.save() }
    #expect("\(try #require(error))".contains("name"))
    #expect(try self.context(open).all(Author.self).map(\.name).sorted() == ["One", "Two"])
    one.name = "Two"
    two.name = "One"
    // Two rows may exchange their values.
    try context.save()
    #expect(try self.context(open).author("One")?.persistentModelID == two.persistentModelID)
  }

  @Test(arguments: Kind.all)
  func uniqueTextsAreComparedByteByByte(_ kind: Kind) throws {
    let open = try kind.make()
    let context = try context(open)
    context.insert(Author("Ren\u{e9}", born: 1))
    try context.save()
    context.insert(Author("Rene\u{301}", born: 2))
    try context.save()
    let found = try self.context(open).all(Author.self)
    #expect(Set(found.map(\.born)) == [1, 2])
    #expect(Set(found.map { Array($0.name.utf8).count }) == [5, 6])
  }

  @Test(arguments: Kind.all(Schema([Shop.self])))
  func uniquePartsOfValuesAreComparedByteByByte(_ kind: Kind) throws {
    let open = try kind.make()
    let context = try context(open)
    context.insert(Shop("Books", in: "Orl\u{e9}ans", zip: "1"))
    context.insert(Shop("Books", in: "Orle\u{301}ans", zip: "2"))
    try context.save()
    #expect(try self.context(open).all(Shop.self).map(\.address.code).sorted() == ["1", "2"])
  }

  @Test(arguments: Kind.all(Schema([Shop.self])))
  func uniqueValuesMayBePartsOfValues(_ kind: Kind) throws {
    let open = try kind.make()
    let first = try context(open)
    let shop = Shop("Books", in: "Oslo", zip: "1")
    for model in [shop, Shop("Books", in: "Rome", zip: "2"), Shop("Bread", in: "Oslo", zip: "3")] {
      first.insert(model)
    }
    try first.save()
    let second = try context(open)
    second.insert(Shop("Books", in: "Oslo", zip: "4"))
    try second.save()
    #expect(try context(open).all(Shop.self).map(\.address.code).sorted() == ["2", "3", "4"])
    // The key of the zip code in the document has another name than the property.
    shop.address.code = "3"
    let error = #expect(throws: DocumentStoreError.self) { try first.save() }
    #expect(error?.code == .duplicateValue && error?.property == "address.code")
  }

}

@Model
private final class Badge {
  @Attribute(.unique) var name: String
  @Attribute(.unique) var code: String

  init(_ name: String, _ code: String) {
    self.name = name
    self.code = code
  }
}

@Model
private final class Shop {
  #Unique<Shop>([\.name, \.address.city], [\.address.code])

  struct Address: Codable {
    var city: String
    var code: String

    enum CodingKeys: String, CodingKey {
      case city
      case code = "zip"
    }
  }

  var name: String
  var address: Address

  init(_ name: String, in city: String, zip: String) {
    self.name = name
    address = Address(city: city, code: zip)
  }
}
