// SPDX-License-Identifier: Apache-2.0

// A plain program with RocksDB's Java API, which knows nothing of this repository.
// Its filter is RocksDB's Bloom filter, with 10 bits per key.
//
// RocksJavaHost rows DB         writes rows, reads them and absent ones, and checks all
// RocksJavaHost again DB        reads the rows of a database of `rows`
// RocksJavaHost start DB        adds a row to those of earlier starts, and reads all
// RocksJavaHost options DB OLD NEW
//                               loads the OPTIONS file of DB with OLD changed into NEW
// RocksJavaHost load            loads RocksDB twice, and prints what is thrown
// RocksJavaHost loaders DB JAR  loads RocksJava a second time, by a class loader
//
// Prints what Filters.java does, and, a line each: the filter_policy in the OPTIONS file;
// how many files in /proc/self/maps are a RocksDB.

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ConfigOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.Env;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.OptionsUtil;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Statistics;

public final class RocksJavaHost {
  private static final int ROWS = 200_000;
  private static final int ABSENT = 200_000;

  // The keys of different rows differ, because the factor is odd.
  private static byte[] key(long i) {
    return ByteBuffer.allocate(Long.BYTES).putLong(i * 0x9E3779B97F4A7C15L).array();
  }

  // Null if there is no such row: each tenth row is deleted.
  private static byte[] value(int i) {
    return i >= ROWS || i % 10 == 0 ? null : ("row " + i).getBytes();
  }

  private static void write(RocksDB db) throws RocksDBException {
    for (int round = 0; round < 2; ++round) {
      for (int i = round; i < ROWS; i += 1 + round) {
        db.put(key(i), ("row " + i).getBytes());
      }
      db.flush(new FlushOptions());
    }
    for (int i = 0; i < ROWS; i += 10) {
      db.delete(key(i));
    }
    db.flush(new FlushOptions());
    db.compactRange();
  }

  private static void read(RocksDB db) throws RocksDBException {
    for (int i = 0; i < ROWS + ABSENT; ++i) {
      if (!Arrays.equals(db.get(key(i)), value(i))) {
        throw new AssertionError("wrong answer for row " + i);
      }
    }
  }

  private static void start(RocksDB db) throws RocksDBException {
    int rows = 0;
    while (db.get(key(rows)) != null) {
      ++rows;
    }
    db.put(key(rows), new byte[100]);
    db.flush(new FlushOptions());
    System.out.println("rows of earlier starts: " + rows);
  }

  private static String storedPolicy(String folder) throws Exception {
    final String file = OptionsUtil.getLatestOptionsFileName(folder, Env.getDefault());
    return Files.readAllLines(Path.of(folder, file)).stream().map(String::trim)
        .filter(line -> line.startsWith("filter_policy=")).collect(Collectors.joining(", "));
  }

  private static long rocksdbsInMemory() throws Exception {
    return Files.readAllLines(Path.of("/proc/self/maps")).stream()
        .map(line -> line.replaceFirst("^([^ ]+ +){5}", ""))
        .filter(file -> file.matches(".*/librocksdb(jni)?[-.0-9a-z]*\\.so.*")).distinct()
        // The libraries of this repository have far less than a RocksDB.
        .filter(file -> Path.of(file).toFile().length() > 5_000_000).count();
  }

  private static void run(String what, String folder) throws Exception {
    try (BloomFilter bloom = new BloomFilter(10);
         Statistics statistics = new Statistics();
         Options options = new Options().setCreateIfMissing(true).setStatistics(statistics)) {
      options.setTableFormatConfig(new BlockBasedTableConfig().setFilterPolicy(bloom));
      try (RocksDB db = RocksDB.open(options, folder)) {
        if (what.equals("start")) {
          start(db);
          return;
        }
        if (what.equals("rows")) {
          write(db);
        }
        read(db);
      }
      Filters.printFiles(folder);
      Filters.printLookUps(statistics);
      System.out.println(storedPolicy(folder));
      System.out.println("rocksdbs " + rocksdbsInMemory());
    }
  }

  private static void loadOptions(String folder, String old, String changed) throws Exception {
    final String latest = OptionsUtil.getLatestOptionsFileName(folder, Env.getDefault());
    final Path file = Path.of(folder + ".OPTIONS");
    Files.writeString(file, Files.readString(Path.of(folder, latest)).replace(old, changed));
    try {
      OptionsUtil.loadOptionsFromFile(
          new ConfigOptions(), file.toString(), new DBOptions(), new ArrayList<>());
      System.out.println("loaded");
    } catch (RocksDBException e) {
      System.out.println("RocksDBException: " + e.getMessage());
    }
  }

  private static void load() {
    for (int i = 0; i < 2; ++i) {
      try {
        RocksDB.loadLibrary();
        System.out.println("loaded");
      } catch (RuntimeException e) {
        System.out.println(e.getCause());
      }
    }
  }

  public static void main(String[] args) throws Exception {
    if (args[0].equals("load")) {
      load();
      return;
    }
    RocksDB.loadLibrary();
    if (args[0].equals("options")) {
      loadOptions(args[1], args[2], args[3]);
    } else if (args[0].equals("loaders")) {
      run("rows", args[1]);
      final List<URL> jars = List.of(Path.of(args[2]).toUri().toURL(),
          RocksJavaHost.class.getProtectionDomain().getCodeSource().getLocation());
      try (URLClassLoader loader = new URLClassLoader(
               jars.toArray(new URL[0]), ClassLoader.getPlatformClassLoader())) {
        loader.loadClass("RocksJavaHost").getMethod("main", String[].class)
            .invoke(null, (Object) new String[] {"rows", args[1] + ".second"});
      }
    } else {
      run(args[0], args[1]);
    }
  }
}
