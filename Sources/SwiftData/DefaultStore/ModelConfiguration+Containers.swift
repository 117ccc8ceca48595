extension ModelConfiguration {
  /// The CloudKit database for a store on Apple's platforms; has no effect here.
  public struct CloudKitDatabase: Sendable {
    private enum Kind {
      case automatic, none
      case `private`(String)
    }

    private let kind: Kind

    /// The database from the app's entitlements.
    public static var automatic: ModelConfiguration.CloudKitDatabase { .init(kind: .automatic) }

    /// No database.
    public static var none: ModelConfiguration.CloudKitDatabase { .init(kind: .none) }

    /// The private database of a CloudKit container.
    public static func `private`(
      _ privateDBName: String
    ) -> ModelConfiguration.CloudKitDatabase {
      .init(kind: .private(privateDBName))
    }

    var containerName: String? {
      if case .private(let name) = kind { name } else { nil }
    }
  }

  /// The app group whose folder contains a store on Apple's platforms; has no effect here.
  public struct GroupContainer: Sendable {
    private enum Kind {
      case automatic, none
      case identifier(String)
    }

    private let kind: Kind

    /// The first app group in the app's entitlements.
    public static var automatic: ModelConfiguration.GroupContainer { .init(kind: .automatic) }

    /// No group.
    public static var none: ModelConfiguration.GroupContainer { .init(kind: .none) }

    /// The app group with a name.
    public static func identifier(_ groupName: String) -> ModelConfiguration.GroupContainer {
      .init(kind: .identifier(groupName))
    }

    var groupName: String? {
      if case .identifier(let name) = kind { name } else { nil }
    }
  }
}
