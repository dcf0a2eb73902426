// SPDX-License-Identifier: Apache-2.0

// The filter functions that run on every CPU.
//
// Tested in tests/filter/kernel_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_PORTABLE_KERNEL_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_PORTABLE_KERNEL_H_

#include "plugin/filter/kernels/kernel.h"

namespace cassandra_bloom {

extern const Kernel kPortableKernel;

// The look-ups of the portable kernel. Other kernels use them where they have
// no faster code.
MayContainFunction PortableMayContain;
// Requires a filter of at least FilterView::kProbesAtOnce probes.
MayContainBatchFunction PortableMayContainBatch;

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_PORTABLE_KERNEL_H_
