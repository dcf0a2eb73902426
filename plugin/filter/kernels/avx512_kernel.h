// SPDX-License-Identifier: Apache-2.0

// For x86-64 with AVX-512 F, DQ and IFMA: Intel since Ice Lake, AMD since
// Zen 4.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_AVX512_KERNEL_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_AVX512_KERNEL_H_

#include "plugin/filter/kernels/kernel.h"

namespace cassandra_bloom {

// nullptr on a CPU that cannot run it.
const Kernel* Avx512Kernel();

// The same kernel, but it loads the words of a key one by one instead of
// gathering them.
const Kernel* Avx512LoadsKernel();

// Whether AVX-512 is worth while: on AMD since Zen 4, on Intel since Sapphire
// Rapids. With 512-bit multiplications, earlier Intel CPUs lower the clock for
// everything on the core, and they gather slowly since the mitigation of
// Downfall (INTEL-SA-00828).
bool IsAvx512Cheap();

// Whether a gather takes fewer operations than the loads: not on AMD's CPUs.
bool IsGatheringCheap();

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_AVX512_KERNEL_H_
