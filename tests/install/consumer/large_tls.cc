// SPDX-License-Identifier: Apache-2.0

// Thread-local variables of 2000 bytes. With a variable of the TLS model
// initial-exec in the same library, dlopen would need room for all of them in
// static TLS, where glibc has about 1,600 bytes.

extern "C" {
thread_local char large_tls[2000];
}
