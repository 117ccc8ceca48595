import SwiftData
import Testing

@Suite struct ModelListTests {
  private func stops(_ count: Int) -> [any PersistentModel] {
    (0..<count).map { Graph.Stop("\($0)") }
  }

  private func isSame(_ list: ModelList, _ models: [any PersistentModel]) -> Bool {
    list.count == models.count && list.elementsEqual(models) { $0 === $1 }
  }

  @Test(arguments: 0..<40)
  func itBehavesLikeAnArray(seed: Int) {
    var random = SeededRandom(UInt64(seed))
    let all = stops(seed % 2 == 0 ? 8 : 60)
    var models = Array(all.prefix(all.count / 2))
    var list = ModelList(models)
    var removed: [(model: any PersistentModel, place: ModelList.Position)] = []
    for _ in 0..<400 {
      let model = random.pick(all)
      let index = models.firstIndex { $0 === model }
      #expect(list.contains(model) == (index != nil))
      switch (index, Int.random(in: 0..<3, using: &random)) {
      case (nil, 0):
        list.append(model)
        models.append(model)
        removed = []
      case (nil, _):
        guard let last = removed.popLast() else { continue }
        list.insert(last.model, at: last.place)
        let place =
          switch last.place {
          case .first: 0
          case .after(let other): models.firstIndex { $0 === other }.map { $0 + 1 }
          case .unknown: models.count
          }
        models.insert(last.model, at: place ?? models.count)
      case (let index?, 0):
        let other = random.pick(models)
        list.move(model, to: .after(other))
        guard other !== model else { continue }
        models.remove(at: index)
        models.insert(model, at: (models.firstIndex { $0 === other } ?? 0) + 1)
        removed = []
      case (let index?, _):
        if let place = list.remove(model) { removed.append((model, place)) }
        models.remove(at: index)
      }
      #expect(isSame(list, models))
      #expect(list.first === models.first && list.last === models.last)
    }
  }

  @Test func modelsThatWereRemovedReturnToTheirPlaces() {
    let models = stops(100)
    var list = ModelList(models)
    var random = SeededRandom(7)
    var removed: [(any PersistentModel, ModelList.Position)] = []
    for model in models.shuffled(using: &random) {
      if let place = list.remove(model) { removed.append((model, place)) }
    }
    #expect(list.isEmpty && removed.count == 100)
    for (model, place) in removed.reversed() { list.insert(model, at: place) }
    #expect(isSame(list, models))
  }

  @Test(arguments: [10, 1_000, 20_000])
  func removingAllLooksAtEachModelAFewTimes(count: Int) {
    for order in [0, 1, 2] {
      let models = stops(count)
      var random = SeededRandom(3)
      let removals =
        order == 0 ? models : order == 1 ? models.reversed() : models.shuffled(using: &random)
      var list = ModelList(models)
      var visits = 0
      for model in removals {
        list.remove(model)
        visits = max(visits, list.visits)
      }
      #expect(list.isEmpty)
      #expect(visits <= 6 * count + 100, "\(visits) visits for \(count)")
    }
  }

  @Test func oneRemovalMakesNoIndex() {
    let models = stops(10_000)
    var list = ModelList(models)
    list.remove(models[5_000])
    #expect(list.visits <= 10_000)
    #expect(list.count == 9_999)
  }
}
