// SPDX-License-Identifier: Apache-2.0

// For x86-64 with AVX-512 F, DQ and IFMA: Intel since Ice Lake, AMD since
// Zen 4.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_AVX512_KERNEL_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_AVX512_KERNEL_H_

#include "plugin/filter/kernels/kernel.h"

namespace cassandra_bloom {

// nullptr on a CPU that cannot run it.
const Kernel* Avx512Kernel();

// The same, but it loads the words of a key one by one and gathers none.
const Kernel* Avx512LoadsKernel();

// Whether it is worth while: AMD since Zen 4, Intel since Sapphire Rapids.
// Those of Intel before them lower their clock for everybody on the core when
// 512-bit multiplications come, and gather slowly since the mitigation of
// Downfall (INTEL-SA-00828).
bool IsAvx512Cheap();

// Whether a gather takes fewer operations than the loads: not on AMD's.
bool IsGatheringCheap();

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_AVX512_KERNEL_H_
