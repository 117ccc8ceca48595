extension AnyKeyPath {
  /// Whether the key path reads the model's own identifier: `persistentModelID`, or `id` where the
  /// class declares no other one.
  ///
  /// A computed property may return the identifier of another model, so the type of the value does
  /// not decide. In generic code `\T.id` names the requirement of `Identifiable`, which a class may
  /// satisfy with any property, so it does not count.
  var isModelIdentifier: Bool {
    func isIdentifier<M: PersistentModel>(of type: M.Type) -> Bool {
      self == \M.persistentModelID || self == \M.id as KeyPath<M, PersistentIdentifier>
    }
    guard let model = type(of: self).rootType as? any PersistentModel.Type else { return false }
    return isIdentifier(of: model)
  }
}
