import SwiftData

/// Some classes with their relationships: the ground of random programs (`ShapeProgram`).
///
/// The description repeats what the models declare, so that a wrong reading of a declaration shows.
/// A new shape is a file with models and a description, and a name in `RandomShapeTests` and in
/// `RandomDocumentTests`.
struct Shape {
  let name: String
  let kinds: [Kind]
  let ends: [End]
  let questions: [Question]
  /// The ends and the fields of each kind, with those of its ancestors.
  let endsOfKind: [[End]]
  let fieldsOfKind: [[Field]]

  /// - Parameter bonds: Relationships, each with its two ends, or with one if it has no inverse.
  init(_ name: String, kinds: [Kind], bonds: [[End]], questions: [Question] = []) {
    self.name = name
    self.kinds = kinds
    self.questions = questions
    ends = bonds.flatMap { $0 }
    for (index, kind) in kinds.enumerated() { kind.index = index }
    for (index, end) in ends.enumerated() { end.index = index }
    for bond in bonds where bond.count == 2 {
      bond[0].inverse = bond[1].index
      bond[1].inverse = bond[0].index
    }
    endsOfKind = kinds.map { [ends] kind in ends.filter { $0.belongs(kind.type) } }
    fieldsOfKind = kinds.map { kind in
      kinds.filter { $0.covers(kind.type) }.flatMap(\.fields)
    }
  }

  var schema: Schema { Schema(kinds.map { $0.type }) }

  /// The kinds without a superclass: a fetch of them finds all models.
  var roots: [Kind] {
    kinds.filter { kind in !kinds.contains { $0 !== kind && $0.covers(kind.type) } }
  }

  func kind(of model: any ShapeModel) -> Kind? { kinds.first { $0.type == type(of: model) } }
}

/// What all models of shapes have.
protocol ShapeModel: PersistentModel {
  /// Tells the model apart, and never changes.
  var number: Int { get }
  var value: Int { get set }
}

extension Shape {
  /// A class.
  final class Kind {
    let name: String
    let type: any ShapeModel.Type
    /// What programs edit besides relationships, without what a superclass declares.
    let fields: [Field]
    fileprivate(set) var index = 0
    let covers: (any ShapeModel.Type) -> Bool
    /// Makes a model with a number, and with the values of its required to-ones.
    let make: (Int, [any ShapeModel]) -> (any ShapeModel)?
    let fetch: (ModelContext) throws -> [any ShapeModel]
    let registered: (ModelContext, PersistentIdentifier) -> (any ShapeModel)?

    private init<M: ShapeModel>(
      _ type: M.Type, _ fields: [Field], _ make: @escaping (Int, [any ShapeModel]) -> M?
    ) {
      name = "\(type)"
      self.type = type
      self.fields = fields
      self.make = make
      covers = { $0 is M.Type }
      fetch = { try $0.fetch(FetchDescriptor<M>()) }
      registered = { context, identifier in
        let model: M? = context.registeredModel(for: identifier)
        return model
      }
    }

    static func root<M: ShapeModel>(
      _ type: M.Type, _ fields: [Field] = [], _ make: @escaping (Int) -> M
    ) -> Kind {
      Kind(type, [.value] + fields) { number, _ in make(number) }
    }

    static func root<M: ShapeModel, N: ShapeModel>(
      _ type: M.Type, requiring _: N.Type, _ make: @escaping (Int, N) -> M
    ) -> Kind {
      Kind(type, [.value]) { number, required in (required.first as? N).map { make(number, $0) } }
    }

    static func subclass<M: ShapeModel>(
      _ type: M.Type, _ fields: [Field] = [], _ make: @escaping (Int) -> M
    ) -> Kind {
      Kind(type, fields) { number, _ in make(number) }
    }
  }

  /// An attribute, with a few values to choose from.
  struct Field {
    let name: String
    /// The values as texts.
    let texts: [String]
    let read: (any ShapeModel) -> String
    let write: (any ShapeModel, Int) -> Void

    static let count = 5

    static var value: Field {
      Field(
        name: "value", texts: (0..<count).map { "\($0)" }, read: { "\($0.value)" },
        write: { $0.value = $1 })
    }

    static func choice<M: ShapeModel, V>(
      _ name: String, _ path: ReferenceWritableKeyPath<M, V>, _ values: [V]
    ) -> Field {
      func text(_ value: V?) -> String { String("\(value.map { "\($0)" } ?? "?")".prefix(60)) }
      return Field(
        name: name, texts: (0..<count).map { text(values[$0 % values.count]) },
        read: { text(($0 as? M)?[keyPath: path]) },
        write: { ($0 as? M)?[keyPath: path] = values[$1 % values.count] })
    }
  }

  /// One end of a relationship, as closures over models of any class.
  final class End {
    enum Form { case toOne, required, toMany }

    let name: String
    let form: Form
    let rule: Schema.Relationship.DeleteRule
    /// How many members a save allows.
    let limit: Int
    fileprivate(set) var index = 0
    fileprivate(set) var inverse: Int?
    let belongs: (any ShapeModel.Type) -> Bool
    let accepts: (any ShapeModel.Type) -> Bool
    let access: Access

    struct Access {
      let read: (any ShapeModel) -> [any ShapeModel]
      let write: (any ShapeModel, [any ShapeModel]) -> Void
      var insert: (any ShapeModel, any ShapeModel, _ atEnd: Bool) -> Void = { _, _, _ in }
      var remove: (any ShapeModel, any ShapeModel) -> Void = { _, _ in }
    }

    private init<M: ShapeModel, N: ShapeModel>(
      _ name: String, _ form: Form, _: M.Type, _: N.Type,
      _ rule: Schema.Relationship.DeleteRule, _ access: Access, atMost limit: Int = .max
    ) {
      (self.name, self.form, self.rule, self.limit) = (name, form, rule, limit)
      self.access = access
      belongs = { $0 is M.Type }
      accepts = { $0 is N.Type }
    }

    static func toOne<M: ShapeModel, N: ShapeModel>(
      _ name: String, _ path: ReferenceWritableKeyPath<M, N?>,
      _ rule: Schema.Relationship.DeleteRule = .nullify
    ) -> End {
      let access = Access(
        read: { ($0 as? M)?[keyPath: path].map { [$0] } ?? [] },
        write: { ($0 as? M)?[keyPath: path] = $1.first as? N })
      return End(name, .toOne, M.self, N.self, rule, access)
    }

    static func required<M: ShapeModel, N: ShapeModel>(
      _ name: String, _ path: ReferenceWritableKeyPath<M, N>
    ) -> End {
      let access = Access(
        read: { ($0 as? M).map { [$0[keyPath: path]] } ?? [] },
        write: { owner, partners in
          if let partner = partners.first as? N { (owner as? M)?[keyPath: path] = partner }
        })
      return End(name, .required, M.self, N.self, .nullify, access)
    }

    static func toMany<M: ShapeModel, N: ShapeModel>(
      _ name: String, _ path: ReferenceWritableKeyPath<M, [N]>,
      _ rule: Schema.Relationship.DeleteRule = .nullify, atMost limit: Int = .max
    ) -> End {
      let access = Access(
        read: { ($0 as? M)?[keyPath: path] ?? [] },
        write: { ($0 as? M)?[keyPath: path] = $1.compactMap { $0 as? N } },
        insert: { owner, member, atEnd in
          guard let owner = owner as? M, let member = member as? N else { return }
          if atEnd {
            owner[keyPath: path].append(member)
          } else {
            owner[keyPath: path].insert(member, at: 0)
          }
        },
        remove: { owner, member in (owner as? M)?[keyPath: path].removeAll { $0 === member } })
      return End(name, .toMany, M.self, N.self, rule, access, atMost: limit)
    }

    /// A list that may be nil, and is set to nil where programs empty it.
    static func optionalToMany<M: ShapeModel, N: ShapeModel>(
      _ name: String, _ path: ReferenceWritableKeyPath<M, [N]?>,
      _ rule: Schema.Relationship.DeleteRule = .nullify
    ) -> End {
      let access = Access(
        read: { ($0 as? M)?[keyPath: path] ?? [] },
        write: { owner, members in
          let members = members.compactMap { $0 as? N }
          (owner as? M)?[keyPath: path] = members.isEmpty ? nil : members
        },
        insert: { owner, member, atEnd in
          guard let owner = owner as? M, let member = member as? N else { return }
          if owner[keyPath: path] == nil {
            owner[keyPath: path] = [member]
          } else if atEnd {
            owner[keyPath: path]?.append(member)
          } else {
            owner[keyPath: path]?.insert(member, at: 0)
          }
        },
        remove: { owner, member in (owner as? M)?[keyPath: path]?.removeAll { $0 === member } })
      return End(name, .toMany, M.self, N.self, rule, access)
    }
  }

  /// A predicate with an integer, and what it means in plain values.
  final class Question {
    let name: String
    let kind: any ShapeModel.Type
    let holds: (Reference, Int, Int) -> Bool
    let fetch: (ModelContext, Int, _ includesPending: Bool) throws -> [Int]
    let count: (ModelContext, Int, _ includesPending: Bool) throws -> Int
    let delete: (ModelContext, Int) throws -> Void

    /// - Parameter holds: Whether the predicate with an integer is true of the model with a number.
    init<M: ShapeModel>(
      _ name: String, _ predicate: @escaping (Int) -> Predicate<M>,
      _ holds: @escaping (_ reference: Reference, _ number: Int, _ value: Int) -> Bool
    ) {
      func descriptor(_ value: Int, _ includesPending: Bool) -> FetchDescriptor<M> {
        var descriptor = FetchDescriptor(predicate: predicate(value))
        descriptor.includePendingChanges = includesPending
        return descriptor
      }
      self.name = name
      self.holds = holds
      kind = M.self
      fetch = { try $0.fetch(descriptor($1, $2)).map(\.number) }
      count = { try $0.fetchCount(descriptor($1, $2)) }
      delete = { try $0.delete(model: M.self, where: predicate($1)) }
    }

    func isAbout(_ kind: Kind, in shape: Shape) -> Bool {
      shape.kinds.first { $0.type == self.kind }?.covers(kind.type) ?? false
    }
  }
}
