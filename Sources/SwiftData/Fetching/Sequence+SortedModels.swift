// Foundation for Linux compares texts by code points, whatever the comparator of a descriptor is, and
// ignores an `order` that is set later. For models these methods are preferred to those of Foundation.
#if !canImport(Darwin)
  public import Foundation

  extension Sequence where Element: PersistentModel {
    /// The models in the order of a fetch with this descriptor; equal ones keep their order.
    public func sorted(using comparator: SortDescriptor<Element>) -> [Element] {
      sorted(asFetchedBy: [comparator])
    }

    /// The models in the order of a fetch with these descriptors; equal ones keep their order.
    public func sorted(using comparators: some Sequence<SortDescriptor<Element>>) -> [Element] {
      sorted(asFetchedBy: Array(comparators))
    }
  }

  extension MutableCollection where Self: RandomAccessCollection, Element: PersistentModel {
    /// Puts the models into the order of a fetch with this descriptor.
    public mutating func sort(using comparator: SortDescriptor<Element>) {
      sort(using: [comparator])
    }

    /// Puts the models into the order of a fetch with these descriptors.
    public mutating func sort(using comparators: some Sequence<SortDescriptor<Element>>) {
      for (index, model) in zip(indices, sorted(using: comparators)) { self[index] = model }
    }
  }
#endif
