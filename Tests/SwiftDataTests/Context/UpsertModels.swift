import Foundation
import SwiftData

enum Upserting {
  @Model final class Maker {
    @Attribute(.unique) var code: String
    var title: String
    var rank = 1
    var note: String?
    @Relationship(deleteRule: .cascade, inverse: \Product.maker) var products: [Product] = []
    var country: Country?

    init(_ code: String, _ title: String) {
      self.code = code
      self.title = title
    }
  }

  @Model final class Product {
    var name: String
    var maker: Maker?

    init(_ name: String, maker: Maker? = nil) {
      self.name = name
      self.maker = maker
    }
  }

  @Model final class Country {
    @Attribute(.unique) var iso: String
    @Relationship(inverse: \Maker.country) var makers: [Maker] = []

    init(_ iso: String) { self.iso = iso }
  }

  @Model final class Seat {
    #Unique<Seat>([\.row, \.number])
    var row: String
    var number: Int
    var guest: String?

    init(_ row: String, _ number: Int, guest: String? = nil) {
      self.row = row
      self.number = number
      self.guest = guest
    }
  }

  static func context() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Maker.self, Product.self, Country.self, Seat.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }
}
