import Foundation
import OpenSwiftDataSQLiteEngine

/// Warns once for each store that can be opened under a second name with a log of its own.
enum HardLinkWarning {
  static func note(_ store: URL) {
    let path = DatabaseFile.resolvedPath(store.path)
    guard let count = DatabaseFile.linkCount(of: path), count > 1 else { return }
    WarningLog.write(
      "The store at \(path) has \(count) names (hard links). Each name has a log of its own, so a program that "
        + "opens the store under another name damages it, and saves also change what was linked as a backup. "
        + "Make copies or symbolic links instead of hard links.",
      onceFor: "hard link \(path)")
  }
}
