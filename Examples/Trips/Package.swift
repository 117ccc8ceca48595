// swift-tools-version: 6.1

import PackageDescription

let package = Package(
  name: "Trips",
  platforms: [.macOS(.v15)],
  traits: [
    .trait(name: "PostgreSQL", description: "Trips in a PostgreSQL database, which needs libpq.")
  ],
  dependencies: [
    .package(name: "OpenSwiftData", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.3.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .target(
      name: "TripModels",
      dependencies: [
        .product(name: "SwiftData", package: "OpenSwiftData"),
        .product(
          name: "SwiftDataPostgres", package: "OpenSwiftData",
          condition: .when(traits: ["PostgreSQL"])),
      ]
    ),
    .executableTarget(
      name: "Trips",
      dependencies: [
        "TripModels",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      resources: [.copy("Resources/trips.html")]
    ),
    .executableTarget(
      name: "TripsTool",
      dependencies: [
        "TripModels",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
