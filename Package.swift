// swift-tools-version: 6.1

import CompilerPluginSupport
import PackageDescription

let package = Package(
  name: "OpenSwiftData",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "SwiftData", targets: ["SwiftData"])
  ],
  dependencies: [
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1")
  ],
  targets: [
    .systemLibrary(
      name: "CSQLite",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .yum(["sqlite-devel"]), .brew(["sqlite"])]
    ),
    .target(name: "RowStorage"),
    .target(name: "SQLiteEngine", dependencies: ["CSQLite", "RowStorage"]),
    .target(name: "SQLSyntax"),
    .macro(
      name: "SwiftDataMacros",
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
      dependencies: ["RowStorage", "SQLiteEngine", "SQLSyntax", "SwiftDataMacros"]
    ),
    .testTarget(name: "RowStorageTests", dependencies: ["RowStorage"]),
    .testTarget(name: "SQLiteEngineTests", dependencies: ["SQLiteEngine", "RowStorage", "CSQLite"]),
    .testTarget(name: "SQLSyntaxTests", dependencies: ["SQLSyntax"]),
    .testTarget(
      name: "SwiftDataMacrosTests",
      dependencies: [
        "SwiftDataMacros",
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftOperators", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
      ]
    ),
    .executableTarget(name: "StoreWorker", dependencies: ["SwiftData"], path: "Tests/StoreWorker"),
    .testTarget(
      name: "SwiftDataTests",
      dependencies: ["SwiftData", "SQLiteEngine", "SQLSyntax", "StoreWorker"]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
