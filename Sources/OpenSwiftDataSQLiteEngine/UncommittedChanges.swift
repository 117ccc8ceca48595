/// Why a read of a pool with one connection is refused: another context of the thread has changed rows and
/// not committed them.
package struct UncommittedChanges: Error {}
