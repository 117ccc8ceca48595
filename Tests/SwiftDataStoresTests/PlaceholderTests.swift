import SwiftDataStores
import Testing
