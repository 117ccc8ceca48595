import SwiftData

/// Classes that inherit from each other, with relationships at each level.
enum HierarchyShape {
  @Model class Member {
    var number: Int
    var value = 0
    var club: Club?
    @Relationship(inverse: \Member.fans) var idols: [Member] = []
    var fans: [Member] = []

    init(_ number: Int) { self.number = number }
  }

  @Model class Captain: Member {
    var rank = 0
    @Relationship(deleteRule: .cascade, inverse: \Cup.winner) var cups: [Cup] = []
    var led: Club?
    var coach: Coach?

    override init(_ number: Int) { super.init(number) }
  }

  @Model final class Coach: Captain {
    var motto: String?
    @Relationship(inverse: \Captain.coach) var captains: [Captain] = []

    override init(_ number: Int) { super.init(number) }
  }

  @Model final class Keeper: Member {
    @Relationship(inverse: \Cup.keeper) var cup: Cup?
    var substitute: Member?

    override init(_ number: Int) { super.init(number) }
  }

  @Model final class Club {
    var number: Int
    var value = 0
    @Relationship(deleteRule: .deny, inverse: \Member.club) var members: [Member] = []
    @Relationship(deleteRule: .cascade, inverse: \Captain.led) var captains: [Captain] = []

    init(_ number: Int) { self.number = number }
  }

  @Model final class Cup {
    var number: Int
    var value = 0
    var winner: Captain?
    var keeper: Keeper?

    init(_ number: Int) { self.number = number }
  }

  static var shape: Shape {
    Shape(
      "subclasses",
      kinds: [
        .root(Member.self) { Member($0) },
        .subclass(Captain.self, [.choice("rank", \Captain.rank, [0, 1, 2, 3, 4])]) { Captain($0) },
        .subclass(Coach.self, [.choice("motto", \Coach.motto, [nil, "", "a", "É", "b'x"])]) {
          Coach($0)
        },
        .subclass(Keeper.self) { Keeper($0) },
        .root(Club.self) { Club($0) },
        .root(Cup.self) { Cup($0) },
      ],
      bonds: [
        [.toMany("members", \Club.members, .deny), .toOne("club", \Member.club)],
        [.toMany("idols", \Member.idols), .toMany("fans", \Member.fans)],
        [.toMany("cups", \Captain.cups, .cascade), .toOne("winner", \Cup.winner)],
        [.toMany("captains", \Club.captains, .cascade), .toOne("led", \Captain.led)],
        [.toMany("captains", \Coach.captains), .toOne("coach", \Captain.coach)],
        [.toOne("cup", \Keeper.cup), .toOne("keeper", \Cup.keeper)],
        [.toOne("substitute", \Keeper.substitute)],
      ],
      questions: [
        .init("value", { value in #Predicate<Member> { $0.value == value } }) {
          $0.value($1) == $2
        },
        .init(
          "captain without a value",
          { value in #Predicate<Member> { $0 is Captain && $0.value != value } }
        ) { $0.choice($1, "rank") != nil && $0.value($1) != $2 },
        .init("rank", { value in #Predicate<Member> { ($0 as? Captain)?.rank == value } }) {
          $0.choice($1, "rank") == $2
        },
        .init(
          "member of value",
          { value in #Predicate<Club> { $0.members.contains { $0.value == value } } }
        ) { reference, number, value in
          reference.related(number, "members").contains { reference.value($0) == value }
        },
        .init(
          "coach of a captain of rank",
          { value in #Predicate<Coach> { $0.captains.contains { $0.rank == value } } }
        ) { reference, number, value in
          reference.related(number, "captains").contains { reference.choice($0, "rank") == value }
        },
        .init(
          "substitute is a coach",
          { value in #Predicate<Keeper> { $0.substitute is Coach || $0.value == value } }
        ) { reference, number, value in
          reference.value(number) == value
            || reference.related(number, "substitute")
              .contains { reference.choice($0, "motto") != nil }
        },
      ])
  }
}

extension HierarchyShape.Member: ShapeModel {}
extension HierarchyShape.Club: ShapeModel {}
extension HierarchyShape.Cup: ShapeModel {}
