import Foundation
import SwiftData

@Model class Place {
  #Index<Place>(.rtree([\.latitude, \.longitude]))

  @Attribute(.unique) var code: Int
  var name: String
  var latitude: Double
  var longitude: Double?

  init(_ code: Int, name: String = "", latitude: Double, longitude: Double?) {
    self.code = code
    self.name = name
    self.latitude = latitude
    self.longitude = longitude
  }
}

@Model final class Cafe: Place {
  #Index<Cafe>(.rtree([\.seats, \.opened]), .binary([\.seats]))

  var seats: Int
  var opened: Date?

  init(_ code: Int, latitude: Double, longitude: Double?, seats: Int, opened: Date?) {
    self.seats = seats
    self.opened = opened
    super.init(code, latitude: latitude, longitude: longitude)
  }
}

@Model final class Star {
  #Index<Star>(
    .rtree([\.x, \.y, \.z]), .rtree([\.x, \.y, \.w]), .rtree([\.floor, \.room, \.x]))

  var name: String
  var x: Double
  var y: Double
  var z: Double?
  var w: Double
  var floor = 1
  var room = 1

  init(_ name: String, x: Double, y: Double, z: Double?, w: Double) {
    self.name = name
    self.x = x
    self.y = y
    self.z = z
    self.w = w
  }
}

/// The same entity before and after somebody declared indexes.
enum PlainSpots {
  @Model final class Spot {
    var x: Int
    var y: Double
    var name: String

    init(x: Int, y: Double, name: String) {
      self.x = x
      self.y = y
      self.name = name
    }
  }
}

enum IndexedSpots {
  @Model final class Spot {
    #Index<Spot>(.rtree([\.x, \.y]), .rtree([\.name, \.y]), .binary([\.name]))
    var x: Int
    var y: Double
    var name: String

    init(x: Int, y: Double, name: String) {
      self.x = x
      self.y = y
      self.name = name
    }
  }
}
