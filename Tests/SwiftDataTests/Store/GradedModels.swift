import Foundation
import SwiftData

/// A model that gains a property with a default and a value in a file, and keeps its name.
enum Graded {
  enum First {
    @Model final class Item {
      var name: String
      @Attribute(.externalStorage) var image: Data?

      init(_ name: String, image: Data? = nil) {
        self.name = name
        self.image = image
      }
    }
  }

  enum Second {
    @Model final class Item {
      var name: String
      @Attribute(.externalStorage) var image: Data?
      var grade = 7
      var unit = "pieces"

      init(_ name: String) { self.name = name }
    }
  }
}
