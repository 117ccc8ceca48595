import Foundation
import SwiftData

/// Versions that differ from `Base` in one thing each, made to the root and the subclass of a hierarchy alike.
enum Matrix {
  enum Kind: String, Codable { case small, large }

  struct Size: Codable, Equatable {
    var width = 1.0
    var height = 2.0
  }

  struct Deep: Codable, Equatable {
    var width = 1.0
    var depth: Int?
  }

  /// What all stores are made with.
  enum Base: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self, Special.self, Group.self] }

    @Model class Item {
      var name: String
      var count: Int
      var note: String?
      var size: Size = Size()
      @Attribute(.externalStorage) var photo: Data?
      var text: Data?
      var group: Group?

      init(_ name: String) { (self.name, count) = (name, 1) }
    }

    @Model final class Special: Item {
      var bonus: Int
      var extra: Size?
      @Attribute(.externalStorage) var scan: Data?

      override init(_ name: String) {
        bonus = 1
        super.init(name)
      }
    }

    @Model final class Group {
      var name: String
      @Relationship(inverse: \Item.group) var items: [Item] = []

      init(_ name: String) { self.name = name }
    }
  }

  /// New properties, optional and with a value.
  enum Added: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self, Special.self, Group.self] }

    @Model class Item {
      var name: String
      var count: Int
      var note: String?
      var size: Size = Size()
      @Attribute(.externalStorage) var photo: Data?
      var text: Data?
      var group: Group?
      var rank: Int?
      var token: UUID = UUID()
      var kind: Kind = Kind.small
      var place: Size = Size(width: 4, height: 5)

      init(_ name: String) { (self.name, count) = (name, 1) }
    }

    @Model final class Special: Item {
      var bonus: Int
      var extra: Size?
      @Attribute(.externalStorage) var scan: Data?
      var award: Double = 2.5
      var blob: Data?

      override init(_ name: String) {
        bonus = 1
        super.init(name)
      }
    }

    @Model final class Group {
      var name: String
      @Relationship(inverse: \Item.group) var items: [Item] = []

      init(_ name: String) { self.name = name }
    }
  }

  /// Properties of each form are gone.
  enum Removed: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self, Special.self, Group.self] }

    @Model class Item {
      var name: String
      var group: Group?

      init(_ name: String) { self.name = name }
    }

    @Model final class Special: Item {
      var bonus: Int

      override init(_ name: String) {
        bonus = 1
        super.init(name)
      }
    }

    @Model final class Group {
      var name: String
      @Relationship(inverse: \Item.group) var items: [Item] = []

      init(_ name: String) { self.name = name }
    }
  }

  /// All properties have other names.
  enum Renamed: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self, Special.self, Group.self] }

    @Model class Item {
      @Attribute(originalName: "name") var title: String
      @Attribute(originalName: "count") var number: Int
      @Attribute(originalName: "note") var remark: String?
      @Attribute(originalName: "size") var extent: Size = Size()
      @Attribute(.externalStorage, originalName: "photo") var image: Data?
      @Attribute(originalName: "text") var body: Data?
      @Relationship(originalName: "group") var set: Group?

      init(_ name: String) { (title, number) = (name, 1) }
    }

    @Model final class Special: Item {
      @Attribute(originalName: "bonus") var award: Int
      @Attribute(originalName: "extra") var more: Size?
      @Attribute(.externalStorage, originalName: "scan") var copy: Data?

      override init(_ name: String) {
        award = 1
        super.init(name)
      }
    }

    @Model final class Group {
      var name: String
      @Relationship(inverse: \Item.set) var items: [Item] = []

      init(_ name: String) { self.name = name }
    }
  }

  /// Required properties are optional, and the other way round.
  enum Optional: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self, Special.self, Group.self] }

    @Model class Item {
      var name: String?
      var count: Int?
      var note: String = "none"
      var size: Size?
      @Attribute(.externalStorage) var photo: Data = Data([9])
      var text: Data = Data([8])
      var group: Group?

      init(_ name: String) { (self.name, count) = (name, 1) }
    }

    @Model final class Special: Item {
      var bonus: Int?
      var extra: Size = Size(width: 6, height: 7)
      @Attribute(.externalStorage) var scan: Data = Data([7])

      override init(_ name: String) {
        bonus = 1
        super.init(name)
      }
    }

    @Model final class Group {
      var name: String
      @Relationship(inverse: \Item.group) var items: [Item] = []

      init(_ name: String) { self.name = name }
    }
  }

  /// Numbers of another type.
  enum Wider: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self, Special.self, Group.self] }

    @Model class Item {
      var name: String
      var count: Double
      var note: String?
      var size: Size = Size()
      @Attribute(.externalStorage) var photo: Data?
      var text: Data?
      var group: Group?

      init(_ name: String) { (self.name, count) = (name, 1) }
    }

    @Model final class Special: Item {
      var bonus: Float
      var extra: Size?
      @Attribute(.externalStorage) var scan: Data?

      override init(_ name: String) {
        bonus = 1
        super.init(name)
      }
    }

    @Model final class Group {
      var name: String
      @Relationship(inverse: \Item.group) var items: [Item] = []

      init(_ name: String) { self.name = name }
    }
  }

  /// Values move out of files, and others into them.
  enum Moved: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self, Special.self, Group.self] }

    @Model class Item {
      var name: String
      var count: Int
      var note: String?
      var size: Size = Size()
      var photo: Data?
      @Attribute(.externalStorage) var text: Data?
      var group: Group?

      init(_ name: String) { (self.name, count) = (name, 1) }
    }

    @Model final class Special: Item {
      var bonus: Int
      var extra: Size?
      var scan: Data?

      override init(_ name: String) {
        bonus = 1
        super.init(name)
      }
    }

    @Model final class Group {
      var name: String
      @Relationship(inverse: \Item.group) var items: [Item] = []

      init(_ name: String) { self.name = name }
    }
  }

  /// A struct has a member more and one less.
  enum Composed: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self, Special.self, Group.self] }

    @Model class Item {
      var name: String
      var count: Int
      var note: String?
      var size: Deep = Deep()
      @Attribute(.externalStorage) var photo: Data?
      var text: Data?
      var group: Group?

      init(_ name: String) { (self.name, count) = (name, 1) }
    }

    @Model final class Special: Item {
      var bonus: Int
      var extra: Deep?
      @Attribute(.externalStorage) var scan: Data?

      override init(_ name: String) {
        bonus = 1
        super.init(name)
      }
    }

    @Model final class Group {
      var name: String
      @Relationship(inverse: \Item.group) var items: [Item] = []

      init(_ name: String) { self.name = name }
    }
  }

  /// New indexes and uniqueness.
  enum Unique: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self, Special.self, Group.self] }

    @Model class Item {
      #Index<Item>([\.count], [\.name, \.count])
      #Unique<Item>([\.name])

      var name: String
      var count: Int
      var note: String?
      var size: Size = Size()
      @Attribute(.externalStorage) var photo: Data?
      var text: Data?
      var group: Group?

      init(_ name: String) { (self.name, count) = (name, 1) }
    }

    @Model final class Special: Item {
      var bonus: Int
      var extra: Size?
      @Attribute(.externalStorage) var scan: Data?

      override init(_ name: String) {
        bonus = 1
        super.init(name)
      }
    }

    @Model final class Group {
      var name: String
      @Relationship(inverse: \Item.group) var items: [Item] = []

      init(_ name: String) { self.name = name }
    }
  }
}
