#if !canImport(ObjectiveC)
  import Foundation
  import OpenSwiftDataStoreFormat

  /// Converts securely coded archives to objects, and objects to archives.
  open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
    /// The classes that are allowed for the root object of an archive.
    open class var allowedTopLevelClasses: [AnyClass] {
      [
        NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self,
        NSData.self, NSURL.self, NSUUID.self, NSNull.self,
      ]
    }

    /// Decodes the object in an archive; nil if it is damaged or its class is not allowed.
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

    /// Archives an object; nil if it can't be archived.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
      guard let value else { return nil }
      return try? NSKeyedArchiver.archivedData(
        withRootObject: value, requiringSecureCoding: true)
    }
  }
#endif
