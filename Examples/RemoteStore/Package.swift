// swift-tools-version: 6.1

import PackageDescription

let package = Package(
  name: "RemoteStore",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "OpenSwiftData", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
  ],
  targets: [
    .executableTarget(
      name: "RemoteNotes",
      dependencies: [
        .product(name: "SwiftData", package: "OpenSwiftData"),
        .product(name: "SwiftDataStores", package: "OpenSwiftData"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ]
    )
  ],
  swiftLanguageModes: [.v6]
)
