/// The references of an array of objects as words, to compare many of them without visiting the
/// objects.
package enum ObjectWords {
  /// Calls `body` with one word for each object: the bits of its `ObjectIdentifier`.
  ///
  /// - Parameter areStored: Whether the array itself consists of these words; by default this is
  ///   read from its first object. Otherwise the words are copied from the objects.
  package static func read<Object: AnyObject, R>(
    of objects: [Object], areStored: Bool? = nil, _ body: (UnsafeRawBufferPointer) -> R
  ) -> R {
    guard areStored ?? isArrayOfWords(objects) else {
      return objects.map { UInt(bitPattern: ObjectIdentifier($0)) }.withUnsafeBytes(body)
    }
    return objects.withUnsafeBytes(body)
  }

  package static func isArrayOfWords<Object: AnyObject>(_ objects: [Object]) -> Bool {
    guard MemoryLayout<Object>.stride == MemoryLayout<UInt>.stride else { return false }
    guard let first = objects.first else { return true }
    let word = objects.withUnsafeBytes { $0.load(as: UInt.self) }
    return word == UInt(bitPattern: ObjectIdentifier(first))
  }
}
