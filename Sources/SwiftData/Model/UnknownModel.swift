/// Represents a class that the schema lacks: for identifiers without a row, and for changes of
/// models that are no longer in the schema.
final class UnknownModel: PersistentModel {
  static var schemaMetadata: [Schema.PropertyMetadata] { [] }
  var persistentBackingData: any BackingData<UnknownModel>

  init(backingData: any BackingData<UnknownModel>) { persistentBackingData = backingData }
}
