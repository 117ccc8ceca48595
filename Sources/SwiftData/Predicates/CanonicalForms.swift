import Foundation

/// The texts that Swift takes for equal to one text: its canonical equivalents.
///
/// A store keeps text as it was written, `é` as one scalar or as two, while an index compares bytes. So
/// a question about a captured text becomes a question about all its spellings, which an index
/// serves. There are few: one for most texts of ASCII, two for each accent. Where accents, or the
/// syllables of Korean, make too many, the beginnings that they have in common remain.
enum CanonicalForms {
  /// Every spelling.
  case all([String])
  /// Beginnings, of which every spelling has one.
  case beginnings([String])

  /// More spellings than these cost more than they save.
  private static var limit: Int { 32 }

  init(_ text: String) {
    guard !Self.hasOneForm(text) else {
      self = .all([text])
      return
    }
    let scalars = Array(text.canonicallyDecomposed.unicodeScalars)
    var partial = [Partial(rest: scalars[...])]
    while partial.contains(where: { !$0.rest.isEmpty }) {
      let longer = partial.flatMap(\.continuations)
      guard longer.count <= Self.limit else {
        self = .beginnings(partial.map { String($0.text) })
        return
      }
      partial = longer
    }
    self = .all(partial.map { String($0.text) })
  }

  /// Texts of which every text that begins with `text` begins with one; one that is empty says
  /// nothing.
  static func beginnings(of text: String) -> [String] {
    switch CanonicalForms(text) {
    case .all(let forms), .beginnings(let forms): forms
    }
  }

  /// The least text behind all that begin with `text`, byte by byte; `nil` when there is none.
  static func successor(of text: String) -> String? {
    var scalars = Array(text.unicodeScalars)
    while let last = scalars.popLast() {
      let value = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let next = Unicode.Scalar(value) else { continue }
      return String(String.UnicodeScalarView(scalars + [next]))
    }
    return nil
  }

  /// Whether the text has no other spelling than its own.
  static func hasOneForm(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 < 0x80 && hasOneForm(Unicode.Scalar($0)) }
  }

  /// ASCII has no other spelling but for `K`, `;` and `` ` ``, which the signs for kelvin, the Greek
  /// question mark and the varia stand for.
  fileprivate static func hasOneForm(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII && scalar != "K" && scalar != ";" && scalar != "`"
  }
}

extension CanonicalForms {
  /// The beginning of a spelling and the decomposed scalars that it has still to spell.
  private struct Partial {
    var text = String.UnicodeScalarView()
    var rest: ArraySlice<Unicode.Scalar>

    /// The beginnings that are one scalar longer; a whole spelling is its own.
    var continuations: [Partial] {
      guard let first = rest.first else { return [self] }
      if let plain = takingPlainRun() { return [plain] }
      var result: [Partial] = []
      var seen: Set<Unicode.Scalar> = []
      for index in movable where canTake(index) && seen.insert(rest[index]).inserted {
        result.append(taking([rest[index]], as: rest[index]))
        for (parts, composed) in Compositions.beginning(with: rest[index]) {
          if let longer = takingAll(parts, as: composed) { result.append(longer) }
        }
      }
      return result + syllables(first)
    }

    /// The scalars that may be spelled next: the first one, or any of the marks that come first.
    private var movable: Range<Int> {
      let marks = rest.prefix { Self.rank($0) > 0 }
      return rest.startIndex..<max(marks.endIndex, rest.startIndex + 1)
    }

    /// Takes the scalars that have one form and are followed by such a one, all at once.
    private func takingPlainRun() -> Partial? {
      var end = rest.startIndex
      while end < rest.endIndex, Self.isPlain(rest[end]),
        end + 1 == rest.endIndex || Self.isPlain(rest[end + 1])
      { end += 1 }
      guard end > rest.startIndex else { return nil }
      var result = self
      result.text.append(contentsOf: rest[..<end])
      result.rest = rest[end...]
      return result
    }

    /// Whether the scalar has one form where another such one follows: it is no mark, and no other scalar
    /// stands for it or for a text that begins with it. ASCII begins such texts only with marks.
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
      if scalar.isASCII { return CanonicalForms.hasOneForm(scalar) }
      return rank(scalar) == 0 && Compositions.beginning(with: scalar).isEmpty
        && !(0x1100..<0x1113).contains(scalar.value)
    }

    /// Whether the scalar may be spelled before those that stand in front of it: marks of another
    /// kind may change places.
    private func canTake(_ index: Int) -> Bool {
      let rank = Self.rank(rest[index])
      return rest[..<index].allSatisfy { (1..<max(rank, 1)).contains(Self.rank($0)) }
    }

    private func taking(_ parts: [Unicode.Scalar], as scalar: Unicode.Scalar) -> Partial {
      takingAll(parts, as: scalar) ?? self
    }

    private func takingAll(_ parts: [Unicode.Scalar], as scalar: Unicode.Scalar) -> Partial? {
      var result = self
      for part in parts {
        guard !result.rest.isEmpty,
          let index = result.movable.first(where: { result.rest[$0] == part }),
          result.canTake(index)
        else { return nil }
        if index == result.rest.startIndex {
          result.rest.removeFirst()
        } else {
          result.rest.remove(at: index)
        }
      }
      result.text.append(scalar)
      return result
    }

    /// Korean syllables are composed by rule.
    private func syllables(_ first: Unicode.Scalar) -> [Partial] {
      let start = rest.startIndex
      guard (0x1100..<0x1113).contains(first.value), rest.count > 1,
        (0x1161..<0x1176).contains(rest[start + 1].value)
      else { return [] }
      let (vowel, tail) = (rest[start + 1], rest.count > 2 ? rest[start + 2] : "\0")
      let open = 0xAC00 + ((first.value - 0x1100) * 21 + vowel.value - 0x1161) * 28
      var result: [Partial] = []
      if let scalar = Unicode.Scalar(open) {
        result.append(taking([first, vowel], as: scalar))
      }
      if (0x11A8..<0x11C3).contains(tail.value),
        let scalar = Unicode.Scalar(open + tail.value - 0x11A7)
      {
        result.append(taking([first, vowel, tail], as: scalar))
      }
      return result
    }

    private static func rank(_ scalar: Unicode.Scalar) -> Int {
      scalar.isASCII ? 0 : Int(scalar.properties.canonicalCombiningClass.rawValue)
    }
  }

  /// Which scalars stand for several, or for another one, by the first that they stand for.
  private enum Compositions {
    typealias Composition = (parts: [Unicode.Scalar], composed: Unicode.Scalar)

    static func beginning(with scalar: Unicode.Scalar) -> [Composition] {
      table[scalar] ?? []
    }

    /// Read from Foundation's decompositions, once and all at once. The blocks left out hold Chinese
    /// characters and Korean syllables, which do not decompose, or do so by rule.
    private static let table: [Unicode.Scalar: [Composition]] = {
      let blocks: [ClosedRange<UInt32>] = [
        0xA0...0x33FF, 0xA4D0...0xABFF, 0xF900...0xFFFD, 0x10000...0x16FFF, 0x1D000...0x1EFFF,
        0x2F800...0x2FA1F,
      ]
      let all = blocks.joined().compactMap(Unicode.Scalar.init)
      var text = String.UnicodeScalarView()
      for scalar in all {
        text.append(scalar)
        text.append("\0")
      }
      let decomposed = String(text).decomposedStringWithCanonicalMapping.unicodeScalars
      var table: [Unicode.Scalar: [Composition]] = [:]
      for (scalar, parts) in zip(all, decomposed.split(separator: "\0")) {
        guard let first = parts.first, parts.count > 1 || first != scalar else { continue }
        table[first, default: []].append((Array(parts), scalar))
      }
      return table
    }()
  }
}
