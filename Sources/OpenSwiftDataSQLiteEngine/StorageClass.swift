/// The class of a value as SQLite stores it.
package enum StorageClass: Int32, Sendable {
  case integer = 1
  case real = 2
  case text = 3
  case blob = 4
  case null = 5
}
