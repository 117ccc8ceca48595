// swift-tools-version: 6.1

import PackageDescription

let package = Package(
  name: "Ours",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "OpenSwiftData", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "Ours",
      dependencies: [.product(name: "SwiftData", package: "OpenSwiftData")])
  ],
  swiftLanguageModes: [.v6]
)
