import SwiftData

/// A model of one name, for tests whose subject is another model or the store.
enum Named {
  @Model final class Trip {
    var name: String

    init(_ name: String) { self.name = name }
  }
}
