#if !canImport(ObjectiveC)
  import Foundation
  import OpenSwiftDataStoreFormat

  /// Makes objects of securely coded archives, and archives of objects.
  open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
    /// The classes that an archive may have at its top.
    open class var allowedTopLevelClasses: [AnyClass] {
      [
        NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self,
        NSData.self, NSURL.self, NSUUID.self, NSNull.self,
      ]
    }

    /// Makes the object of an archive.
    open override func transformedValue(_ value: Any?) -> Any? {
      guard let data = value as? Data else { return nil }
      let classes = type(of: self).allowedTopLevelClasses
      switch KeyedArchive.object(in: data, ofClasses: classes) {
      case .object(let object): return object
      case .damaged: return nil
      case .unknownClass:
        return try? NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data)
      }
    }

    /// Makes the archive of an object.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
      guard let value else { return nil }
      return try? NSKeyedArchiver.archivedData(
        withRootObject: value, requiringSecureCoding: true)
    }
  }
#endif
