#include "OpenSwiftDataCRuntime.h"

static _Thread_local struct OpenSwiftData_ThreadState state;

struct OpenSwiftData_ThreadState *openSwiftData_threadState(void) { return &state; }
