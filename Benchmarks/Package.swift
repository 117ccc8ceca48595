// swift-tools-version: 6.1

import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "OpenSwiftData", path: ".."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .systemLibrary(name: "BenchmarkSQLite", pkgConfig: "sqlite3"),
    .target(
      name: "BenchmarkModels",
      dependencies: [.product(name: "SwiftData", package: "OpenSwiftData")]
    ),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "BenchmarkSQLite",
        "BenchmarkModels",
        .product(name: "SwiftData", package: "OpenSwiftData"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
