import Foundation
import SwiftData
import Testing

/// Members of structures that an `encode(to:)` of their own leaves out: a store has what a model shows.
@Suite(.databases) struct LeftOutMemberTests {
  enum Theme: Codable, Equatable { case light, dark, custom(red: Int) }

  struct Sound: Codable, Equatable {
    var volume = 50
    var name = ""

    enum CodingKeys: String, CodingKey { case volume, name }

    init(volume: Int = 50, name: String = "") { (self.volume, self.name) = (volume, name) }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      volume = try container.decodeIfPresent(Int.self, forKey: .volume) ?? 50
      name = try container.decodeIfPresent(String.self, forKey: .name) ?? ""
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      if volume != 50 { try container.encode(volume, forKey: .volume) }
      if !name.isEmpty { try container.encode(name, forKey: .name) }
    }
  }

  /// Leaves out every default.
  struct Settings: Codable, Equatable {
    var title: String
    var rate = 0.0
    var theme = Theme.light
    var tags: [String] = []
    var sound = Sound()
    var alarm: Sound?

    enum CodingKeys: String, CodingKey { case title = "t", rate, theme, tags, sound = "s", alarm }

    init(title: String) { self.title = title }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      title = try container.decode(String.self, forKey: .title)
      rate = try container.decodeIfPresent(Double.self, forKey: .rate) ?? 0
      theme = try container.decodeIfPresent(Theme.self, forKey: .theme) ?? .light
      tags = try container.decodeIfPresent([String].self, forKey: .tags) ?? []
      sound = try container.decodeIfPresent(Sound.self, forKey: .sound) ?? Sound()
      alarm = try container.decodeIfPresent(Sound.self, forKey: .alarm)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(title, forKey: .title)
      if rate != 0 { try container.encode(rate, forKey: .rate) }
      if theme != .light { try container.encode(theme, forKey: .theme) }
      if !tags.isEmpty { try container.encode(tags, forKey: .tags) }
      if sound != Sound() { try container.encode(sound, forKey: .sound) }
      try container.encodeIfPresent(alarm, forKey: .alarm)
    }
  }

  @Model final class Profile {
    var number: Int
    var settings: Settings
    var spare: Sound?

    init(_ number: Int) {
      self.number = number
      settings = Settings(title: "title\(number)")
      guard number > 0 else { return }
      spare = Sound(volume: number == 1 ? 50 : number)
      settings.rate = [0, 0, 2, -1][number]
      settings.theme = [.light, .custom(red: 1), .dark, .light][number]
      settings.tags = number == 2 ? ["a"] : []
      settings.sound = Sound(volume: number * 25, name: number == 1 ? "bell" : "")
      settings.alarm = number == 3 ? Sound(name: "horn") : nil
    }
  }

  private func profiles() throws -> PredicateCourt {
    try PredicateCourt(types: [Profile.self]) { context in
      for number in 0..<4 { context.insert(Profile(number)) }
      try context.save()
    }
  }

  @Test func predicatesCompareTheShownValue() throws {
    let court = try profiles()
    try court.judgeNarrowing(#Predicate<Profile> { $0.settings.rate == 0 })
    try court.judgeNarrowing(#Predicate<Profile> { $0.settings.rate != 0 })
    try court.judgeNarrowing(#Predicate<Profile> { $0.settings.rate < 1 })
    try court.judgeNarrowing(#Predicate<Profile> { !($0.settings.rate > 1) })
    try court.judgeNarrowing(#Predicate<Profile> { [0, 2].contains($0.settings.rate) })
    try court.judgeNarrowing(#Predicate<Profile> { $0.settings.tags.isEmpty })
    try court.judgeNarrowing(#Predicate<Profile> { !$0.settings.tags.contains("a") })
    try court.judgeNarrowing(#Predicate<Profile> { $0.settings.sound.volume == 50 })
    try court.judgeNarrowing(#Predicate<Profile> { $0.settings.sound.volume > 30 })
    try court.judgeNarrowing(#Predicate<Profile> { $0.settings.sound.name == "" })
    try court.judgeNarrowing(#Predicate<Profile> { $0.settings.alarm?.volume == 50 })
    try court.judgeNarrowing(#Predicate<Profile> { $0.settings.alarm == nil })
    let (light, bell) = (Theme.light, Sound(volume: 25, name: "bell"))
    try court.judgeNarrowing(#Predicate<Profile> { $0.settings.theme == light })
    try court.judgeNarrowing(#Predicate<Profile> { $0.settings.sound == bell })
    let horn = Sound(name: "horn")
    try court.judgeNarrowing(#Predicate<Profile> { $0.settings.alarm == horn })
    try court.judgeNarrowing(#Predicate<Profile> { $0.settings.alarm != horn })
    try court.judgeNarrowing(#Predicate<Profile> { $0.settings.alarm == nil || $0.spare == horn })
  }

  /// All its members have default values.
  @Test func anOptionalStructureIsNotNil() throws {
    let court = try profiles()
    try court.judgeNarrowing(#Predicate<Profile> { $0.spare == nil })
    try court.judgeNarrowing(#Predicate<Profile> { $0.spare?.volume == 50 })
    let sounds = [Sound(), Sound(volume: 3)]
    try court.judgeNarrowing(
      #Predicate<Profile> { sounds.contains($0.spare ?? Sound(volume: 1)) }, inMemory: true)
    let saved = try court.context.fetch(
      FetchDescriptor<Profile>(sortBy: [SortDescriptor(\.number)]))
    #expect(saved.map(\.spare) == [nil, Sound(), Sound(volume: 2), Sound(volume: 3)])
  }

  @Test func ordersAreThoseOfTheShownValue() throws {
    let court = try profiles()
    try court.judge(sortBy: [SortDescriptor(\Profile.settings.rate)])
    try court.judge(sortBy: [SortDescriptor(\Profile.settings.sound.volume, order: .reverse)])
  }

  @Test func valuesComeBackAsTheyWereSaved() throws {
    let saved = try profiles().context.fetch(
      FetchDescriptor<Profile>(sortBy: [SortDescriptor(\.number)]))
    #expect(saved.map(\.settings) == (0..<4).map { Profile($0).settings })
  }

  // MARK: Members that decide how a value is read

  /// The member that is there tells the kind.
  struct Figure: Codable, Equatable {
    var isRound: Bool
    var radius = 0.0
    var width = 0.0

    enum CodingKeys: String, CodingKey { case radius, width }

    init(radius: Double) { (isRound, self.radius) = (true, radius) }
    init(width: Double) { (isRound, self.width) = (false, width) }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      isRound = container.contains(.radius)
      if isRound { radius = try container.decode(Double.self, forKey: .radius) }
      if !isRound { width = try container.decode(Double.self, forKey: .width) }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      if isRound {
        try container.encode(radius, forKey: .radius)
      } else {
        try container.encode(width, forKey: .width)
      }
    }
  }

  /// Its password is not stored.
  struct Account: Codable, Equatable {
    var user: String
    var password: String

    enum CodingKeys: String, CodingKey { case user, password }

    init(user: String, password: String) { (self.user, self.password) = (user, password) }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      user = try container.decode(String.self, forKey: .user)
      password = try container.decodeIfPresent(String.self, forKey: .password) ?? "none"
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(user, forKey: .user)
    }
  }

  @Model final class Sheet {
    var figure: Figure
    var account: Account

    init(_ figure: Figure, _ password: String) {
      (self.figure, account) = (figure, Account(user: "ada", password: password))
    }
  }

  @Test func leftOutMembersStayLeftOut() throws {
    let court = try PredicateCourt(types: [Sheet.self]) { context in
      context.insert(Sheet(Figure(radius: 2), "secret"))
      context.insert(Sheet(Figure(width: 3), "12345"))
      try context.save()
    }
    let sheets = try court.context.fetch(FetchDescriptor<Sheet>())
    let figures = sheets.map(\.figure).sorted { $0.radius < $1.radius }
    #expect(figures == [Figure(width: 3), Figure(radius: 2)])
    #expect(sheets.map(\.account.password) == ["none", "none"])
    try court.judge(#Predicate<Sheet> { $0.account.password == "none" })
  }
}
