// SPDX-License-Identifier: Apache-2.0

// A plain program with RocksDB's Java API, for rocksjava.sh: writes databases with
// the policy cassandra_bloom, named in an options string, with RocksDB's own filter
// and with none, reads them, and compares all answers.
//
// RocksJavaHost FOLDER   makes its databases in FOLDER, which must be empty; prints
//                        what it does, and in the last line the release, how many
//                        answers were compared, and what our filter did

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.ConfigOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.Env;
import org.rocksdb.FlushOptions;
import org.rocksdb.OptionsUtil;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Statistics;
import org.rocksdb.TableProperties;
import org.rocksdb.TickerType;
import org.rocksdb.WriteOptions;

public final class RocksJavaHost {
  private static final int ROWS = 200_000;
  private static final int ABSENT = 100_000;

  // filterdb with RocksDB 7.8 must be able to read the files.
  private static final String FORMAT = "format_version=5";
  private static final String OURS = "cassandra_bloom";
  private static final String OUR_POLICY = OURS + ":10";

  private static long answersCompared = 0;

  private static void check(boolean good, String what) {
    if (!good) {
      throw new AssertionError(what);
    }
  }

  // The key of row i; the keys of different rows differ, because the factor is odd.
  private static byte[] key(int i) {
    return ByteBuffer.allocate(Long.BYTES).putLong(i * 0x9E3779B97F4A7C15L).array();
  }

  private static byte[] value(int i, String version) {
    return (version + " of row " + i).getBytes(StandardCharsets.UTF_8);
  }

  // What row i must be; null if the row must be absent. The rewriting deletes each
  // tenth row, and gives each seventh row a new value unless it deletes the row.
  private static byte[] expected(int i, boolean rewritten) {
    if (i >= ROWS || (rewritten && i % 10 == 0)) {
      return null;
    }
    return value(i, rewritten && i % 7 == 0 ? "second value" : "first value");
  }

  /** A database that is open, with its statistics. */
  private static final class Open implements AutoCloseable {
    private final Statistics statistics = new Statistics();
    private final DBOptions dbOptions;
    private final List<ColumnFamilyDescriptor> families;
    private final List<ColumnFamilyHandle> handles = new ArrayList<>();
    private final RocksDB db;

    Open(Path folder, DBOptions dbOptions, List<ColumnFamilyDescriptor> families)
        throws RocksDBException {
      this.dbOptions = dbOptions;
      this.families = families;
      dbOptions.setStatistics(statistics);
      db = RocksDB.open(dbOptions, folder.toString(), families, handles);
    }

    static Open withOptions(Path folder, ColumnFamilyOptions options) throws RocksDBException {
      return new Open(folder, new DBOptions().setCreateIfMissing(true),
          Arrays.asList(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, options)));
    }

    // With the options that RocksDB has stored in the database.
    static Open withStoredOptions(Path folder) throws RocksDBException {
      final DBOptions dbOptions = new DBOptions();
      final List<ColumnFamilyDescriptor> families = new ArrayList<>();
      OptionsUtil.loadLatestOptions(new ConfigOptions(), folder.toString(), dbOptions, families);
      return new Open(folder, dbOptions, families);
    }

    void writeAll() throws RocksDBException {
      try (WriteOptions options = new WriteOptions().setDisableWAL(true)) {
        for (int i = 0; i < ROWS; ++i) {
          db.put(options, key(i), expected(i, false));
          if (i == ROWS / 2) {
            flush();
          }
        }
      }
      flushAndCompact();
    }

    void rewriteSome() throws RocksDBException {
      try (WriteOptions options = new WriteOptions().setDisableWAL(true)) {
        for (int i = 0; i < ROWS; ++i) {
          final byte[] row = expected(i, true);
          if (row == null) {
            db.delete(options, key(i));
          } else if (i % 7 == 0) {
            db.put(options, key(i), row);
          }
        }
      }
      flushAndCompact();
    }

    private void flush() throws RocksDBException {
      try (FlushOptions options = new FlushOptions().setWaitForFlush(true)) {
        db.flush(options);
      }
    }

    private void flushAndCompact() throws RocksDBException {
      flush();
      db.compactRange();
      check(db.getProperty("rocksdb.num-files-at-level0").equals("0"), "files are left in level 0");
    }

    // Reads all rows and ABSENT absent ones, and checks each answer.
    void readAll(boolean rewritten) throws RocksDBException {
      for (int i = 0; i < ROWS + ABSENT; ++i) {
        check(Arrays.equals(db.get(key(i)), expected(i, rewritten)), "wrong answer for row " + i);
        ++answersCompared;
      }
    }

    long useful() {
      return statistics.getTickerCount(TickerType.BLOOM_FILTER_USEFUL);
    }

    // The names of the filters of all SST files. A file without one has "none".
    String filters() throws RocksDBException {
      final Set<String> names = new TreeSet<>();
      for (final TableProperties file : db.getPropertiesOfAllTables().values()) {
        final String name = file.getFilterPolicyName();
        names.add(name == null || name.isEmpty() ? "none" : name);
      }
      return String.join(", ", names);
    }

    // What Java's own configuration says of the filter, after loadLatestOptions.
    BlockBasedTableConfig tableConfig() {
      return (BlockBasedTableConfig) families.get(0).getOptions().tableFormatConfig();
    }

    @Override
    public void close() {
      handles.forEach(ColumnFamilyHandle::close);
      db.close();
      dbOptions.close();
      families.forEach(family -> family.getOptions().close());
      statistics.close();
    }
  }

  // Null if RocksDB does not accept the string.
  private static ColumnFamilyOptions optionsOf(String policy) {
    final Properties properties = new Properties();
    properties.setProperty(
        "block_based_table_factory", "{filter_policy=" + policy + ";" + FORMAT + "}");
    return ColumnFamilyOptions.getColumnFamilyOptionsFromProps(properties);
  }

  private static String storedPolicy(Path folder) throws Exception {
    final String file = OptionsUtil.getLatestOptionsFileName(folder.toString(), Env.getDefault());
    for (final String line : Files.readAllLines(folder.resolve(file))) {
      if (line.trim().startsWith("filter_policy=")) {
        return line.trim().substring("filter_policy=".length());
      }
    }
    return "no filter_policy";
  }

  // Returns for how many absent rows the filter gave the answer in two readings of
  // a database. The first reads ABSENT absent rows. The second also reads the tenth
  // of the rows that is deleted.
  private static long run(Path folder, String policy, String expectedFilter) throws Exception {
    try (Open open = Open.withOptions(folder, optionsOf(policy))) {
      open.writeAll();
      open.readAll(false);
      check(open.filters().equals(expectedFilter), "after writing: filter " + open.filters());
    }
    final long useful;
    try (Open open = Open.withStoredOptions(folder)) {
      open.readAll(false);
      final long first = open.useful();
      open.rewriteSome();
      final long before = open.useful();
      open.readAll(true);
      useful = first + open.useful() - before;
      check(open.filters().equals(expectedFilter), "after rewriting: filter " + open.filters());
      check(storedPolicy(folder).startsWith(policy), "stored: " + storedPolicy(folder));
      final BlockBasedTableConfig config = open.tableConfig();
      System.out.printf("%s: filter of all files: %s; stored options: %s; Java's table "
              + "configuration: %s; BLOOM_FILTER_USEFUL: %d, then %d%n",
          policy, open.filters(), storedPolicy(folder), config.filterPolicy(), first,
          useful - first);
    }
    return useful;
  }

  private static void checkWrongString(Path ours) throws Exception {
    final String wrong = OURS + ":abc";
    check(optionsOf(wrong) == null, "getColumnFamilyOptionsFromProps accepts " + wrong);
    // The options are null. A program that does not check them fails when it opens
    // the database.
    try {
      Open.withOptions(ours, null).close();
      throw new AssertionError("opened without options");
    } catch (NullPointerException e) {
      System.out.println(wrong + " in getColumnFamilyOptionsFromProps: null; opening: " + e);
    }

    final Path file = ours.resolve("OPTIONS-wrong");
    final String stored = OptionsUtil.getLatestOptionsFileName(ours.toString(), Env.getDefault());
    Files.writeString(
        file, Files.readString(ours.resolve(stored)).replace(OUR_POLICY, wrong));
    try {
      OptionsUtil.loadOptionsFromFile(
          new ConfigOptions(), file.toString(), new DBOptions(), new ArrayList<>());
    } catch (RocksDBException e) {
      System.out.println(wrong + " in loadOptionsFromFile: " + e.getMessage());
      return;
    } finally {
      Files.delete(file);
    }
    throw new AssertionError("loadOptionsFromFile accepts " + wrong);
  }

  // A table configuration that is made in Java replaces all table options of the
  // options string, and so its filter policy.
  private static void checkSetFilterPolicy(Path folder) throws Exception {
    try (BloomFilter bloom = new BloomFilter(10)) {
      final ColumnFamilyOptions options = optionsOf(OUR_POLICY);
      options.setTableFormatConfig(
          new BlockBasedTableConfig().setFilterPolicy(bloom).setFormatVersion(5));
      try (Open open = Open.withOptions(folder, options)) {
        open.readAll(true);
        System.out.printf("setFilterPolicy(new BloomFilter(10)) on our files: stored options: %s; "
                + "filter of all files: %s; BLOOM_FILTER_USEFUL: %d%n",
            storedPolicy(folder), open.filters(), open.useful());
        check(open.useful() == 0, "RocksDB's policy used our filters");
        check(storedPolicy(folder).startsWith("bloomfilter"), "the policy was not replaced");
      }
    }
  }

  public static void main(String[] args) throws Exception {
    final Path folder = Path.of(args[0]);
    RocksDB.loadLibrary();
    final Path ours = folder.resolve("ours");
    final long useful = run(ours, OUR_POLICY, OURS);
    final long bloom = run(folder.resolve("bloom"), "bloomfilter:10", "bloomfilter");
    final long none = run(folder.resolve("none"), "nullptr", "none");
    check(none == 0, "a filter answered where there is none");
    check(bloom > 0, "RocksDB's own filter answered nothing");
    checkWrongString(ours);
    // Uses a database of its own, because opening stores the options in the database.
    run(folder.resolve("replaced"), OUR_POLICY, OURS);
    checkSetFilterPolicy(folder.resolve("replaced"));
    // RocksDB's Ribbon filters in the bottommost files, and ours in the others.
    final long mixed = run(folder.resolve("mix"), OURS + ":mix:10", OURS);
    final long absent = 2 * ABSENT + ROWS / 10;
    check(useful > absent * 98 / 100, "of " + absent + " absent reads were filtered: " + useful);
    check(mixed > absent * 97 / 100, "of " + absent + " absent reads mix filtered: " + mixed);
    System.out.printf(Locale.ROOT, "%s\t%,d\t%,d of %,d absent (mix:10: %,d, bloomfilter:10: %,d)%n",
        RocksDB.rocksdbVersion(), answersCompared, useful, absent, mixed, bloom);
  }
}
