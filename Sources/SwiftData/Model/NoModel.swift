/// Stands in for a class that the schema does not have: where an identifier leads nowhere, and for changes of
/// models that are gone from the schema.
final class NoModel: PersistentModel {
  static var schemaMetadata: [Schema.PropertyMetadata] { [] }
  var persistentBackingData: any BackingData<NoModel>

  init(backingData: any BackingData<NoModel>) { persistentBackingData = backingData }
}
