// swift-tools-version: 6.1

import PackageDescription

let package = Package(
  name: "Examples",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "OpenSwiftData", path: "..")
  ],
  targets: [
    .executableTarget(
      name: "Quakes",
      dependencies: [.product(name: "SwiftData", package: "OpenSwiftData")],
      resources: [.copy("Resources/quakes-2018-06-14.geojson")]
    ),
    .executableTarget(
      name: "Chinook",
      dependencies: [.product(name: "SwiftData", package: "OpenSwiftData")],
      resources: [.copy("Resources/chinook.json")]
    ),
    .executableTarget(
      name: "Upgrade",
      dependencies: [.product(name: "SwiftData", package: "OpenSwiftData")]
    ),
  ],
  swiftLanguageModes: [.v6]
)
