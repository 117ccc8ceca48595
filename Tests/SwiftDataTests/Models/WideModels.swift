import Foundation
import SwiftData

/// A class with more properties than a machine word has bits.
enum Wide {
  /// Slots 0 to 62 are numbers; behind them are properties of every kind.
  @Model final class Form {
    var n00 = 0
    var n01 = 0
    var n02 = 0
    var n03 = 0
    var n04 = 0
    var n05 = 0
    var n06 = 0
    var n07 = 0
    var n08 = 0
    var n09 = 0
    var n10 = 0
    var n11 = 0
    var n12 = 0
    var n13 = 0
    var n14 = 0
    var n15 = 0
    var n16 = 0
    var n17 = 0
    var n18 = 0
    var n19 = 0
    var n20 = 0
    var n21 = 0
    var n22 = 0
    var n23 = 0
    var n24 = 0
    var n25 = 0
    var n26 = 0
    var n27 = 0
    var n28 = 0
    var n29 = 0
    var n30 = 0
    var n31 = 0
    var n32 = 0
    var n33 = 0
    var n34 = 0
    var n35 = 0
    var n36 = 0
    var n37 = 0
    var n38 = 0
    var n39 = 0
    var n40 = 0
    var n41 = 0
    var n42 = 0
    var n43 = 0
    var n44 = 0
    var n45 = 0
    var n46 = 0
    var n47 = 0
    var n48 = 0
    var n49 = 0
    var n50 = 0
    var n51 = 0
    var n52 = 0
    var n53 = 0
    var n54 = 0
    var n55 = 0
    var n56 = 0
    var n57 = 0
    var n58 = 0
    var n59 = 0
    var n60 = 0
    var n61 = 0
    var n62 = 0
    var count = 0
    var price = 0.0
    var owner: Owner?
    @Relationship(inverse: \Part.form) var parts: [Part] = []
    var note = ""
    var day: Date?
    var isOpen = false
    var tags: [String] = []
    var size = Size(width: 0, height: 0)
    var bytes = Data()
    var last = 0

    init(_ note: String) { self.note = note }
  }

  @Model final class Owner {
    var name: String
    @Relationship(inverse: \Form.owner) var forms: [Form] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Part {
    var name: String
    var form: Form?

    init(_ name: String) { self.name = name }
  }

  struct Size: Codable, Equatable {
    var width: Int
    var height: Int
  }

  static let types: [any PersistentModel.Type] = [Form.self, Owner.self, Part.self]
}
