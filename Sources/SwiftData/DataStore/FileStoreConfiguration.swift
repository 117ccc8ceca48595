/// The configuration of a store in one file, which no other store of the container may have.
package protocol FileStoreConfiguration: DataStoreConfiguration {
  /// The path of the file without symbolic links; `nil` for a store that is in no file.
  var storePath: String? { get }
}
