// SPDX-License-Identifier: Apache-2.0

// Chooses among the kernels.
//
// Tested in tests/filter/kernel_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_DISPATCH_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_DISPATCH_H_

#include <vector>

#include "plugin/filter/kernels/kernel.h"

namespace cassandra_bloom {

// The kernels that this machine can run, for tests and measurements. The first
// is the default, the last is "portable".
std::vector<const Kernel*> Kernels();

// The kernel in use. A caller may keep the reference.
const Kernel& ActiveKernel();

// Makes this kernel the active one, for tests and measurements. Calls of other
// threads that are under way may still use the old kernel.
void ForceKernel(const Kernel& kernel);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_DISPATCH_H_
