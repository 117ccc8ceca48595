import Foundation

/// Dates in seeds and in the contents of stores.
enum SeedDate {
  private static let whole = Date.ISO8601FormatStyle()
  private static let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
  private static let day = Date.ISO8601FormatStyle().year().month().day()

  static func decode(_ decoder: any Decoder) throws -> Date {
    let container = try decoder.singleValueContainer()
    if let seconds = try? container.decode(Double.self) {
      return Date(timeIntervalSinceReferenceDate: seconds)
    }
    let text = try container.decode(String.self)
    for style in [whole, fractional] {
      if let date = try? style.parse(text) { return date }
    }
    guard let date = try? day.parse(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\"\(text)\" is no date")
    }
    // The style ignores the text after the day, and takes a 30th of February for a day in March.
    guard day.format(date) == text else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "\"\(text)\" is neither a day such as \"2026-05-01\" nor a time with a "
          + "zone, such as Z for UTC")
    }
    return date
  }

  /// Whole seconds and milliseconds as text; other dates as the exact number of seconds.
  static func encode(_ date: Date, to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    for style in [whole, fractional] {
      let text = style.format(date)
      if let same = try? style.parse(text), same == date { return try container.encode(text) }
    }
    try container.encode(date.timeIntervalSinceReferenceDate)
  }
}
