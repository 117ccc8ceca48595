import Foundation
import SwiftData

@Model class Asset {
  #Index<Asset>([\.name], [\.rank], [\.kind, \.created], [\.token])
  #Unique<Asset>([\.volume, \.page])

  @Attribute(.unique) var number: Int
  var name: String
  var nickname: String?
  var rank: Int
  var kind: String
  var created: Date
  var token: UUID
  var volume: Int
  var page: Int
  var owner: Holder?
  var marks: [Mark] = []

  init(_ number: Int, name: String, owner: Holder? = nil) {
    self.number = number
    self.name = name
    self.owner = owner
    rank = number % 10
    kind = ["film", "sound", "text"][number % 3]
    created = Date(timeIntervalSinceReferenceDate: Double(number))
    token = UUID()
    volume = number / 100
    page = number % 100
  }
}

@Model final class Photo: Asset {
  #Index<Photo>([\.width])

  var width: Int

  init(_ number: Int, name: String, width: Int) {
    self.width = width
    super.init(number, name: name)
  }
}

@Model final class Holder {
  #Index<Holder>([\.name])

  var name: String
  var city: String
  @Relationship(inverse: \Asset.owner) var assets: [Asset] = []

  init(name: String, city: String) {
    self.name = name
    self.city = city
  }
}

@Model final class Mark {
  #Index<Mark>([\.text])

  var text: String
  @Relationship(inverse: \Asset.marks) var assets: [Asset] = []

  init(text: String) {
    self.text = text
  }
}
