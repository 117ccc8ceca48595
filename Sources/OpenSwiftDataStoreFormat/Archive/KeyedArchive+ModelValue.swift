import Foundation

/// Converts objects of the classes that Foundation itself archives to plain values.
extension KeyedArchive {
  /// The value; `nil` if it is nested too deeply, too large, or of an unknown class.
  package func modelValue(_ value: Value) -> ModelValue? {
    // Objects can be shared, so a few bytes may expand without limit.
    var remaining = 1 << 20 + 64 * size
    return modelValue(value, depth: 0, &remaining)
  }

  private func modelValue(_ value: Value, depth: Int, _ remaining: inout Int) -> ModelValue? {
    remaining -= 1
    guard depth < 64, remaining > 0 else { return nil }
    switch value {
    case .null: return nil
    case .plain(let plist):
      if case .string(let text) = plist { remaining -= text.utf8.count }
      return ModelValue(plist)
    case .object(let object):
      if let elements = elements(of: value) {
        var values: [ModelValue] = []
        for element in elements {
          guard let element = modelValue(element, depth: depth + 1, &remaining) else { return nil }
          values.append(element)
        }
        return .array(values)
      }
      if let entries = entries(of: value) {
        var values: [String: ModelValue] = [:]
        for entry in entries {
          guard let key = string(entry.key),
            let value = modelValue(entry.value, depth: depth + 1, &remaining)
          else { return nil }
          values[key] = value
        }
        return .dictionary(values)
      }
      return scalar(object)
    }
  }

  private func scalar(_ object: Object) -> ModelValue? {
    guard let name = className(of: object) else { return nil }
    switch name {
    case "NSString", "NSMutableString":
      return string(.object(object)).map(ModelValue.string)
    case "NSData", "NSMutableData":
      guard case .plain(.data(let data)) = self[object, "NS.data"] else { return nil }
      return .data(data)
    case "NSDate":
      switch self[object, "NS.time"] {
      case .plain(.real(let seconds)): return .date(seconds)
      case .plain(.integer(let seconds)): return .date(Double(seconds))
      default: return nil
      }
    case "NSUUID":
      guard case .plain(.data(let bytes)) = self[object, "NS.uuidbytes"], bytes.count == 16 else {
        return nil
      }
      return .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    case "NSURL":
      let relative = string(self[object, "NS.relative"])
      guard let relative, let base = string(self[object, "NS.base"]) else {
        return relative.map(ModelValue.url)
      }
      return .url(URL(string: relative, relativeTo: URL(string: base))?.absoluteString ?? relative)
    default: return .object(className: name)
    }
  }
}

extension ModelValue {
  /// A value without a class; `nil` for references.
  package init?(_ plist: PropertyList) {
    switch plist {
    case .bool(let flag): self = .bool(flag)
    case .integer(let number): self = .integer(number)
    case .unsigned(let number): self = .decimal(String(number))
    case .real(let number): self = .real(number)
    case .date(let seconds): self = .date(seconds)
    case .data(let data): self = .data(data)
    case .string(let text): self = .string(text)
    case .array(let elements):
      let values = elements.compactMap(ModelValue.init)
      guard values.count == elements.count else { return nil }
      self = .array(values)
    case .dictionary(let entries):
      let values = entries.compactMapValues(ModelValue.init)
      guard values.count == entries.count else { return nil }
      self = .dictionary(values)
    case .uid: return nil
    }
  }
}

extension KeyedArchiveWriter {
  /// Archives a value as Foundation does.
  package mutating func value(_ value: ModelValue) -> Reference {
    switch value {
    case .bool(let flag): return plain(.bool(flag))
    case .integer(let number): return plain(.integer(number))
    case .real(let number): return plain(.real(number))
    case .string(let text): return plain(.string(text))
    case .data(let data): return plain(.data(data))
    case .date(let seconds): return object(["NSDate"], ["NS.time": .real(seconds)])
    case .uuid(let uuid):
      return object(
        ["NSUUID"], ["NS.uuidbytes": .data(withUnsafeBytes(of: uuid.uuid) { Data($0) })])
    case .url(let text):
      let relative = string(text)
      return object(
        ["NSURL"], ["NS.base": Reference.null.field, "NS.relative": relative.field])
    case .array(let elements):
      var references: [Reference] = []
      for element in elements { references.append(self.value(element)) }
      return collection(references)
    case .dictionary(let entries):
      var references: [(key: Reference, value: Reference)] = []
      for key in Array(entries.keys).inCodePointOrder {
        guard let entry = entries[key] else { continue }
        references.append((key: string(key), value: self.value(entry)))
      }
      return dictionary(references, isMutable: true)
    // No known file shows how decimal numbers are archived.
    case .decimal, .object: return .null
    }
  }
}
