// SPDX-License-Identifier: Apache-2.0

// The kernel that runs on every CPU.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_PORTABLE_KERNEL_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_PORTABLE_KERNEL_H_

#include "plugin/filter/kernels/kernel.h"

namespace cassandra_bloom {

extern const Kernel kPortableKernel;

// Its look-ups, for kernels that have no better one for some keys.
MayContainFunction PortableMayContain;
// For filters of at least FilterView::kProbesAtOnce probes.
MayContainBatchFunction PortableMayContainBatch;

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_PORTABLE_KERNEL_H_
