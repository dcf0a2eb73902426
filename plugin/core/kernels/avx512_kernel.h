// For x86-64 with AVX-512 (F and DQ): Intel since Skylake-X, AMD since Zen 4.

#ifndef CASSANDRA_BLOOM_PLUGIN_CORE_KERNELS_AVX512_KERNEL_H_
#define CASSANDRA_BLOOM_PLUGIN_CORE_KERNELS_AVX512_KERNEL_H_

#include "plugin/core/kernels/kernel.h"

namespace cassandra_bloom {

// nullptr on a CPU that cannot run it.
const Kernel* Avx512Kernel();

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_CORE_KERNELS_AVX512_KERNEL_H_
