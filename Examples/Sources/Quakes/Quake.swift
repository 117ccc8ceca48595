import Foundation
import SwiftData

/// An earthquake. The feed identifies each one by its code, so the store keeps one per code.
@Model
final class Quake {
  @Attribute(.unique) var code: String
  var magnitude: Double
  var time: Date
  var location: Location

  init(code: String, magnitude: Double, time: Date, location: Location) {
    self.code = code
    self.magnitude = magnitude
    self.time = time
    self.location = location
  }
}

/// Where it happened; each of its properties becomes a column.
struct Location: Codable {
  var name: String
  var longitude: Double
  var latitude: Double
}
