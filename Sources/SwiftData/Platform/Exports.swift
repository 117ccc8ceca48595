// Apple's module exports these too, and code that imports only SwiftData relies on it.
@_exported public import Foundation
@_exported public import Observation
