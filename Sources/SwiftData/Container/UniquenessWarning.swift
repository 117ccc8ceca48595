/// Warns once for each unique value with optional members: a database compares the columns of the members, and
/// null equals nothing. For relational stores only: other stores compare values in their own way.
enum UniquenessWarning {
  static func note(_ schema: Schema) {
    for entity in schema.entities {
      for name in Set(entity.uniquenessConstraints.joined()).sorted() {
        guard let attribute = entity.property(named: name) as? Schema.Attribute,
          attribute.valueType != Any.self,
          case .composite(let leaves)? = try? attribute.storageForm()
        else { continue }
        let members = leaves.filter(\.isOptional).map { $0.path.joined(separator: ".") }
        if members.isEmpty { continue }
        let text =
          "\(entity.name).\(name) is unique, but members of its value can be nil "
          + "(\(members.joined(separator: ", "))). Values in which one of them is nil never count as equal. "
          + "Make the members required, or store the value whole: @Attribute(.unique, .codable)."
        WarningLog.write(text, onceFor: text)
      }
    }
  }
}
