// swift-tools-version: 6.1

import PackageDescription

let package = Package(
  name: "Tools",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "swiftdata", targets: ["SwiftDataCommandLine"])
  ],
  traits: [
    .trait(name: "PostgreSQL", description: "The command `swiftdata copy`, which needs libpq.")
  ],
  dependencies: [
    .package(name: "OpenSwiftData", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.3.0"),
  ],
  targets: [
    .executableTarget(
      // Not `swiftdata`: file systems that ignore case would take it for the module SwiftData.
      name: "SwiftDataCommandLine",
      dependencies: [
        .product(name: "SwiftDataTools", package: "OpenSwiftData"),
        .product(
          name: "SwiftDataPostgres", package: "OpenSwiftData",
          condition: .when(traits: ["PostgreSQL"])),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
