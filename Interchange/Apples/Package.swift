// swift-tools-version: 6.1

import PackageDescription

// Builds on macOS only: its SwiftData is the system's.
let package = Package(
  name: "Apples",
  platforms: [.macOS(.v15)],
  targets: [
    .executableTarget(name: "Apples")
  ],
  swiftLanguageModes: [.v6]
)
