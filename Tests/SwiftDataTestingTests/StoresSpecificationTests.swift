import Foundation
import SwiftData
import SwiftDataStores
import SwiftDataTesting
import Synchronization
import Testing

/// The stores beside the default one keep the rules of the specification.
@Suite(.serialized) struct StoresSpecificationTests {
  typealias Level = StoreSpecification.Level

  /// Neither store has a history.
  private let levels = Set(Level.allCases).subtracting([.history])

  @Test func aDocumentKeepsTheRules() async throws {
    let report = try await StoreSpecification.run(levels: levels) { setup in
      JSONStoreConfiguration(url: setup.folder.appending(path: "\(setup.name).json"))
    }
    #expect(report.alsoSatisfied.isEmpty)
  }

  @Test func contentsInMemoryKeepTheRules() async throws {
    let contents = Contents()
    let report = try await StoreSpecification.run(levels: levels) { setup in
      DictionaryStoreConfiguration(setup.name, contents: contents[setup.name])
    }
    #expect(report.alsoSatisfied.isEmpty)
  }
}

/// The rows of each rule.
private final class Contents: Sendable {
  private let known = Mutex<[String: DictionaryStoreContents]>([:])

  subscript(name: String) -> DictionaryStoreContents {
    known.withLock { known in
      let contents = known[name] ?? DictionaryStoreContents()
      known[name] = contents
      return contents
    }
  }
}
