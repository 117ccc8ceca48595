import Foundation
import SwiftData

/// Models whose values outlive them, in several versions.
enum Preserved {
  struct Size: Codable, Equatable, CustomStringConvertible {
    var width: Int
    var height: Double?

    var description: String { "\(width)x\(height.map { "\($0)" } ?? "nil")" }
  }

  enum Kind: String, Codable { case plain, special }

  enum V1 {
    static var schema: Schema { Schema([Item.self, Box.self, Lid.self]) }

    @Model final class Item {
      @Attribute(.preserveValueOnDeletion) var number: Int
      @Attribute(.preserveValueOnDeletion) var byte: Int8
      @Attribute(.preserveValueOnDeletion) var big: UInt64
      @Attribute(.preserveValueOnDeletion) var isOpen: Bool
      @Attribute(.preserveValueOnDeletion) var ratio: Double
      @Attribute(.preserveValueOnDeletion) var part: Float
      @Attribute(.preserveValueOnDeletion) var price: Decimal
      @Attribute(.preserveValueOnDeletion) var exact: Decimal
      @Attribute(.preserveValueOnDeletion) var text: String
      @Attribute(.preserveValueOnDeletion) var site: URL?
      @Attribute(.preserveValueOnDeletion) var added: Date
      @Attribute(.preserveValueOnDeletion) var code: UUID
      @Attribute(.preserveValueOnDeletion) var data: Data?
      @Attribute(.preserveValueOnDeletion) var size: Size?
      @Attribute(.preserveValueOnDeletion) var kind: Kind
      @Attribute(.preserveValueOnDeletion) var tags: [String]
      @Attribute(.externalStorage, .preserveValueOnDeletion) var cover: Data?
      @Attribute(.externalStorage, .preserveValueOnDeletion) var booklet: String?
      var note: String = "lost"
      var box: Box?

      init(_ number: Int) {
        self.number = number
        byte = -1
        big = number % 2 == 0 ? .max : 7
        isOpen = number % 2 == 0
        ratio = [0.1, -1e300, .infinity][number % 3]
        part = 1.5
        price = [0, Decimal(string: "-0.25")!, 12][number % 3]
        exact = Decimal(string: "12345678901234567890.123456789")!
        text = ["it's \\ \"quoted\" 😀", ""][number % 2]
        site = number % 2 == 0 ? URL(string: "https://x.example/\(number)") : nil
        added = Date(timeIntervalSinceReferenceDate: 12.345_678)
        code = UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F")!
        data = [nil, Data(), Data([0, 1, 255])][number % 3]
        size = number % 2 == 0 ? Size(width: number, height: nil) : nil
        kind = number % 2 == 0 ? .special : .plain
        tags = ["a", "\(number)"]
        cover = number % 2 == 0 ? Data([1, 2, 3]) : nil
        booklet = number % 2 == 0 ? "short" : nil
      }
    }

    @Model class Box {
      @Attribute(.preserveValueOnDeletion) var label: String
      var count: Int = 7
      @Relationship(deleteRule: .cascade, inverse: \Item.box) var items: [Item] = []

      init(_ label: String) { self.label = label }
    }

    @available(macOS 26, iOS 26, *)
    @Model final class Lid: Box {
      @Attribute(.preserveValueOnDeletion) var weight: Double

      init(_ label: String, weight: Double) {
        self.weight = weight
        super.init(label)
      }
    }
  }

  /// The models of a store before migrations.
  enum V0 {
    static var schema: Schema { Schema([Box.self]) }

    @Model final class Box {
      @Attribute(.preserveValueOnDeletion) var label: String
      var count: Int = 7

      init(_ label: String) { self.label = label }
    }
  }

  /// Another attribute is preserved.
  enum V2 {
    static var schema: Schema { Schema([Box.self]) }

    @Model final class Box {
      @Attribute(.preserveValueOnDeletion) var label: String
      @Attribute(.preserveValueOnDeletion) var count: Int = 7

      init(_ label: String) { self.label = label }
    }
  }

  /// The first attribute is not preserved any more.
  enum V3 {
    static var schema: Schema { Schema([Box.self]) }

    @Model final class Box {
      var label: String
      @Attribute(.preserveValueOnDeletion) var count: Int = 7

      init(_ label: String) { self.label = label }
    }
  }

  /// The preserved values of each deletion, in the order of the history.
  static func deletions(_ container: ModelContainer) throws -> [String] {
    func text(_ value: (any Sendable)?) -> String {
      guard let value else { return "nil" }
      if let data = value as? Data { return data.base64EncodedString() + "!" }
      return "\(value)"
    }
    let context = ModelContext(container)
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    // The order of the rows of one statement is not defined.
    return history.flatMap { transaction in
      transaction.changes.compactMap { change -> String? in
        guard case .delete(let deletion) = change else { return nil }
        switch deletion {
        case let item as DefaultHistoryDelete<V1.Item>:
          let found = item.tombstone
          let values: [PartialKeyPath<V1.Item>] = [
            \.number, \.byte, \.big, \.isOpen, \.ratio, \.part, \.price, \.exact, \.text, \.site,
            \.added, \.code, \.data, \.size, \.kind, \.tags, \.cover, \.booklet, \.note,
          ]
          return values.map { text(found[$0]) }.joined(separator: " ")
        case let box as DefaultHistoryDelete<V1.Box>: return text(box.tombstone[\.label])
        case let lid as DefaultHistoryDelete<V1.Lid>:
          return "\(text(lid.tombstone[\.label])) weight \(text(lid.tombstone[\.weight]))"
        case let box as DefaultHistoryDelete<V2.Box>:
          return "\(text(box.tombstone[\.label])) \(text(box.tombstone[\.count]))"
        case let box as DefaultHistoryDelete<V3.Box>: return text(box.tombstone[\.count])
        default: return nil
        }
      }.sorted()
    }
  }
}
