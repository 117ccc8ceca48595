// Apple's module brings these along, and code that imports SwiftData alone relies on it.
@_exported public import Foundation
@_exported public import Observation
