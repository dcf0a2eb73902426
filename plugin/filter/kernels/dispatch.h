// SPDX-License-Identifier: Apache-2.0

// The choice among the kernels.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_DISPATCH_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_DISPATCH_H_

#include <vector>

#include "plugin/filter/kernels/kernel.h"

namespace cassandra_bloom {

// Those that this machine can run, for tests and measurements: the one that it
// takes by itself first, "portable" last.
std::vector<const Kernel*> Kernels();

// The one that work is done with. What takes it may keep it.
const Kernel& ActiveKernel();

// Makes another the active one, for tests and measurements: work that is under
// way may be finished with either.
void ForceKernel(const Kernel& kernel);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_DISPATCH_H_
