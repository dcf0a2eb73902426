// SPDX-License-Identifier: Apache-2.0

#include "plugin/filter/kernels/dispatch.h"

#include <atomic>

#include "plugin/filter/kernels/avx2_kernel.h"
#include "plugin/filter/kernels/avx512_kernel.h"
#include "plugin/filter/kernels/portable_kernel.h"

namespace cassandra_bloom {

namespace {

const Kernel& FindBest() {
#if defined(__x86_64__)
  // Needed before __builtin_cpu_supports, because the constructor of a static
  // object may use a filter before libgcc's own constructors have run.
  __builtin_cpu_init();
#endif
  if (Avx512Kernel() != nullptr && IsAvx512Cheap()) {
    return *Avx512Kernel();
  }
  return Avx2Kernel() != nullptr ? *Avx2Kernel() : kPortableKernel;
}

std::atomic<const Kernel*>& Active() {
  static std::atomic<const Kernel*> active{&FindBest()};
  return active;
}

}  // namespace

std::vector<const Kernel*> Kernels() {
  std::vector<const Kernel*> kernels = {&FindBest()};
  for (const Kernel* const kernel :
       {Avx512Kernel(), Avx2Kernel(), &kPortableKernel}) {
    if (kernel != nullptr && kernel != kernels[0]) {
      kernels.push_back(kernel);
    }
  }
  return kernels;
}

const Kernel& ActiveKernel() {
  return *Active().load(std::memory_order_relaxed);
}

void ForceKernel(const Kernel& kernel) {
  Active().store(&kernel, std::memory_order_relaxed);
}

}  // namespace cassandra_bloom
