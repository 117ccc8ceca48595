// swift-tools-version: 6.1

import PackageDescription

// A package of its own, because it needs libpq, which the other benchmarks do not.
let package = Package(
  name: "PostgresBenchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "OpenSwiftData", path: "../..")
  ],
  targets: [
    .systemLibrary(name: "BenchmarkPostgres", providers: [.apt(["libpq-dev"])]),
    .executableTarget(
      name: "PostgresBenchmarks",
      dependencies: [
        "BenchmarkPostgres",
        .product(name: "SwiftData", package: "OpenSwiftData"),
        .product(name: "SwiftDataPostgres", package: "OpenSwiftData"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
