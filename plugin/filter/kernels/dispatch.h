// SPDX-License-Identifier: Apache-2.0

// Chooses the implementation of the filter functions (kernel.h) for this CPU.
//
// Tested in tests/filter/kernel_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_DISPATCH_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_DISPATCH_H_

#include <vector>

#include "plugin/filter/kernels/kernel.h"

namespace cassandra_bloom {

// Returns the kernels that this machine can run, for tests and measurements.
// The first is the default, and the last is "portable".
std::vector<const Kernel*> Kernels();

// Returns the kernel in use. The reference stays valid.
const Kernel& ActiveKernel();

// Makes `kernel` the kernel in use, for tests and measurements. Calls in other
// threads may still use the old kernel.
void ForceKernel(const Kernel& kernel);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_DISPATCH_H_
