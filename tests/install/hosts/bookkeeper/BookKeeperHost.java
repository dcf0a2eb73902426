// SPDX-License-Identifier: Apache-2.0

// A ZooKeeper, a bookie with DbLedgerStorage and a client in one process, which know
// nothing of this repository. The index of entry locations has RocksDB's Bloom filter,
// with 10 bits per key (BookKeeper's default).
//
// BookKeeperHost write FOLDER ENTRIES [OPTIONS]  writes the entries
// BookKeeperHost read FOLDER ENTRIES [OPTIONS]   reads them, and some absent ones
// BookKeeperHost absent FOLDER ENTRIES           looks all of them, and as many absent ones,
//                                                up in the index, without a bookie
//
// OPTIONS is RocksDB's OPTIONS file for the index (entryLocationRocksdbConf). `read` prints
// what Filters.java does of the files, and `absent` of the look-ups.

import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.BookKeeper;
import org.apache.bookkeeper.client.BookKeeperAdmin;
import org.apache.bookkeeper.client.LedgerEntry;
import org.apache.bookkeeper.client.LedgerHandle;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.server.EmbeddedServer;
import org.apache.bookkeeper.server.conf.BookieConfiguration;
import org.apache.bookkeeper.shims.zk.ZooKeeperServerShim;
import org.apache.bookkeeper.util.LocalBookKeeper;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.Statistics;

public final class BookKeeperHost {
  private static final int LEDGERS = 100;
  private static final int PENDING = 1000;
  private static final byte[] PASSWORD = {};
  private static final BookKeeper.DigestType DIGEST = BookKeeper.DigestType.DUMMY;

  private static byte[] value(long ledger, long entry) {
    return ("entry " + entry + " of " + ledger).getBytes();
  }

  private static int freePort() throws Exception {
    try (ServerSocket any = new ServerSocket(0)) {
      return any.getLocalPort();
    }
  }

  private static ServerConfiguration configuration(Path folder, int zooKeeper, String[] args)
      throws Exception {
    final ServerConfiguration conf = new ServerConfiguration();
    conf.setMetadataServiceUri("zk+hierarchical://127.0.0.1:" + zooKeeper + "/ledgers");
    conf.setBookieId("bookie");  // Without it, a bookie's folder belongs to its port.
    conf.setBookiePort(freePort());
    conf.setAdvertisedAddress("127.0.0.1");
    conf.setAllowLoopback(true);
    conf.setLedgerStorageClass("org.apache.bookkeeper.bookie.storage.ldb.DbLedgerStorage");
    conf.setLedgerDirNames(new String[] {folder.resolve("ledgers").toString()});
    conf.setJournalDirName(folder.resolve("journal").toString());
    conf.setJournalSyncData(false);
    conf.setHttpServerEnabled(false);
    conf.setDiskUsageThreshold(0.99f);
    conf.setDiskUsageWarnThreshold(0.98f);
    conf.setProperty("dbStorage_writeCacheMaxSizeMb", 32);
    conf.setProperty("dbStorage_readAheadCacheMaxSizeMb", 32);
    conf.setProperty("dbStorage_rocksDB_writeBufferSizeMB", 1);  // Some SST files, of few entries.
    if (args.length > 3) {
      conf.setEntryLocationRocksdbConf(args[3]);
    }
    return conf;
  }

  private static void write(BookKeeper client, int entries) throws Exception {
    final LedgerHandle[] ledgers = new LedgerHandle[LEDGERS];
    for (int i = 0; i < LEDGERS; ++i) {
      ledgers[i] = client.createLedger(1, 1, 1, DIGEST, PASSWORD);
      if (ledgers[i].getId() != i) {
        throw new AssertionError("a new cluster's ledger " + i + " is " + ledgers[i].getId());
      }
    }
    final List<CompletableFuture<Long>> pending = new ArrayList<>();
    for (int i = 0; i < entries; ++i) {
      final LedgerHandle ledger = ledgers[i % LEDGERS];
      pending.add(ledger.appendAsync(value(ledger.getId(), i / LEDGERS)));
      if (pending.size() == PENDING || i + 1 == entries) {
        CompletableFuture.allOf(pending.toArray(new CompletableFuture<?>[0])).join();
        pending.clear();
      }
    }
    for (final LedgerHandle ledger : ledgers) {
      ledger.close();
    }
  }

  private static void read(BookKeeper client, int entries) throws Exception {
    int found = 0;
    for (long id = 0; id < LEDGERS; ++id) {
      final LedgerHandle ledger = client.openLedger(id, DIGEST, PASSWORD);
      final long last = ledger.getLastAddConfirmed();
      for (long first = 0; first <= last; first += PENDING) {
        final Enumeration<LedgerEntry> read =
            ledger.readEntries(first, Math.min(last, first + PENDING - 1));
        while (read.hasMoreElements()) {
          final LedgerEntry entry = read.nextElement();
          if (!java.util.Arrays.equals(entry.getEntry(), value(id, entry.getEntryId()))) {
            throw new AssertionError("ledger " + id + ", entry " + entry.getEntryId());
          }
          ++found;
        }
      }
      try {
        ledger.readUnconfirmedEntries(last + 1, last + 1);
        throw new AssertionError("ledger " + id + " has an entry " + (last + 1));
      } catch (BKException.BKNoSuchEntryException e) {
        // As it should be.
      }
      ledger.close();
    }
    if (found != entries) {
      throw new AssertionError("read " + found + " entries");
    }
  }

  private static Path index(Path folder) {
    return folder.resolve("ledgers/current/locations");
  }

  private static void lookUp(Path folder, int entries) throws Exception {
    RocksDB.loadLibrary();
    try (Statistics statistics = new Statistics();
         Options options = new Options().setStatistics(statistics).setTableFormatConfig(
             new BlockBasedTableConfig().setFilterPolicy(new BloomFilter(10, false)));
         RocksDB db = RocksDB.openReadOnly(options, index(folder).toString())) {
      for (long ledger = 0; ledger < LEDGERS; ++ledger) {
        for (long entry = 0; entry < 2 * entries / LEDGERS; ++entry) {
          final byte[] key = ByteBuffer.allocate(16).putLong(ledger).putLong(entry).array();
          if ((db.get(key) != null) != (entry < entries / LEDGERS)) {
            throw new AssertionError("ledger " + ledger + ", entry " + entry);
          }
        }
      }
      Filters.printLookUps(statistics);
    }
  }

  // Ends the process in all cases, because BookKeeper and ZooKeeper leave threads.
  public static void main(String[] args) {
    try {
      run(args);
      System.exit(0);
    } catch (Throwable e) {
      e.printStackTrace();
      System.exit(1);
    }
  }

  private static void run(String[] args) throws Exception {
    final Path folder = Path.of(args[1]);
    final int entries = Integer.parseInt(args[2]);
    if (args[0].equals("absent")) {
      lookUp(folder, entries);
      return;
    }
    Files.createDirectories(folder.resolve("zookeeper"));
    final int zooKeeperPort = freePort();
    final ZooKeeperServerShim zooKeeper =
        LocalBookKeeper.runZookeeper(1000, zooKeeperPort, folder.resolve("zookeeper").toFile());
    final ServerConfiguration conf = configuration(folder, zooKeeperPort, args);
    if (args[0].equals("write")) {
      BookKeeperAdmin.initNewCluster(conf);
    }
    final EmbeddedServer server = EmbeddedServer.builder(new BookieConfiguration(conf)).build();
    server.getLifecycleComponentStack().start();
    try (BookKeeper client = new BookKeeper("127.0.0.1:" + zooKeeperPort)) {
      if (args[0].equals("write")) {
        write(client, entries);
      } else {
        read(client, entries);
      }
    }
    server.getLifecycleComponentStack().close();
    zooKeeper.stop();
    if (args[0].equals("read")) {
      Filters.printFiles(index(folder).toString());
    }
  }
}
