import Foundation
import SwiftData

extension Matrix {
  /// Another delete rule, and no inverse any more.
  enum Rules: VersionedSchema {
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
      @Relationship(deleteRule: .cascade, inverse: \Item.group) var items: [Item] = []

      init(_ name: String) { self.name = name }
    }
  }

  /// The relationship has no inverse any more.
  enum OneWay: VersionedSchema {
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

      init(_ name: String) { self.name = name }
    }
  }

  /// A link becomes pairs.
  enum Paired: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self, Special.self, Group.self] }

    @Model class Item {
      var name: String
      var count: Int
      var note: String?
      var size: Size = Size()
      @Attribute(.externalStorage) var photo: Data?
      var text: Data?
      @Relationship(originalName: "group", inverse: \Group.items) var groups: [Group] = []

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
      var items: [Item] = []

      init(_ name: String) { self.name = name }
    }
  }

  /// A subclass and a model more, with links to others.
  enum Models: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] {
      [Item.self, Special.self, Group.self, Rare.self, Owner.self]
    }

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

    @Model final class Rare: Item {
      var owner: Owner?

      override init(_ name: String) { super.init(name) }
    }

    @Model final class Owner {
      var name: String = ""

      init() {}
    }
  }

  /// A model is gone, with the links to it.
  enum Fewer: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self, Special.self] }

    @Model class Item {
      var name: String
      var count: Int
      var note: String?
      var size: Size = Size()
      @Attribute(.externalStorage) var photo: Data?
      var text: Data?

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
  }

  /// Properties move to the superclass.
  enum Raised: VersionedSchema {
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
      var bonus: Int?
      @Attribute(.externalStorage) var scan: Data?

      init(_ name: String) { (self.name, count) = (name, 1) }
    }

    @Model final class Special: Item {
      var extra: Size?

      override init(_ name: String) {
        extra = nil
        super.init(name)
      }
    }

    @Model final class Group {
      var name: String
      @Relationship(inverse: \Item.group) var items: [Item] = []

      init(_ name: String) { self.name = name }
    }
  }

  /// A property moves to the subclass.
  enum Lowered: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self, Special.self, Group.self] }

    @Model class Item {
      var name: String
      var count: Int
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
      var note: String?

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

  /// All models have other names.
  enum Named: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Thing.self, Extra.self, Bundle.self] }

    @Model(originalName: "Item") class Thing {
      var name: String
      var count: Int
      var note: String?
      var size: Size = Size()
      @Attribute(.externalStorage) var photo: Data?
      var text: Data?
      var group: Bundle?

      init(_ name: String) { (self.name, count) = (name, 1) }
    }

    @Model(originalName: "Special") final class Extra: Thing {
      var bonus: Int
      var extra: Size?
      @Attribute(.externalStorage) var scan: Data?

      override init(_ name: String) {
        bonus = 1
        super.init(name)
      }
    }

    @Model(originalName: "Group") final class Bundle {
      var name: String
      @Relationship(inverse: \Thing.group) var items: [Thing] = []

      init(_ name: String) { self.name = name }
    }
  }
}
