// SPDX-License-Identifier: Apache-2.0

// What the programs in Java print of RocksDB's filters, a line each.

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Statistics;
import org.rocksdb.TableProperties;
import org.rocksdb.TickerType;

final class Filters {
  /**
   * Prints the release; the policies of the filters; how many SST files have one and how many
   * have none; the filters' bytes, and bits per key.
   */
  static void printFiles(String folder) throws RocksDBException {
    final List<ColumnFamilyDescriptor> families =
        RocksDB.listColumnFamilies(new Options(), folder).stream()
            .map(ColumnFamilyDescriptor::new).collect(Collectors.toList());
    final List<ColumnFamilyHandle> handles = new ArrayList<>();
    final TreeSet<String> policies = new TreeSet<>();
    int filters = 0;
    int files = 0;
    long bytes = 0;
    long keys = 0;
    final RocksDB db = RocksDB.openReadOnly(folder, families, handles);
    for (final ColumnFamilyHandle family : handles) {
      for (final TableProperties file : db.getPropertiesOfAllTables(family).values()) {
        ++files;
        if (file.getFilterSize() > 0) {
          ++filters;
          policies.add(file.getFilterPolicyName());
          bytes += file.getFilterSize();
          keys += file.getNumEntries();
        }
      }
    }
    System.out.println("release " + RocksDB.rocksdbVersion());
    System.out.println("policies " + String.join(" ", policies));
    System.out.println("files " + filters + " " + (files - filters));
    System.out.println("bytes " + bytes);
    System.out.printf(Locale.ROOT, "bits %.2f%n", 8.0 * bytes / keys);
  }

  /** Prints how many look-ups the filters rejected, and how many passed in vain. */
  static void printLookUps(Statistics statistics) {
    System.out.println("useful " + statistics.getTickerCount(TickerType.BLOOM_FILTER_USEFUL));
    System.out.println("false "
        + (statistics.getTickerCount(TickerType.BLOOM_FILTER_FULL_POSITIVE)
            - statistics.getTickerCount(TickerType.BLOOM_FILTER_FULL_TRUE_POSITIVE)));
  }
}
