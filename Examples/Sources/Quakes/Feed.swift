import Foundation

/// The earthquakes of a week in the GeoJSON that the U.S. Geological Survey serves.
struct Feed: Decodable {
  struct Feature: Decodable {
    struct Properties: Decodable {
      let code: String
      let mag: Double?
      let place: String?
      let time: Double
    }

    struct Geometry: Decodable {
      let coordinates: [Double]
    }

    let properties: Properties
    let geometry: Geometry
  }

  let features: [Feature]

  init(contentsOf url: URL) throws {
    self = try JSONDecoder().decode(Feed.self, from: Data(contentsOf: url))
  }
}

extension Quake {
  convenience init(_ feature: Feed.Feature) {
    self.init(
      code: feature.properties.code,
      magnitude: feature.properties.mag ?? 0,
      // The feed counts milliseconds since 1970.
      time: Date(timeIntervalSince1970: feature.properties.time / 1000),
      location: Location(
        name: feature.properties.place ?? "unknown place",
        longitude: feature.geometry.coordinates[0],
        latitude: feature.geometry.coordinates[1]))
  }
}
