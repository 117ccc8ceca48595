#ifndef OPEN_SWIFT_DATA_C_RUNTIME_H
#define OPEN_SWIFT_DATA_C_RUNTIME_H

#include <stdint.h>

// References to Swift objects that keep the object's memory and not the object, and can be tried.
//
// The Swift runtime exports what stands behind `unowned` and the loading of `weak` references. Swift
// has no name for the two together: an `unowned` reference stops the program when its object is
// gone, and a `weak` one gives each object a side table, through which every later retain goes.
//
// C, because these are C functions of the runtime: `@_silgen_name` would call them with Swift's
// calling convention. In a file of their own, because the Swift compiler declares some of them
// itself in each module that it compiles, with attributes of its own.

// Keeps the memory of an object until the matching release.
void openSwiftData_retainMemory(void *_Nonnull object);

void openSwiftData_releaseMemory(void *_Nonnull object);

// Retains an object unless it is being deinitialised, or was; NULL then.
//
// The object's memory must be there.
void *_Nullable openSwiftData_tryRetain(void *_Nonnull object);

// What the library keeps for each thread; zero at first. Nothing here is retained.
//
// Swift has no variables of a thread, and `pthread_getspecific` with the check of a global key costs
// five times as much, in each getter of a model.
struct OpenSwiftData_ThreadState {
  // The registrar that `ObservationProbe` asks.
  void *_Nullable probe;
  // The storage of the model that `Materialization` creates next, and the class of that model.
  void *_Nullable pendingStorage;
  const void *_Nullable pendingType;
};

extern _Thread_local struct OpenSwiftData_ThreadState openSwiftData_state;

static inline struct OpenSwiftData_ThreadState *_Nonnull openSwiftData_threadState(void) {
  return &openSwiftData_state;
}

// The word of an object that contains its reference counts.
static inline uintptr_t openSwiftData_referenceCounts(const void *_Nonnull object) {
  return __atomic_load_n((const uintptr_t *)object + 1, __ATOMIC_RELAXED);
}

#endif
