import Foundation
import OpenSwiftDataTestModels
import SwiftData

/// A snapshot as somebody would write it for a store of their own: values by property name.
struct ValuesSnapshot: DataStoreSnapshot {
  enum Value: Codable, Sendable, Equatable {
    case none
    case text(String)
    case texts([String])
    case integer(Int)
    case date(Date)
    case home(Archive.Home)
    case link(PersistentIdentifier)
    case links([PersistentIdentifier])
  }

  let persistentIdentifier: PersistentIdentifier
  var values: [String: Value] = [:]

  init(
    from: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) {
    func read<B: BackingData>(_ data: B) -> [String: Value] {
      guard let model = B.Model.self as? any ValuesReadable.Type else { return [:] }
      func read<M: ValuesReadable>(_ type: M.Type) -> [String: Value] {
        (data as? any BackingData<M>).map { M.values(of: $0) } ?? [:]
      }
      return read(model)
    }
    persistentIdentifier = from.persistentModelID!
    values = read(from)
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let coded = try container.decode(Coded.self)
    persistentIdentifier = coded.identifier
    values = coded.values
  }

  private struct Coded: Codable {
    let identifier: PersistentIdentifier
    let values: [String: Value]
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
    for (name, value) in values {
      let key = DataStoreSnapshotCodingKey.modeledProperty(name)
      switch value {
      case .none: try container.encodeNil(forKey: key)
      case .text(let value): try container.encode(value, forKey: key)
      case .texts(let value): try container.encode(value, forKey: key)
      case .integer(let value): try container.encode(value, forKey: key)
      case .date(let value): try container.encode(value, forKey: key)
      case .home(let value): try container.encode(value, forKey: key)
      case .link(let value): try container.encode(value, forKey: key)
      case .links(let value): try container.encode(value, forKey: key)
      }
    }
  }

  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> ValuesSnapshot {
    var copy = ValuesSnapshot(persistentIdentifier, values)
    guard let map = remappedIdentifiers else { return copy }
    copy.values = values.mapValues { value in
      switch value {
      case .link(let other): .link(map[other] ?? other)
      case .links(let others): .links(others.map { map[$0] ?? $0 })
      default: value
      }
    }
    return copy
  }

  private init(_ identifier: PersistentIdentifier, _ values: [String: Value]) {
    persistentIdentifier = identifier
    self.values = values
  }
}

/// A model that tells its values through the public backing data.
protocol ValuesReadable: PersistentModel {
  static func values(of data: any BackingData<Self>) -> [String: ValuesSnapshot.Value]
}

extension ValuesSnapshot.Value {
  static func optional<V>(_ value: V?, _ make: (V) -> Self) -> Self { value.map(make) ?? .none }

  static func link(to model: (any PersistentModel)?) -> Self {
    model.map { .link($0.persistentModelID) } ?? .none
  }

  static func links(to models: [any PersistentModel]) -> Self {
    .links(models.map(\.persistentModelID))
  }
}

extension Archive.Author: ValuesReadable {
  static func values(of data: any BackingData<Archive.Author>) -> [String: ValuesSnapshot.Value] {
    [
      "name": .text(data.getValue(forKey: \.name)),
      "born": .optional(data.getValue(forKey: \.born)) { .date($0) },
      "languages": .texts(data.getValue(forKey: \.languages)),
      "home": .optional(data.getValue(forKey: \.home)) { .home($0) },
      "mood": .text(data.getValue(forKey: \.mood).rawValue),
      "motto": .optional(data.getTransformableValue(forKey: \.motto)) { .text($0) },
      "books": .links(to: data.getValue(forKey: \.books)),
      "desk": .link(to: data.getValue(forKey: \.desk)),
      "favourites": .links(to: data.getValue(forKey: \.favourites)),
    ]
  }
}

extension Archive.Book: ValuesReadable {
  static func values(of data: any BackingData<Archive.Book>) -> [String: ValuesSnapshot.Value] {
    // The chapters are not kept here: the other side of the relationship tells.
    [
      "title": .text(data.getValue(forKey: \.title)),
      "pages": .integer(data.getValue(forKey: \.pages)),
      "author": .link(to: data.getValue(forKey: \.author)),
      "labels": .links(to: data.getValue(forKey: \.labels)),
    ]
  }
}

extension Archive.Chapter: ValuesReadable {
  static func values(of data: any BackingData<Archive.Chapter>) -> [String: ValuesSnapshot.Value] {
    [
      "number": .integer(data.getValue(forKey: \.number)),
      "book": .link(to: data.getValue(forKey: \.book)),
    ]
  }
}

extension Archive.Label: ValuesReadable {
  static func values(of data: any BackingData<Archive.Label>) -> [String: ValuesSnapshot.Value] {
    [
      "text": .text(data.getValue(forKey: \.text)),
      "books": .links(to: data.getValue(forKey: \.books)),
    ]
  }
}

extension Archive.Desk: ValuesReadable {
  static func values(of data: any BackingData<Archive.Desk>) -> [String: ValuesSnapshot.Value] {
    [
      "place": .text(data.getValue(forKey: \.place)),
      "owner": .link(to: data.getValue(forKey: \.owner)),
    ]
  }
}

extension Archive.Note: ValuesReadable {
  static func values(of data: any BackingData<Archive.Note>) -> [String: ValuesSnapshot.Value] {
    ["text": .text(data.getValue(forKey: \.text))]
  }
}
