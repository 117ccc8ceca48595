import SwiftSyntax

/// What `@Model` reads from a class.
struct ModelDeclaration {
  var name: String
  /// The argument of `@Model(originalName:)`, a string literal.
  var originalName: StringLiteralExprSyntax?
  var access: AccessLevel
  var isFinal: Bool
  /// Isolated by an attribute, or perhaps by a protocol or superclass; members that the library uses are
  /// then generated as `nonisolated`.
  var mayBeIsolated: Bool
  /// The first inherited type, when it may be a class.
  var possibleSuperclass: String?
  /// Persisted properties in source order.
  var properties: [PropertyDeclaration]
  /// `#Index` first, then `#Unique`, each in source order.
  var constraints: [ConstraintDeclaration]
  var declared: DeclaredMembers
  /// The operators of the class that compare two models.
  var equalities: [EqualityDeclaration]
  /// Whether the body of the class has `hash(into:)`, on any condition.
  var hasHash: Bool
}

/// `static func == (a: Model, b: Model)` in the body of a class.
enum EqualityDeclaration {
  case always
  /// The clauses of an `#if`, from the directive on, such as `#if DEBUG`.
  case conditional([(directive: String, equalities: [EqualityDeclaration])])
}

/// A stored property that the model persists.
struct PropertyDeclaration {
  /// As written, with backticks where the source has them.
  var identifier: TokenSyntax
  var type: TypeSyntax?
  var initialValue: ExprSyntax?
  /// Declared with `let`: the value is kept in the object and copied to and from the storage.
  var isConstant: Bool
  var schema: SchemaAttribute?
  /// The first attribute that may be a macro or property wrapper of another library.
  var foreignAttribute: String?

  /// The name without backticks.
  var name: String { identifier.plainName }

  var isOptional: Bool { type?.isOptional ?? false }
}

/// `@Attribute(…)` or `@Relationship(…)` on a property.
struct SchemaAttribute {
  enum Kind: String {
    case attribute = "Attribute"
    case relationship = "Relationship"
  }

  var kind: Kind
  var arguments: LabeledExprListSyntax

  var isTransformable: Bool {
    kind == .attribute && options.contains { $0.name == "transformable" }
  }

  /// `@Relationship(.unique)`; on a value property it means the attribute option.
  var isUniqueOnly: Bool {
    arguments.count == 1 && arguments.first?.expression.trimmedDescription == ".unique"
  }

  /// The unlabeled options: `unique` for `.unique` and `Schema.Attribute.Option.unique`.
  var options: [(name: String, argument: LabeledExprSyntax)] {
    arguments.prefix { $0.label == nil }.compactMap { argument in
      let callee = argument.expression.as(FunctionCallExprSyntax.self)?.calledExpression
      let member = (callee ?? argument.expression).as(MemberAccessExprSyntax.self)
      return member.map { ($0.declName.baseName.plainName, argument) }
    }
  }
}

/// `#Index` or `#Unique` in the body of a model.
struct ConstraintDeclaration {
  enum Kind: String {
    case index = "Index"
    case unique = "Unique"
  }

  var kind: Kind
  /// The type written between angle brackets.
  var model: String?
  var arguments: LabeledExprListSyntax
}

/// Names that the class already declares, so that the macro does not generate them.
struct DeclaredMembers {
  var variables: Set<String> = []
  var functions: Set<String> = []
  var types: Set<String> = []
  var hasInitializer = false
  var hasBackingDataInitializer = false
}
