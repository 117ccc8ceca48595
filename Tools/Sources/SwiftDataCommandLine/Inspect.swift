import ArgumentParser
import Foundation
import SwiftDataTools

struct Inspect: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows the model, the rows and bytes by entity and index, and the history of a file.")

  @OptionGroup var store: StoreArgument

  @Flag(help: "Print JSON with sorted keys; dates are seconds since 2001.")
  var json = false

  func run() throws {
    let inspection = try Failure.describing { try StoreInspection(of: store.url) }
    if json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      print(String(decoding: try encoder.encode(inspection), as: UTF8.self))
    } else {
      print(inspection)
    }
  }
}
