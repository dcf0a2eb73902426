// SPDX-License-Identifier: Apache-2.0

// A plain program with Kafka Streams, which knows nothing of this repository: a table
// with a state store of Kafka's default options, which have RocksDB's Bloom filter. A broker
// runs in the same process.
//
// KafkaStreamsHost write FOLDER KEYS  writes the keys
// KafkaStreamsHost read FOLDER KEYS   reads all keys and as many absent ones
//
// With -Dfilters=all, files of the last level have filters, too. Kafka's default is
// optimize_filters_for_hits, which leaves these out.
//
// Prints what Filters.java does, of the store.

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.test.KafkaClusterTestKit;
import org.apache.kafka.common.test.TestKitNodes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.QueryableStoreTypes;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;
import org.apache.kafka.streams.state.RocksDBConfigSetter;
import org.rocksdb.Options;
import org.rocksdb.Statistics;

public final class KafkaStreamsHost {
  private static final String STORE = "store";
  private static final String TOPIC = "topic";
  private static Statistics statistics;

  /** Kafka's hook for RocksDB's options: counts what the filters do. */
  public static final class Counting implements RocksDBConfigSetter {
    @Override
    public void setConfig(String store, Options options, Map<String, Object> configs) {
      statistics = new Statistics();
      options.setStatistics(statistics);
      if ("all".equals(System.getProperty("filters"))) {
        options.setOptimizeFiltersForHits(false);
      }
    }

    @Override
    public void close(String store, Options options) {}
  }

  // The keys of different rows differ, because the factor is odd.
  private static String key(long i) {
    return Long.toHexString(i * 0x9E3779B97F4A7C15L);
  }

  private static String value(long i) {
    return "value of row " + i;
  }

  // A broker in this process, with a topic of one partition.
  private static KafkaClusterTestKit startBroker() throws Exception {
    final KafkaClusterTestKit broker =
        new KafkaClusterTestKit
            .Builder(new TestKitNodes.Builder()
                         .setCombined(true)
                         .setNumBrokerNodes(1)
                         .setNumControllerNodes(1)
                         .build())
            .setConfigProp("offsets.topic.replication.factor", "1")
            .build();
    broker.format();
    broker.startup();
    broker.waitForReadyBrokers();
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
      admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get();
    }
    return broker;
  }

  private static KafkaStreams startStreams(String servers, String folder) throws Exception {
    final StreamsBuilder builder = new StreamsBuilder();
    builder.table(TOPIC, Consumed.with(Serdes.String(), Serdes.String()),
        Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as(STORE).withLoggingDisabled());
    final Properties properties = new Properties();
    properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "host");
    properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, servers);
    properties.put(StreamsConfig.STATE_DIR_CONFIG, folder);
    properties.put(StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG, Counting.class);
    final KafkaStreams streams = new KafkaStreams(builder.build(), properties);
    streams.start();
    while (streams.state() != KafkaStreams.State.RUNNING) {
      Thread.sleep(100);
    }
    return streams;
  }

  private static ReadOnlyKeyValueStore<String, String> storeOf(KafkaStreams streams) {
    return streams.store(
        StoreQueryParameters.fromNameAndType(STORE, QueryableStoreTypes.keyValueStore()));
  }

  private static void write(String servers, KafkaStreams streams, int keys) throws Exception {
    try (KafkaProducer<String, String> producer = new KafkaProducer<>(
             Map.of("bootstrap.servers", servers), new StringSerializer(), new StringSerializer())) {
      for (int i = 0; i < keys; ++i) {
        producer.send(new ProducerRecord<>(TOPIC, key(i), value(i)));
      }
    }
    while (storeOf(streams).get(key(keys - 1)) == null) {
      Thread.sleep(100);
    }
  }

  private static void read(KafkaStreams streams, int keys) {
    final ReadOnlyKeyValueStore<String, String> store = storeOf(streams);
    for (int i = 0; i < 2 * keys; ++i) {
      final String found = store.get(key(i));
      if (i < keys ? !value(i).equals(found) : found != null) {
        throw new AssertionError("row " + i + ": " + found);
      }
    }
  }

  public static void main(String[] args) throws Exception {
    final int keys = Integer.parseInt(args[2]);
    try (KafkaClusterTestKit broker = startBroker();
         KafkaStreams streams = startStreams(broker.bootstrapServers(), args[1])) {
      if (args[0].equals("write")) {
        write(broker.bootstrapServers(), streams, keys);
      } else {
        read(streams, keys);
      }
    }
    try (Stream<Path> files = Files.walk(Path.of(args[1]))) {
      Filters.printFiles(
          files.filter(file -> file.endsWith("CURRENT")).findFirst().orElseThrow().getParent()
              .toString());
    }
    Filters.printLookUps(statistics);
  }
}
