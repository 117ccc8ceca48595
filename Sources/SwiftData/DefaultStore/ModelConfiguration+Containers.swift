extension ModelConfiguration {
  /// The CloudKit database that a store mirrors on Apple's platforms; not used here.
  public struct CloudKitDatabase: Sendable {
    private enum Kind {
      case automatic, none
      case `private`(String)
    }

    private let kind: Kind

    /// The database of the entitlements of the app.
    public static var automatic: ModelConfiguration.CloudKitDatabase { .init(kind: .automatic) }

    /// No database.
    public static var none: ModelConfiguration.CloudKitDatabase { .init(kind: .none) }

    /// The private database of a container.
    public static func `private`(
      _ privateDBName: String
    ) -> ModelConfiguration.CloudKitDatabase {
      .init(kind: .private(privateDBName))
    }

    var containerName: String? {
      if case .private(let name) = kind { name } else { nil }
    }
  }

  /// The app group in whose folder a store is kept on Apple's platforms; not used here.
  public struct GroupContainer: Sendable {
    private enum Kind {
      case automatic, none
      case identifier(String)
    }

    private let kind: Kind

    /// The first group of the entitlements of the app.
    public static var automatic: ModelConfiguration.GroupContainer { .init(kind: .automatic) }

    /// No group.
    public static var none: ModelConfiguration.GroupContainer { .init(kind: .none) }

    /// The group of a name.
    public static func identifier(_ groupName: String) -> ModelConfiguration.GroupContainer {
      .init(kind: .identifier(groupName))
    }

    var groupName: String? {
      if case .identifier(let name) = kind { name } else { nil }
    }
  }
}
