/// A program that fails, as short as possible.
struct ShapeFailure: CustomStringConvertible {
  let store: ShapeStore
  let seed: UInt64
  let program: ShapeProgram
  let difference: String

  /// The first failure among the programs with some seeds.
  init?(of shape: Shape, in store: ShapeStore, seeds: Range<UInt64>) {
    self.store = store
    for seed in seeds {
      let program = ShapeProgram(shape, seed: seed, length: 40 + Int(seed % 4) * 40)
      guard let difference = ShapeTrial.difference(of: program, in: store) else { continue }
      self.seed = seed
      self.program = program.shrunk { ShapeTrial.difference(of: $0, in: store) != nil }
      self.difference = ShapeTrial.difference(of: self.program, in: store) ?? difference
      return
    }
    return nil
  }

  /// What to read, and how to repeat it.
  var description: String {
    """
    \(program.shape.name), in the store \(store): \(difference)
    \(program)
    This program is repeated with
    OPENSWIFTDATA_RANDOM_SEED=\(seed) OPENSWIFTDATA_SHAPE_PROGRAMS=1
    """
  }
}
