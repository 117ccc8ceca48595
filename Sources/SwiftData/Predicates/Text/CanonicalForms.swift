import Foundation

/// The texts that Swift considers equal to one text: its canonical equivalents.
///
/// A store keeps text as it was written, for example `é` as one or two scalars, while an index
/// compares bytes. A comparison with a captured text therefore becomes a comparison with all its
/// spellings, which can use an index. Most ASCII texts have one spelling, and each accent doubles
/// the number. If accents or Korean syllables give too many spellings, their common prefixes are
/// used.
enum CanonicalForms {
  /// All spellings.
  case all([String])
  /// Prefixes: every spelling begins with one of them.
  case beginnings([String])

  /// With more spellings, the longer statement costs more than it saves.
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

  /// Prefixes such that every text that begins with `text` begins with one of them; an empty one
  /// excludes nothing.
  static func beginnings(of text: String) -> [String] {
    switch CanonicalForms(text) {
    case .all(let forms), .beginnings(let forms): forms
    }
  }

  /// The smallest text, by bytes, after all texts that begin with `text`; `nil` if there is none.
  static func successor(of text: String) -> String? {
    var scalars = Array(text.unicodeScalars)
    while let last = scalars.popLast() {
      let value = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let next = Unicode.Scalar(value) else { continue }
      return String(String.UnicodeScalarView(scalars + [next]))
    }
    return nil
  }

  /// Whether the text has only one spelling.
  static func hasOneForm(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 < 0x80 && hasOneForm(Unicode.Scalar($0)) }
  }

  /// All ASCII characters have one spelling, except `K`, `;` and `` ` ``, which are equivalent to
  /// the kelvin sign, the Greek question mark and the varia.
  fileprivate static func hasOneForm(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII && scalar != "K" && scalar != ";" && scalar != "`"
  }
}

extension CanonicalForms {
  /// The beginning of a spelling, and the decomposed scalars that remain.
  private struct Partial {
    var text = String.UnicodeScalarView()
    var rest: ArraySlice<Unicode.Scalar>

    /// The beginnings that are one scalar longer; a complete spelling is returned unchanged.
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

    /// The scalars that may come next: the first one, or any of the combining marks at the start.
    private var movable: Range<Int> {
      let marks = rest.prefix { Self.rank($0) > 0 }
      return rest.startIndex..<max(marks.endIndex, rest.startIndex + 1)
    }

    /// Takes all scalars with one spelling that are followed by another such scalar.
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

    /// Whether the scalar has one spelling if another such scalar follows: it is no combining mark,
    /// and no other scalar is equivalent to it or to a text that begins with it. Only combining
    /// marks combine with ASCII.
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
      if scalar.isASCII { return CanonicalForms.hasOneForm(scalar) }
      return rank(scalar) == 0 && Compositions.beginning(with: scalar).isEmpty
        && !(0x1100..<0x1113).contains(scalar.value)
    }

    /// Whether the scalar may come before the remaining ones in front of it: combining marks of
    /// different classes may be exchanged.
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

    /// Korean syllables are composed by a rule.
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

  /// The scalars that are equivalent to several scalars or to another one, by the first of these.
  private enum Compositions {
    typealias Composition = (parts: [Unicode.Scalar], composed: Unicode.Scalar)

    static func beginning(with scalar: Unicode.Scalar) -> [Composition] {
      table[scalar] ?? []
    }

    /// Read from Foundation's decompositions, once and in one call. The omitted blocks contain
    /// Chinese characters, which do not decompose, and Korean syllables, which decompose by a rule.
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
