import Foundation

/// Foundation's canonical mappings take quadratic time on Linux: each scalar that they replace moves the rest
/// of the text. So long texts are mapped in pieces. Nothing composes or changes places across the end of a
/// character.
extension String {
  package var canonicallyComposed: String {
    mappingPieces(\.precomposedStringWithCanonicalMapping)
  }

  package var canonicallyDecomposed: String {
    mappingPieces(\.decomposedStringWithCanonicalMapping)
  }

  /// In bytes, about.
  private static var pieceLength: Int { 1024 }

  private func mappingPieces(_ map: (String) -> String) -> String {
    if utf8.count <= String.pieceLength { return map(self) }
    var result = ""
    result.reserveCapacity(utf8.count)
    var piece = ""
    for character in self {
      piece.append(character)
      guard piece.utf8.count >= String.pieceLength else { continue }
      result += map(piece)
      piece = ""
    }
    return result + map(piece)
  }
}
