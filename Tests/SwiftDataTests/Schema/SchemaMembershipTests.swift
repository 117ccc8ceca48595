import Foundation
import SwiftData
import Testing

/// Classes that are no models of a schema, and what is said of them.
private enum Kinds {
  @Model class Shape {
    var name: String
    init(name: String) { self.name = name }
  }

  /// Has no `@Model`.
  final class Square: Shape { var side = 1.0 }

  @Model class Circle: Shape {
    var radius: Double
    init(name: String, radius: Double) {
      self.radius = radius
      super.init(name: name)
    }
  }

  /// Has no `@Model` either.
  final class Disc: Circle {}

  @Model final class Canvas {
    var name = ""
    @Relationship var shapes: [Shape] = []
    var front: Shape?
    init() {}
  }

  @Model final class Colour {
    var name: String = ""
    init() {}
  }
}

@Suite struct SchemaMembershipTests {
  private let configuration = ModelConfiguration(isStoredInMemoryOnly: true)

  @Test func aSubclassWithoutTheMacroIsNamed() {
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(for: Kinds.Shape.self, Kinds.Square.self, configurations: configuration)
    }
    #expect(error?.entity == "Square")
    #expect(error?.description.contains("Square inherits from the model Shape") == true)
    #expect(error?.description.contains("@Model") == true)
  }

  private func contextOfShapes() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Kinds.Shape.self, Kinds.Circle.self, Kinds.Canvas.self, configurations: configuration))
  }

  private func expectRefusal(
    of name: String, _ superclass: String, _ body: () throws -> Void
  ) throws {
    let error = try #require(#expect(throws: SwiftDataError.unknownSchema) { try body() })
    #expect(error.entity == name && error.reason == .invalidRequest)
    #expect(error.description.contains("\(name) inherits from the model \(superclass)"))
    #expect(error.description.contains("Add @Model to \(name)"))
  }

  @Test func aNewModelOfASubclassWithoutTheMacroIsRefused() throws {
    let context = try contextOfShapes()
    context.insert(Kinds.Shape(name: "a"))
    let square = Kinds.Square(name: "b")
    context.insert(square)
    #expect(square.modelContext == nil && context.insertedModelsArray.count == 1)
    for _ in 0..<2 { try expectRefusal(of: "Square", "Shape", context.save) }
    context.delete(square)
    try context.save()
    context.insert(Kinds.Disc(name: "c", radius: 1))
    try expectRefusal(of: "Disc", "Circle", context.save)
    let names = try ModelContext(context.container).fetch(FetchDescriptor<Kinds.Shape>()).map(
      \.name)
    #expect(names == ["a"])
  }

  @Test func aRelatedModelOfASubclassWithoutTheMacroIsRefused() throws {
    let context = try contextOfShapes()
    let graph = Kinds.Canvas()
    graph.shapes = [Kinds.Square(name: "a"), Kinds.Circle(name: "b", radius: 2)]
    context.insert(graph)
    try expectRefusal(of: "Square", "Shape", context.save)
    context.rollback()
    let canvas = Kinds.Canvas()
    context.insert(canvas)
    canvas.shapes.append(Kinds.Square(name: "c"))
    try expectRefusal(of: "Square", "Shape", context.save)
    canvas.front = Kinds.Square(name: "d")
    let both = #expect(throws: SwiftDataError.unknownSchema) { try context.save() }
    #expect(both?.failures.count == 2)
    canvas.shapes = []
    try expectRefusal(of: "Square", "Shape", context.save)
    canvas.front = nil
    try context.save()
    #expect(canvas.front == nil && canvas.shapes.isEmpty)
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Kinds.Shape>()) == 0)
  }

  /// They would be those of the superclass, as all its rows are.
  @Test func modelsOfASubclassWithoutTheMacroAreNeitherFetchedNorDeleted() throws {
    let context = try contextOfShapes()
    context.insert(Kinds.Shape(name: "a"))
    let canvas = Kinds.Canvas()
    context.insert(canvas)
    try context.save()
    try expectRefusal(of: "Square", "Shape") {
      _ = try context.fetch(FetchDescriptor<Kinds.Square>())
    }
    try expectRefusal(of: "Square", "Shape") {
      _ = try context.fetchCount(FetchDescriptor<Kinds.Square>())
    }
    try expectRefusal(of: "Square", "Shape") { try context.delete(model: Kinds.Square.self) }
    try expectRefusal(of: "Square", "Shape") {
      _ = try context.existingModel(Kinds.Square.self, for: canvas.persistentModelID)
    }
    try expectRefusal(of: "Square", "Shape") {
      _ = try HistoryObserver(
        observedModels: [Kinds.Square.self], modelContainer: context.container)
    }
    for isSaved in [true, false] {
      if !isSaved { context.insert(Kinds.Circle(name: "b", radius: 1)) }
      let squares = #Predicate<Kinds.Shape> { $0 is Kinds.Square }
      #expect(try context.fetch(FetchDescriptor(predicate: squares)).isEmpty)
    }
  }

  /// A double of a test, for example.
  @Test func aSubclassWithoutTheMacroIsUsedOutsideOfContexts() throws {
    let square = Kinds.Square(name: "a")
    square.name = "b"
    square.side = 2
    #expect(square.name == "b" && square.side == 2)
    #expect(try #Predicate<Kinds.Shape> { $0.name == "b" }.evaluate(square))
  }

  @Test func aClassThatTheContainerLacksIsToBeAddedToIt() throws {
    let context = ModelContext(
      try ModelContainer(for: Kinds.Shape.self, configurations: configuration))
    context.insert(Kinds.Colour())
    let saving = #expect(throws: SwiftDataError.unknownSchema) { try context.save() }
    let fetching = #expect(throws: SwiftDataError.unknownSchema) {
      try context.fetch(FetchDescriptor<Kinds.Colour>())
    }
    for error in [saving, fetching] {
      let text = try #require(error?.description)
      #expect(text.contains("Add it to ModelContainer(for:)") && text.contains("Colour"))
      #expect(!text.contains("migration"))
    }
  }
}
