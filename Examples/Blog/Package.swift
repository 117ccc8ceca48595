// swift-tools-version: 6.1

import PackageDescription

let package = Package(
  name: "Blog",
  platforms: [.macOS(.v15)],
  traits: [
    .trait(
      name: "PostgreSQL",
      description: "Stores the models in PostgreSQL if DATABASE_URL is set. Needs libpq."),
    .trait(
      name: "Comparison",
      description:
        "Builds BlogSQL, the same server with GRDB or libpq, for load tests. Fetches GRDB."),
  ],
  dependencies: [
    .package(name: "OpenSwiftData", path: "../..", traits: ["Observability"]),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.3.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.2.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .executableTarget(
      name: "Blog",
      dependencies: [
        .product(name: "SwiftData", package: "OpenSwiftData"),
        .product(name: "SwiftDataObservability", package: "OpenSwiftData"),
        .product(
          name: "SwiftDataPostgres", package: "OpenSwiftData",
          condition: .when(traits: ["PostgreSQL"])),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      resources: [.copy("Resources/blog.html")]
    ),
    .systemLibrary(name: "BlogLibpq", providers: [.apt(["libpq-dev"])]),
    // Without the trait an empty program.
    .executableTarget(
      name: "BlogSQL",
      dependencies: [
        .product(
          name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Comparison"])),
        .target(name: "BlogLibpq", condition: .when(traits: ["PostgreSQL"])),
        .product(name: "Hummingbird", package: "hummingbird"),
      ]
    ),
    // They run the program, so the plan builds it first.
    .testTarget(
      name: "BlogTests",
      dependencies: ["Blog", .product(name: "SwiftData", package: "OpenSwiftData")]),
    // These tests are here because the tests of OpenSwiftData are built without the trait.
    .testTarget(
      name: "SwiftDataObservabilityTests",
      dependencies: [
        .product(name: "SwiftData", package: "OpenSwiftData"),
        .product(name: "SwiftDataObservability", package: "OpenSwiftData"),
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
