import Foundation
import Synchronization

/// Splits `Codable` values into the values of their columns, and restores them.
package struct CompositeCoding: Sendable {
  package let leaves: [CompositeLeaf]
  private let tree: CompositeTree

  package init(leaves: [CompositeLeaf]) {
    self.leaves = leaves
    self.tree = CompositeTree(leaves)
  }

  /// The values of the columns, in the order of the leaves.
  ///
  /// - Parameter isOptional: Whether the property may also be nil.
  package func flatten(
    _ value: any Encodable, isOptional: Bool = false
  ) throws -> [_StoredValue] {
    try sink(of: value, isOptional: isOptional).values
  }

  private func sink(of value: any Encodable, isOptional: Bool) throws -> CompositeSink {
    let sink = CompositeSink(tree)
    try sink.write(value, at: CompositeTree.root)
    if let error = sink.error { throw error }
    try sink.checkCases(isOptional: isOptional)
    return sink
  }

  /// The values of the columns of one value, and whether these give back the value.
  package static func flattening(
    _ value: any Encodable, leaves: [CompositeLeaf], isOptional: Bool
  ) throws -> (values: [_StoredValue], isExact: Bool) {
    let sink = try CompositeCodingCache.coding(for: leaves).sink(of: value, isOptional: isOptional)
    guard isOptional else { return (sink.values, sink.isExact) }
    // NaN is stored as null, and a value of which all columns are null is read as nil.
    return (sink.values, sink.isExact && sink.values.contains { !$0.isNull && !$0.isNaN })
  }

  /// Restores a value from the result of `flatten`.
  package func restore<T: Decodable>(_ type: T.Type, from values: [_StoredValue]) throws -> T {
    let source = CompositeSource(tree, values)
    return try source.read(type, at: CompositeTree.root, codingPath: [])
  }

  /// The values of the columns of one value, in the order of the leaves.
  package static func flatten(
    _ value: any Encodable, leaves: [CompositeLeaf], isOptional: Bool = false
  ) throws -> [_StoredValue] {
    try CompositeCodingCache.coding(for: leaves).flatten(value, isOptional: isOptional)
  }

  /// Restores a value from the result of `flatten(_:leaves:)`.
  package static func restore<T: Decodable>(
    _ type: T.Type, leaves: [CompositeLeaf], values: [_StoredValue]
  ) throws -> T {
    try CompositeCodingCache.coding(for: leaves).restore(type, from: values)
  }
}

/// The codings of recently used lists of leaves. A list is identified by its storage, which the
/// coding retains; comparing the leaves would cost as much as making the coding.
private enum CompositeCodingCache {
  private static let codings = Mutex<[UInt: CompositeCoding]>([:])
  private static let capacity = 1024

  static func coding(for leaves: [CompositeLeaf]) -> CompositeCoding {
    let storage = leaves.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    guard !leaves.isEmpty else { return CompositeCoding(leaves: leaves) }
    return codings.withLock { codings in
      if let coding = codings[storage], coding.leaves.count == leaves.count { return coding }
      let coding = CompositeCoding(leaves: leaves)
      if codings.count >= capacity { codings.removeAll() }
      codings[storage] = coding
      return coding
    }
  }
}

/// JSON for values in a single column. JSON has no numbers for infinities and NaN, so these are
/// texts.
package enum EncodedCoding {
  /// Encodes as compact JSON with sorted keys and sorted elements of sets, so that equal values give equal
  /// bytes. Sets inside other values are not sorted.
  package static func encode(_ value: any Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: infinity, negativeInfinity: "-" + infinity, nan: nan)
    let data = try encoder.encode(value)
    if hasBareNaN(data) {
      throw SwiftDataError.modelValidationFailure.with(
        "A decimal that is not a number can't be stored inside another value. Set a valid number.")
    }
    if let collection = value as? any UnorderedCollection {
      return type(of: collection).sorted(data)
    }
    return data
  }

  /// Whether the JSON contains `NaN` outside of texts: decoders reject it.
  private static func hasBareNaN(_ data: Data) -> Bool {
    guard data.range(of: Data(nan.utf8)) != nil else { return false }
    var (isText, isEscaped) = (false, false)
    for byte in data {
      switch byte {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\"): isEscaped = true
      case UInt8(ascii: "\""): isText.toggle()
      case UInt8(ascii: "N"): if !isText { return true }
      default: break
      }
    }
    return false
  }

  package static func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: infinity, negativeInfinity: "-" + infinity, nan: nan)
    return try decoder.decode(type, from: data)
  }

  private static let infinity = "Infinity"
  private static let nan = "NaN"
}
