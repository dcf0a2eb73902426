# SPDX-License-Identifier: Apache-2.0
"""One node of Cassandra, from Maven, on 127.0.0.1, which is started and stopped."""

import socket
import subprocess
import time

from cassandra.cluster import EXEC_PROFILE_DEFAULT, Cluster, ExecutionProfile

# On 127.0.0.1, beside those of another node.
PORTS = {"storage": 17000, "client": 19042, "jmx": 17199}

# Two data directories, so that each flush writes two SSTables of a table. No time limit, as the
# machine may be busy.
YAML = """
partitioner: org.apache.cassandra.dht.Murmur3Partitioner
data_file_directories: [{work}/data1, {work}/data2]
commitlog_sync: periodic
commitlog_sync_period: 10s
listen_address: 127.0.0.1
rpc_address: 127.0.0.1
storage_port: {ports[storage]}
native_transport_port: {ports[client]}
num_tokens: 4
endpoint_snitch: SimpleSnitch
seed_provider:
  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
    parameters: [{{seeds: "127.0.0.1:{ports[storage]}"}}]
column_index_size: 1KiB
flush_compression: table
read_request_timeout: 600s
write_request_timeout: 600s
storage_compatibility_mode: {mode}
uuid_sstable_identifiers_enabled: {uuid}
sstable: {{selected_format: {format}}}
"""

# The version of the SSTables that a node writes, and the settings that make it do so.
SETTINGS = {
    "nb": {"mode": "CASSANDRA_4", "uuid": "false", "format": "big"},
    "oa": {"mode": "NONE", "uuid": "false", "format": "big"},
    "da": {"mode": "NONE", "uuid": "true", "format": "bti"},
}

POM = """<project><modelVersion>4.0.0</modelVersion><groupId>node</groupId>
<artifactId>node</artifactId><version>1</version><packaging>pom</packaging>
<dependencies><dependency><groupId>org.apache.cassandra</groupId>
<artifactId>cassandra-all</artifactId><version>{}</version></dependency></dependencies>
</project>"""

LOGBACK = """<configuration><appender name="F" class="ch.qos.logback.core.FileAppender">
<file>{}/system.log</file><encoder><pattern>%d %level %logger{{0}} %msg%n</pattern></encoder>
</appender><root level="INFO"><appender-ref ref="F"/></root></configuration>"""

# What Cassandra uses of Java's own packages.
OPENED = """java.base/java.io java.base/java.lang java.base/java.lang.reflect java.base/java.net
java.base/java.nio java.base/java.util java.base/java.util.concurrent
java.base/java.util.concurrent.atomic java.base/jdk.internal.misc java.base/jdk.internal.ref
java.base/jdk.internal.util.jar java.base/sun.nio.ch java.rmi/sun.rmi.registry
java.rmi/sun.rmi.server java.rmi/sun.rmi.transport java.rmi/sun.rmi.transport.tcp
java.management/com.sun.jmx.mbeanserver java.management.rmi/com.sun.jmx.remote.internal.rmi
java.sql/java.sql jdk.management/com.sun.management.internal""".split()


class Node:
    """Its files are in `work`, its log is `work`/system.log."""

    def __init__(self, work, release):
        self.work = work
        self.process = self.cluster = self.session = None
        self.jars = work / f"jars-{release}"
        if not self.jars.exists():
            (work / "pom.xml").write_text(POM.format(release))
            subprocess.run(["mvn", "-q", "-B", "-f", work / "pom.xml",
                            "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:"
                            "copy-dependencies", f"-DoutputDirectory={self.jars}"], check=True)
        (work / "logback.xml").write_text(LOGBACK.format(work))
        self.java = ["nice", "java", f"-Dlogback.configurationFile={work}/logback.xml",
                     f"-Djava.io.tmpdir={work}", "-Djava.security.manager=allow",
                     *(f"--add-opens={one}=ALL-UNNAMED" for one in OPENED),
                     "-cp", f"{self.jars}/*"]

    def data(self):
        return [self.work / "data1", self.work / "data2"]

    def start(self, version):
        """Returns when the node answers a client. `version`: see SETTINGS."""
        (self.work / "cassandra.yaml").write_text(
            YAML.format(work=self.work, ports=PORTS, **SETTINGS[version]))
        agent = next(self.jars.glob("jamm-*.jar"))
        with open(self.work / "output.log", "ab") as log:
            self.process = subprocess.Popen(
                [*self.java, "-Xmx1g", f"-javaagent:{agent}",
                 f"-Dcassandra.config=file:{self.work}/cassandra.yaml",
                 f"-Dcassandra.storagedir={self.work}", "-Dcassandra-foreground=yes",
                 f"-Dcassandra.jmx.local.port={PORTS['jmx']}",
                 "-Dcassandra.ring_delay_ms=10", "-Dcassandra.skip_wait_for_gossip_to_settle=0",
                 "org.apache.cassandra.service.CassandraDaemon"],
                stdout=log, stderr=log, cwd=self.work)
        while not self.serves():
            if self.process.poll() is not None:
                raise SystemExit(f"the node has ended: see {self.work}/system.log")
            time.sleep(0.1)

    def serves(self):
        """Whether the node answers a frame OPTIONS of the native protocol."""
        try:
            with socket.create_connection(("127.0.0.1", PORTS["client"])) as client:
                client.sendall(bytes.fromhex("04 00 00 00 05 00 00 00 00"))
                return client.recv(9)[4:5] == b"\6"
        except OSError:
            return False

    def connect(self):
        """The session of a client, which the stop of the node ends."""
        if self.session is None:
            profile = ExecutionProfile(request_timeout=None)
            self.cluster = Cluster(["127.0.0.1"], port=PORTS["client"], connect_timeout=600,
                                   control_connection_timeout=600, protocol_version=4,
                                   execution_profiles={EXEC_PROFILE_DEFAULT: profile})
            self.session = self.cluster.connect()
        return self.session

    def stop(self):
        self.nodetool("drain")
        self.kill()

    def kill(self):
        if self.cluster is not None:
            self.cluster.shutdown()
        if self.process is not None:
            self.process.terminate()
            self.process.wait()
        self.process = self.cluster = self.session = None

    def nodetool(self, *words):
        subprocess.run([*self.java, "-Xmx128m", "org.apache.cassandra.tools.NodeTool",
                        "-h", "127.0.0.1", "-p", str(PORTS["jmx"]), *words],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.work,
                       check=True)
