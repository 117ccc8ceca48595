import Foundation

/// Foundation's canonical mappings take quadratic time on Linux, because each replaced scalar moves
/// the rest of the text. Long texts are therefore mapped in pieces. Composition and reordering
/// never cross the end of a character.
extension String {
  /// An ASCII text is its own composed form.
  var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }

  package var canonicallyComposed: String {
    mappingPieces(\.precomposedStringWithCanonicalMapping)
  }

  package var canonicallyDecomposed: String {
    mappingPieces(\.decomposedStringWithCanonicalMapping)
  }

  /// The approximate length of a piece in bytes.
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
