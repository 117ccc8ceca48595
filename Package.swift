// swift-tools-version: 6.1

import CompilerPluginSupport
import PackageDescription

// Only targets for PostgreSQL depend on it. For a library with `pkgConfig` SwiftPM warns all users who do
// not have it, also those who do not need it, so Linux goes without: the header looks in the usual
// folders.
#if os(macOS)
  let libpq = Target.systemLibrary(
    name: "OpenSwiftDataCPostgres", pkgConfig: "libpq", providers: [.brew(["libpq"])])
#else
  let libpq = Target.systemLibrary(
    name: "OpenSwiftDataCPostgres", providers: [.apt(["libpq-dev"]), .yum(["libpq-devel"])])
#endif

let observability = TargetDependencyCondition.when(traits: ["Observability"])

let package = Package(
  name: "OpenSwiftData",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "SwiftData", targets: ["SwiftData"]),
    .library(name: "SwiftDataTools", targets: ["SwiftDataTools"]),
    .library(name: "SwiftDataStores", targets: ["SwiftDataStores"]),
    .library(name: "SwiftDataTesting", targets: ["SwiftDataTesting"]),
    .library(name: "SwiftDataPostgres", targets: ["SwiftDataPostgres"]),
    .library(name: "SwiftDataObservability", targets: ["SwiftDataObservability"]),
  ],
  traits: [
    .trait(
      name: "Observability",
      description: "The product SwiftDataObservability: logs, metrics and traces of stores.")
  ],
  dependencies: [
    .package(url: "https://github.com/swiftlang/swift-syntax", "600.0.0"..<"604.0.0"),
    // Only fetched for the trait Observability: all target dependencies on them have the condition.
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.2.0"),
  ],
  targets: [
    .systemLibrary(
      name: "OpenSwiftDataCSQLite",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .yum(["sqlite-devel"]), .brew(["sqlite"])]
    ),
    .systemLibrary(
      name: "OpenSwiftDataCZlib",
      pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .yum(["zlib-devel"]), .brew(["zlib"])]
    ),
    libpq,
    .target(name: "OpenSwiftDataCRuntime"),
    .target(name: "OpenSwiftDataRowStorage"),
    .target(
      name: "OpenSwiftDataSQLiteEngine",
      dependencies: ["OpenSwiftDataCSQLite", "OpenSwiftDataRowStorage"]),
    .target(
      name: "OpenSwiftDataPostgresEngine",
      dependencies: ["OpenSwiftDataCPostgres", "OpenSwiftDataRowStorage"]),
    .target(name: "OpenSwiftDataSQLSyntax"),
    .target(name: "OpenSwiftDataStoreFormat", dependencies: ["OpenSwiftDataCZlib"]),
    .macro(
      name: "OpenSwiftDataMacros",
      dependencies: [
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
        .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftOperators", package: "swift-syntax"),
      ]
    ),
    .target(
      name: "SwiftData",
      dependencies: [
        "OpenSwiftDataCRuntime", "OpenSwiftDataRowStorage", "OpenSwiftDataSQLiteEngine",
        "OpenSwiftDataSQLSyntax", "OpenSwiftDataStoreFormat", "OpenSwiftDataMacros",
      ]
    ),
    .target(
      name: "SwiftDataTools",
      dependencies: [
        "SwiftData", "OpenSwiftDataRowStorage", "OpenSwiftDataSQLiteEngine",
        "OpenSwiftDataSQLSyntax", "OpenSwiftDataStoreFormat",
      ]),
    .target(name: "SwiftDataStores", dependencies: ["SwiftData"]),
    .target(name: "SwiftDataTesting", dependencies: ["SwiftData"]),
    .target(
      name: "SwiftDataPostgres",
      dependencies: [
        "SwiftData", "OpenSwiftDataPostgresEngine", "OpenSwiftDataRowStorage",
        "OpenSwiftDataSQLiteEngine", "OpenSwiftDataSQLSyntax", "OpenSwiftDataStoreFormat",
      ]),
    .target(
      name: "SwiftDataObservability",
      dependencies: [
        "SwiftData",
        .product(name: "Logging", package: "swift-log", condition: observability),
        .product(name: "CoreMetrics", package: "swift-metrics", condition: observability),
        .product(name: "Tracing", package: "swift-distributed-tracing", condition: observability),
      ]),
    .testTarget(name: "RowStorageTests", dependencies: ["OpenSwiftDataRowStorage"]),
    .testTarget(
      name: "SQLiteEngineTests",
      dependencies: [
        "OpenSwiftDataSQLiteEngine", "OpenSwiftDataRowStorage", "OpenSwiftDataCSQLite",
      ]),
    .testTarget(
      name: "PostgresEngineTests",
      dependencies: [
        "OpenSwiftDataPostgresEngine", "OpenSwiftDataRowStorage", "OpenSwiftDataTestPostgres",
      ]),
    .testTarget(name: "SQLSyntaxTests", dependencies: ["OpenSwiftDataSQLSyntax"]),
    .testTarget(name: "StoreFormatTests", dependencies: ["OpenSwiftDataStoreFormat"]),
    .testTarget(
      name: "SwiftDataMacrosTests",
      dependencies: [
        "OpenSwiftDataMacros",
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftOperators", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
      ]
    ),
    .target(
      name: "OpenSwiftDataTestModels", dependencies: ["SwiftData"], path: "Tests/TestModels"),
    .target(
      name: "OpenSwiftDataTestPostgres", dependencies: ["OpenSwiftDataPostgresEngine"],
      path: "Tests/TestPostgres"),
    .target(name: "OpenSwiftDataNameClash", path: "Tests/NameClash"),
    .executableTarget(
      name: "OpenSwiftDataStoreWorker", dependencies: ["SwiftData", "OpenSwiftDataTestModels"],
      path: "Tests/StoreWorker"),
    .testTarget(
      name: "SwiftDataTests",
      dependencies: [
        "SwiftData", "SwiftDataTools", "OpenSwiftDataRowStorage", "OpenSwiftDataSQLiteEngine",
        "OpenSwiftDataSQLSyntax", "OpenSwiftDataStoreFormat", "OpenSwiftDataNameClash",
        "SwiftDataStores", "OpenSwiftDataStoreWorker", "OpenSwiftDataTestModels",
        "SwiftDataPostgres", "OpenSwiftDataPostgresEngine", "OpenSwiftDataTestPostgres",
      ],
      resources: [.copy("RealFiles/Files"), .copy("Stores")]),
    // The settings of new projects in Xcode 26.
    .testTarget(
      name: "SwiftDataMainActorTests", dependencies: ["SwiftData"], path: "Tests/MainActorTests",
      swiftSettings: [
        .swiftLanguageMode(.v5), .unsafeFlags(["-default-isolation", "MainActor"]),
      ]),
    .testTarget(
      name: "SwiftDataToolsTests",
      dependencies: [
        "SwiftDataTools", "SwiftData", "OpenSwiftDataSQLiteEngine", "OpenSwiftDataStoreFormat",
      ]),
    .executableTarget(
      name: "OpenSwiftDataDocumentWorker", dependencies: ["SwiftDataStores", "SwiftData"],
      path: "Tests/DocumentWorker"),
    .testTarget(
      name: "SwiftDataStoresTests",
      dependencies: ["SwiftDataStores", "SwiftData", "OpenSwiftDataDocumentWorker"]),
    .executableTarget(
      name: "OpenSwiftDataPostgresWorker", dependencies: ["SwiftDataPostgres", "SwiftData"],
      path: "Tests/PostgresWorker"),
    .executableTarget(
      name: "OpenSwiftDataPostgresHistoryWorker", dependencies: ["SwiftDataPostgres", "SwiftData"],
      path: "Tests/PostgresHistoryWorker"),
    .testTarget(
      name: "SwiftDataPostgresTests",
      dependencies: [
        "SwiftDataPostgres", "SwiftData", "SwiftDataTesting", "OpenSwiftDataPostgresEngine",
        "OpenSwiftDataTestPostgres", "OpenSwiftDataPostgresWorker",
        "OpenSwiftDataPostgresHistoryWorker", "OpenSwiftDataSQLiteEngine",
      ]),
    .testTarget(
      name: "SwiftDataTestingTests",
      dependencies: ["SwiftDataTesting", "SwiftDataStores", "SwiftData"]),
  ],
  swiftLanguageModes: [.v6]
)

// `make docs` sets the variable, so that users' builds do not depend on the plugin.
if Context.environment["OPENSWIFTDATA_DOCS"] == "1" {
  package.dependencies.append(
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}

// `make test` and CI set the variable; the checks cost time, so that users' builds leave them out.
let invariants: [SwiftSetting] =
  Context.environment["OPENSWIFTDATA_INVARIANTS"] == "1"
  ? [.define("OPENSWIFTDATA_INVARIANTS")] : []

// The nightly workflow sets the variable, so that random tests run twice as many programs. Building the
// library then takes three minutes more.
let optimizes = Context.environment["OPENSWIFTDATA_OPTIMIZED_TESTS"] == "1"
let optimization: [SwiftSetting] = [
  .unsafeFlags(["-O", "-whole-module-optimization"])
]
let optimizedTargets: Set = [
  "OpenSwiftDataRowStorage", "OpenSwiftDataSQLiteEngine", "OpenSwiftDataSQLSyntax",
  "OpenSwiftDataStoreFormat", "SwiftData",
]

for target in package.targets where target.type != .system {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"),
      .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"),
    ] + invariants
    + (optimizes && optimizedTargets.contains(target.name) ? optimization : [])
}
