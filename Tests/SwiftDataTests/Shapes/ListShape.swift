import Foundation
import SwiftData

/// Lists with each delete rule, one of them optional, and attributes of many types.
enum ListShape {
  struct Size: Codable, Hashable {
    var width: Int
    var label: String?
    var weight: Double
  }

  enum Color: String, Codable, CaseIterable { case red, green, blue }

  @Model final class Shelf {
    var number: Int
    var value = 0
    var text: String?
    var size: Size?
    var color = Color.red
    @Relationship(deleteRule: .nullify, inverse: \Book.shelf) var books: [Book] = []
    @Relationship(deleteRule: .cascade, inverse: \Box.shelf) var boxes: [Box] = []
    @Relationship(deleteRule: .deny, inverse: \Lock.shelf) var locks: [Lock] = []

    init(_ number: Int) { self.number = number }
  }

  @Model final class Book {
    var number: Int
    var value = 0
    @Attribute(.externalStorage) var cover: Data?
    var words: [String] = []
    var shelf: Shelf?

    init(_ number: Int) { self.number = number }
  }

  @Model final class Box {
    var number: Int
    var value = 0
    var size = Size(width: 0, label: nil, weight: 0)
    var shelf: Shelf?
    @Relationship(deleteRule: .cascade, inverse: \Sheet.box) var sheets: [Sheet]? = []

    init(_ number: Int) { self.number = number }
  }

  @Model final class Sheet {
    var number: Int
    var value = 0
    var box: Box?

    init(_ number: Int) { self.number = number }
  }

  @Model final class Lock {
    var number: Int
    var value = 0
    var shelf: Shelf?

    init(_ number: Int) { self.number = number }
  }

  private static let sizes = [
    Size(width: 0, label: "z", weight: 0), Size(width: 1, label: nil, weight: 0.5),
    Size(width: 2, label: "ä", weight: -1), Size(width: 3, label: "", weight: 1e9),
  ]
  private static let texts = [nil, "", "a", "É", "b'\"x"]
  private static let words = [[], ["a"], ["", "É"], ["x", "y", "z"], ["a'b"]]
  private static let covers = [
    nil, Data(), Data([1, 2]), Data(repeating: 3, count: 200_000), Data(repeating: 4, count: 9),
  ]

  static var shape: Shape {
    Shape(
      "lists",
      kinds: [
        .root(
          Shelf.self,
          [
            .choice("text", \Shelf.text, texts), .choice("size", \Shelf.size, [nil] + sizes),
            .choice("color", \Shelf.color, Color.allCases),
          ]
        ) { Shelf($0) },
        .root(
          Book.self, [.choice("cover", \Book.cover, covers), .choice("words", \Book.words, words)]
        ) { Book($0) },
        .root(Box.self, [.choice("size", \Box.size, sizes)]) { Box($0) },
        .root(Sheet.self) { Sheet($0) },
        .root(Lock.self) { Lock($0) },
      ],
      bonds: [
        [.toMany("books", \Shelf.books), .toOne("shelf", \Book.shelf)],
        [.toMany("boxes", \Shelf.boxes, .cascade), .toOne("shelf", \Box.shelf)],
        [.optionalToMany("sheets", \Box.sheets, .cascade), .toOne("box", \Sheet.box)],
        [.toMany("locks", \Shelf.locks, .deny), .toOne("shelf", \Lock.shelf)],
      ],
      questions: [
        .init("shelf of value", { value in #Predicate<Shelf> { $0.value == value } }) {
          $0.value($1) == $2
        },
        .init("number of books", { value in #Predicate<Shelf> { $0.books.count >= value } }) {
          $0.related($1, "books").count >= $2
        },
        .init(
          "a box of value",
          { value in #Predicate<Shelf> { $0.boxes.contains { $0.value == value } } }
        ) { reference, number, value in
          reference.related(number, "boxes").contains { reference.value($0) == value }
        },
        .init("width", { value in #Predicate<Shelf> { $0.size?.width == value } }) {
          $0.choice($1, "size") == [1, 2, 3, 4, -1][$2]
        },
        .init("on a shelf of value", { value in #Predicate<Book> { $0.shelf?.value == value } }) {
          reference, number, value in
          reference.related(number, "shelf").contains { reference.value($0) == value }
        },
        .init(
          "book on no shelf", { value in #Predicate<Book> { $0.shelf == nil && $0.value != value } }
        ) { $0.related($1, "shelf").isEmpty && $0.value($1) != $2 },
        .init(
          "sheet of a shelf of value",
          { value in #Predicate<Sheet> { $0.box?.shelf?.value == value } }
        ) { reference, number, value in
          reference.related(number, "box").flatMap { reference.related($0, "shelf") }
            .contains { reference.value($0) == value }
        },
      ])
  }
}

extension ListShape.Shelf: ShapeModel {}
extension ListShape.Book: ShapeModel {}
extension ListShape.Box: ShapeModel {}
extension ListShape.Sheet: ShapeModel {}
extension ListShape.Lock: ShapeModel {}
