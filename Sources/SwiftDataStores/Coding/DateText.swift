import Foundation

/// Dates as texts of ISO 8601 in UTC, with as many decimals of the second as needed to get the
/// same date back.
///
/// A date is a `Double` of seconds since 2001. Its shortest decimal digits identify it. They are
/// divided into whole seconds, which become the calendar date, and decimals, which are copied. No
/// calculation rounds.
enum DateText {
  private static let suffix = " seconds since 2001-01-01T00:00:00Z"

  static func text(of date: Date) -> String {
    let time = date.timeIntervalSinceReferenceDate
    // Years before 1 and after 9999, and distances from 2001 that need too many decimals.
    guard time.isFinite, time >= -63_113_904_000, time < 252_423_993_600,
      time == 0 || time.magnitude >= 1e-9
    else {
      if time.isNaN { return "NaN" + suffix }
      if time.isInfinite { return (time < 0 ? "-Infinity" : "Infinity") + suffix }
      return time.description + suffix
    }
    var decimal = Decimals(time.magnitude)
    if time < 0 { decimal.negate() }
    let (day, second) = decimal.whole.quotientAndRemainder(dividingBy: 86_400)
    let days = second < 0 ? day - 1 : day
    let rest = second < 0 ? second + 86_400 : second
    let (year, month, dayOfMonth) = civil(days)
    let fraction = decimal.fraction.isEmpty ? "" : "." + digits(decimal.fraction)
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))T"
      + "\(padded(rest / 3600, 2)):\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2))\(fraction)Z"
  }

  /// The date of a text; also with another time zone than UTC.
  static func date(_ text: String) -> Date? {
    if text.hasSuffix(suffix) {
      return Double.read(number(text.dropLast(suffix.count)))
        .map(Date.init(timeIntervalSinceReferenceDate:))
    }
    var reader = Reader(bytes: Array(text.utf8)[...])
    guard let year = reader.number(4), reader.take("-"), let month = reader.number(2),
      reader.take("-"), let day = reader.number(2), reader.take("T"),
      let hour = reader.number(2), reader.take(":"), let minute = reader.number(2),
      reader.take(":"), let second = reader.number(2), let fraction = reader.fraction(),
      let offset = reader.offset(), reader.bytes.isEmpty, hour < 24, minute < 60, second < 60,
      (1...12).contains(month), day >= 1
    else { return nil }
    let days = self.days(year, month, day)
    guard civil(days) == (year, month, day) else { return nil }
    var decimal = Decimals(
      whole: days * 86_400 + hour * 3600 + minute * 60 + second - offset, fraction: fraction)
    let isNegative = decimal.whole < 0
    if isNegative { decimal.negate() }
    let digits = "\(isNegative ? "-" : "")\(decimal.whole).\(self.digits(decimal.fraction))0"
    return Double(digits).map(Date.init(timeIntervalSinceReferenceDate:))
  }

  private static func number(_ text: some StringProtocol) -> DocumentValue {
    let text = String(text)
    return text.contains("N") || text.contains("I") ? .string(text) : .number(text)
  }

  private static func padded(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }

  private static func digits(_ digits: [UInt8]) -> String {
    String(decoding: digits.map { $0 + UInt8(ascii: "0") }, as: UTF8.self)
  }

  // MARK: Calendar

  /// The date of the Gregorian calendar, for a number of days since 2001-01-01.
  ///
  /// Years begin in March here, so that the leap day is the last one.
  private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
    // Days since 0000-03-01.
    let shifted = days + 730_791
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let index = (5 * dayOfYear + 2) / 153
    let month = index < 10 ? index + 3 : index - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * index + 2) / 5 + 1)
  }

  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 730_791
  }
}

/// A decimal number: a whole part, and decimals that are added to it.
private struct Decimals {
  var whole: Int
  /// Digits without zeros at the end.
  var fraction: [UInt8]

  init(whole: Int, fraction: [UInt8]) {
    (self.whole, self.fraction) = (whole, fraction)
  }

  /// The shortest digits of a number that is not negative and less than 10¹².
  init(_ number: Double) {
    let parts = number.description.split(separator: "e")
    let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    let halves = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    func values(_ text: Substring) -> [UInt8] { text.utf8.map { $0 - UInt8(ascii: "0") } }
    var whole = values(halves[0])
    var fraction = halves.count > 1 ? values(halves[1]) : []
    if exponent < 0 {
      fraction = Array(repeating: 0, count: max(0, -exponent - whole.count)) + whole + fraction
      whole = []
    }
    while fraction.last == 0 { fraction.removeLast() }
    self.init(whole: whole.reduce(0) { $0 * 10 + Int($1) }, fraction: fraction)
  }

  /// Changes the sign of the number; decimals are still added to the whole part.
  mutating func negate() {
    whole = -whole
    guard let last = fraction.indices.last else { return }
    whole -= 1
    for index in fraction.indices { fraction[index] = 9 - fraction[index] }
    fraction[last] += 1
  }
}

private struct Reader {
  var bytes: ArraySlice<UInt8>

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard bytes.first == UInt8(ascii: character) else { return false }
    bytes.removeFirst()
    return true
  }

  private mutating func digit() -> UInt8? {
    guard let byte = bytes.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else {
      return nil
    }
    bytes.removeFirst()
    return byte - UInt8(ascii: "0")
  }

  mutating func number(_ count: Int) -> Int? {
    var number = 0
    for _ in 0..<count {
      guard let digit = digit() else { return nil }
      number = number * 10 + Int(digit)
    }
    return number
  }

  /// The decimals; empty if there are none.
  mutating func fraction() -> [UInt8]? {
    guard take(".") else { return [] }
    var digits: [UInt8] = []
    while let digit = digit() { digits.append(digit) }
    if digits.isEmpty { return nil }
    while digits.last == 0 { digits.removeLast() }
    return digits
  }

  /// The seconds east of UTC.
  mutating func offset() -> Int? {
    if take("Z") { return 0 }
    let isEast = take("+")
    guard isEast || take("-"), let hours = number(2), take(":"), let minutes = number(2),
      hours < 24, minutes < 60
    else { return nil }
    return (isEast ? 1 : -1) * (hours * 3600 + minutes * 60)
  }
}
