import Foundation

/// A day without a time, written as `2026-07-31`.
public struct Day: Codable, Equatable, LosslessStringConvertible, Sendable {
  /// Its beginning in Greenwich, so that a file has the same days everywhere.
  public let date: Date

  private static let format = Date.ISO8601FormatStyle().year().month().day()

  public init(_ date: Date) { self.date = date }

  public init?(_ description: String) {
    guard let date = try? Date(description, strategy: Self.format) else { return nil }
    self.date = date
    if self.description != description { return nil }
  }

  public var description: String { date.formatted(Self.format) }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let day = Day(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\(text) is not a day. Write it as 2026-07-31.")
    }
    self = day
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
