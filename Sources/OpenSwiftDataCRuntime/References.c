#include "OpenSwiftDataCRuntime.h"

// Exported by the Swift runtime on all platforms, and part of its stable interface.
extern void *swift_unownedRetain(void *object);
extern void swift_unownedRelease(void *object);
extern void *swift_tryRetain(void *object);

void openSwiftData_retainMemory(void *object) { swift_unownedRetain(object); }

void openSwiftData_releaseMemory(void *object) { swift_unownedRelease(object); }

void *openSwiftData_tryRetain(void *object) { return swift_tryRetain(object); }
