#if !canImport(ObjectiveC)
  import Foundation
  import OpenSwiftDataStoreFormat

  /// Makes objects of Foundation's classes from an archive. Foundation's unarchiver stops the
  /// program on some damaged archives; this one returns nil.
  extension KeyedArchive {
    /// The result of decoding an archive.
    enum Unarchived {
      case object(NSObject)
      /// The archive contains an object of an unknown class, or its root is of a class that is not
      /// allowed.
      case unknownClass
      case damaged
    }

    static func object(in data: Data, ofClasses classes: [AnyClass]) -> Unarchived {
      guard let archive = try? KeyedArchive(data) else { return .damaged }
      var remaining = 1 << 20 + 64 * data.count
      guard let object = archive.object(archive.root, depth: 0, &remaining),
        classes.contains(where: { object.isKind(of: $0) })
      else { return .unknownClass }
      return .object(object)
    }

    /// - Parameter remaining: Limits the number of objects, because shared ones may expand without
    ///   end.
    private func object(_ value: Value, depth: Int, _ remaining: inout Int) -> NSObject? {
      remaining -= 1
      guard depth < 64, remaining > 0 else { return nil }
      if let elements = elements(of: value), case .object(let object) = value {
        var objects: [NSObject] = []
        for element in elements {
          guard let object = self.object(element, depth: depth + 1, &remaining) else { return nil }
          objects.append(object)
        }
        switch className(of: object) {
        case "NSSet", "NSMutableSet": return NSSet(array: objects)
        case "NSOrderedSet", "NSMutableOrderedSet": return NSOrderedSet(array: objects)
        default: return NSArray(array: objects)
        }
      }
      if let entries = entries(of: value) {
        let dictionary = NSMutableDictionary()
        for entry in entries {
          guard let key = object(entry.key, depth: depth + 1, &remaining),
            let value = object(entry.value, depth: depth + 1, &remaining)
          else { return nil }
          dictionary[key] = value
        }
        return dictionary
      }
      if case .object(let object) = value, className(of: object) == "NSNull" { return NSNull() }
      return modelValue(value).flatMap(Self.scalar)
    }

    private static func scalar(_ value: ModelValue) -> NSObject? {
      switch value {
      case .bool(let flag): NSNumber(value: flag)
      case .integer(let number): NSNumber(value: number)
      case .real(let number): NSNumber(value: number)
      case .string(let text): NSString(string: text)
      case .data(let data): NSData(data: data)
      case .date(let seconds): NSDate(timeIntervalSinceReferenceDate: seconds)
      case .uuid(let uuid): NSUUID(uuidString: uuid.uuidString)
      case .url(let text): NSURL(string: text)
      case .decimal(let text): NSDecimalNumber(string: text)
      case .array, .dictionary, .object: nil
      }
    }
  }
#endif
