import OpenSwiftDataRowStorage

/// Models with rows of only a few properties.
extension Materializer {
  /// Appends the models of a batch of partial rows, all of one class.
  func materialize<T: PersistentModel>(
    partial batch: RowBatch, into models: inout [T], in source: any _FaultSource
  ) {
    func append<M: PersistentModel>(_ type: M.Type) {
      let descriptor = batch.descriptor
      guard let table = identities.table(of: batch.scope) else { return }
      let forgets = changes.hasExternalChanges
      var backing: any BackingData<M> = _ManagedBackingData<M>(_ModelStorage(descriptor))
      forEachRow(of: batch, in: table) { row in
        let storage = _ModelStorage(descriptor)
        storage.becomePartialFault(
          in: source, as: PersistentIdentifier(scope: batch.scope, key: row.key),
          page: row.page.takeUnretainedValue(), row: row.row)
        return storage
      } _: { index, storage, known in
        let row = batch.entries[index]
        if known != nil {
          update(storage, withPartial: row.row, of: row.page.takeUnretainedValue(), batch.state)
        } else if forgets {
          changes.forgetExternalChange(
            of: storage, row.page.takeUnretainedValue().filledSlots(descriptor))
        }
        let model = known ?? Materialization.makeModel(type, over: storage, passing: &backing)
        if let model = model as? T { models.append(model) }
      }
    }
    append(batch.descriptor.type)
  }

  /// Loaded values stay loaded, and unsaved values are kept. If the partial row has other values,
  /// the whole loaded row is out of date and is read again when it is needed.
  private func update(
    _ storage: _ModelStorage, withPartial row: UnsafeRawPointer, of page: RowPage,
    _ state: StoreState?
  ) {
    guard storage.flags.isDisjoint(with: [.isChanged, .isDeleted, .isInserted]) else { return }
    let hasValues = storage.partialRow != nil || !storage.flags.contains(.isFault)
    if hasValues, agrees(storage, withPartial: row, of: page) {
      changes.forgetExternalChange(of: storage, page.filledSlots(storage.descriptor))
      let reader = RowReader(row: row, cellsOffset: storage.descriptor.cellsOffset)
      storage.relationships.releaseModels(
        except: storage.relationships.agreeing(with: reader, partialPage: page, in: state))
      return
    }
    changes.forgetExternalChange(of: storage)
    if hasValues {
      storage.notifyingObserversOfAll { storage.becomePartialFault(page: page, row: row) }
    } else {
      storage.becomePartialFault(page: page, row: row)
    }
  }

  /// Whether all values of a partial row are known and equal.
  private func agrees(
    _ storage: _ModelStorage, withPartial partial: UnsafeRawPointer, of partialPage: RowPage
  ) -> Bool {
    let known = DefaultSnapshot(known: storage)
    let layout = known.descriptor.layout
    let fresh = RowReader(row: partial, cellsOffset: layout.cellsOffset)
    var unchanged: Set<Int> = []
    for cell in layout.kinds.indices where partialPage.fills(cell) {
      if let value = known.changedValue(cell) {
        if !fresh.has(value, in: cell) { return false }
      } else {
        guard known.page?.fills(cell) == true else { return false }
        unchanged.insert(cell)
      }
    }
    if unchanged.isEmpty { return true }
    guard let row = known.row ?? storage.partialRow else { return false }
    return layout.cellsAgree(row, partial, where: unchanged.contains)
  }
}

extension RowPage {
  /// The properties of a partial row.
  fileprivate func filledSlots(_ descriptor: _ModelDescriptor) -> SlotSet {
    var slots = SlotSet()
    for (slot, property) in descriptor.properties.enumerated()
    where fills(slot) || property.leafCells.contains(where: fills) {
      slots.insert(slot)
    }
    return slots
  }
}

extension RowReader {
  /// Whether a cell has the value of a snapshot.
  fileprivate func has(_ value: SnapshotValue, in cell: Int) -> Bool {
    if case .null = value { return !hasValue(cell) }
    guard !isNull(cell) else { return false }
    return switch value {
    case .integer(let value): integer(cell) == value
    case .real(let value): real(cell) == value
    case .text(let value): value.utf8.elementsEqual(bytes(cell))
    case .blob(let value): value.elementsEqual(bytes(cell))
    case .uuid(let value): withUnsafeBytes(of: value.uuid) { $0.elementsEqual(bytes(cell)) }
    case .identifier(let identifier): identifier.rowKey == PackedKey(word: integer(cell)).key
    case .null, .reference: false
    }
  }
}
