import SwiftData
import SwiftDataStores

/// Where random programs store their models.
enum ShapeStore {
  /// A file, or a database on a server.
  case database
  case dictionary
  case json

  /// What the containers of one program have in common.
  func configuration(in folder: TemporaryFolder) -> any DataStoreConfiguration {
    switch self {
    case .database: ModelConfiguration(url: folder.store)
    case .dictionary: DictionaryStoreConfiguration(contents: DictionaryStoreContents())
    case .json: JSONStoreConfiguration(url: folder.store)
    }
  }

  /// Whether a transaction that fails undoes what was saved in it.
  var hasTransactions: Bool { self == .database }

  /// Whether a save leaves a member of several lists without an inverse in one of them.
  var membersHaveOneOwner: Bool { self == .database }
}
