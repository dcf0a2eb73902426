// SPDX-License-Identifier: Apache-2.0

// Readers of lists of keys, from any source of bytes.

#ifndef CASSANDRA_BLOOM_PLUGIN_SSTABLE_KEY_LIST_READER_H_
#define CASSANDRA_BLOOM_PLUGIN_SSTABLE_KEY_LIST_READER_H_

#include <cstddef>
#include <memory>
#include <string>

#include "cassandra_bloom/key_reader.h"
#include "plugin/sstable/byte_source.h"
#include "plugin/sstable/input_buffer.h"

namespace cassandra_bloom {

// `name`: what errors call the source.
std::unique_ptr<KeyReader> NewKeyReader(std::unique_ptr<ByteSource> source,
                                        KeyFormat format,
                                        const std::string& name,
                                        size_t buffer_size = kInputBufferSize);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_SSTABLE_KEY_LIST_READER_H_
