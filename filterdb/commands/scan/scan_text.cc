// SPDX-License-Identifier: Apache-2.0

// Tested in filterdb/tests/commands/scan/scan_test.cc.

#include <algorithm>
#include <array>
#include <cstdio>

#include "filterdb/commands/scan/scan_report.h"
#include "filterdb/health/totals.h"

namespace cassandra_bloom::tools {
namespace {

using Iterator = std::vector<FilterFinding>::const_iterator;

std::string Fixed(double number, int digits) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", digits, number);
  return text;
}

// Returns a size as text, such as "12.3 KB". 1 KB is 1000 bytes.
std::string Size(uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KB", "MB", "GB", "TB"};
  auto number = static_cast<double>(bytes);
  size_t unit = 0;
  while (number >= 999.5 && unit + 1 < std::size(kUnits)) {
    number /= 1000;
    ++unit;
  }
  return ThreeDigits(number) + " " + kUnits[unit];
}

using Row = std::array<std::string, 11>;

const Row kHeader = {"SSTable",  "version",   "keys",   "k",
                     "bits/key", "fill",      "rate",   "plan",
                     "size",     "plan size", "verdict"};

void PrintRow(int width, const Row& row) {
  // The columns between the first and the last. A negative width aligns to the
  // left.
  constexpr int kWidths[] = {-7, 10, 2, 8, 6, 8, 8, 8, 9};
  std::printf("  %-*s", width, row.front().c_str());
  for (size_t i = 0; i < std::size(kWidths); ++i) {
    std::printf(" %*s", kWidths[i], row[i + 1].c_str());
  }
  std::printf("  %s\n", row.back().c_str());
}

std::string PlanText(const FilterFinding& finding) {
  if (!finding.plan) {
    return "unknown";
  }
  return *finding.plan < 1 ? Percent(*finding.plan) : "none";
}

// Prints lines below the row of an SSTable. They tell what the columns do not
// show.
void PrintDetails(const FilterFinding& finding) {
  if (!finding.written_as.empty()) {
    std::printf("    written as %s: read in that form, it has every key\n",
                finding.written_as.c_str());
  }
  if (finding.num_wrong_hashes > 0) {
    std::printf(
        "    Partitions.db has another byte of the hash for %s: Cassandra may "
        "not find them\n",
        Count(finding.num_wrong_hashes, "key").c_str());
  }
  for (size_t i = 1; i < finding.verdicts.size(); ++i) {
    if (finding.verdicts[i] != FilterVerdict::kOtherForm &&
        finding.verdicts[i] != FilterVerdict::kWrongIndexHashes) {
      std::printf("    also %s\n", NameOf(finding.verdicts[i]));
    }
  }
  for (const std::string& error : finding.errors) {
    std::printf("    %s\n", Printable(error).c_str());
  }
  if (!finding.plan) {
    std::printf("    plan unknown: %s\n",
                Printable(finding.plan_error).c_str());
  }
}

// Returns the bits per key as text. Few digits are enough for the huge number
// that a damaged header may give.
std::string BitsPerKey(const FilterFinding& finding) {
  constexpr double kTooWide = 1e6;
  const double bits = finding.bits_per_key();
  return bits < kTooWide ? Fixed(bits, 1) : ThreeDigits(bits);
}

std::string NameOf(const Sstable& sstable) {
  std::string name = Printable(sstable.name_prefix);
  name.pop_back();  // Removes the "-" at the end.
  return name;
}

// Returns the width of the column of SSTable names. A name with a UUID
// (Cassandra's UUIDBasedSSTableId) has at least 35 characters.
int WidthOfNames(Iterator begin, Iterator end) {
  constexpr size_t kLeast = 24;
  size_t width = kLeast;
  std::for_each(begin, end, [&](const FilterFinding& finding) {
    width = std::max(width, NameOf(finding.sstable).size());
  });
  return static_cast<int>(width);
}

void PrintFinding(const FilterFinding& finding, int width) {
  const bool has_filter = finding.fill.num_probes > 0;
  const auto if_filter = [&](const std::string& text) {
    return has_filter ? text : "-";
  };
  const std::string name = NameOf(finding.sstable);
  const std::string version = Printable(finding.sstable.version);
  if (finding.sstable.state != SstableState::kLive) {
    Row row = {name, version};
    row.back() = VerdictText(finding);
    PrintRow(width, row);
    return;
  }
  PrintRow(width, {name, version,
                   finding.has_keys ? std::to_string(finding.num_keys) : "-",
                   if_filter(std::to_string(finding.fill.num_probes)),
                   has_filter && finding.has_keys ? BitsPerKey(finding) : "-",
                   if_filter(Fixed(finding.fill.fill_ratio(), 3)),
                   Percent(finding.fill.rate()), PlanText(finding),
                   finding.has_filter_file ? Size(finding.filter_size) : "-",
                   finding.planned_size > 0 ? Size(finding.planned_size) : "-",
                   VerdictText(finding)});
  PrintDetails(finding);
}

void PrintTotals(const char* indent, const Totals& totals) {
  std::printf("%s%s, %llu faulty", indent,
              Count(totals.num_sstables, "SSTable").c_str(),
              static_cast<unsigned long long>(totals.num_faulty));
  if (totals.num_left_out > 0) {
    std::printf(" (and %llu being written, obsolete or vanished)",
                static_cast<unsigned long long>(totals.num_left_out));
  }
  std::printf("; %s", Count(totals.num_keys, "key").c_str());
  if (totals.num_missing > 0) {
    std::printf(", %llu of them missing from their filters",
                static_cast<unsigned long long>(totals.num_missing));
  }
  if (totals.num_unread > 0) {
    std::printf("; the keys of %s could not be read",
                Count(totals.num_unread, "SSTable").c_str());
  }
  std::printf("\n%sfilters: %s; an absent key reads %s SSTables", indent,
              Size(totals.filter_bytes).c_str(),
              ThreeDigits(totals.reads).c_str());
  if (totals.num_faulty > 0) {
    std::printf("; mended: %s and %s", Size(totals.mended_filter_bytes).c_str(),
                ThreeDigits(totals.mended_reads).c_str());
  }
  if (totals.num_oversized > 0) {
    std::printf("\n%s%llu oversized: mend --oversized would free %s", indent,
                static_cast<unsigned long long>(totals.num_oversized),
                Size(totals.freed_bytes).c_str());
  }
  std::printf("\n");
}

Totals TotalsOf(Iterator begin, Iterator end) {
  Totals totals;
  std::for_each(begin, end,
                [&](const FilterFinding& finding) { totals.Add(finding); });
  return totals;
}

void PrintFolder(Iterator begin, Iterator end, bool only_faults) {
  const Totals totals = TotalsOf(begin, end);
  if (only_faults && totals.num_faulty == 0) {
    return;
  }
  std::printf("%s\n", Printable(begin->sstable.folder).c_str());
  const int width = WidthOfNames(begin, end);
  PrintRow(width, kHeader);
  std::for_each(begin, end, [&](const FilterFinding& finding) {
    if (!only_faults || finding.is_fault()) {
      PrintFinding(finding, width);
    }
  });
  PrintTotals("  ", totals);
  std::printf("\n");
}

}  // namespace

std::string VerdictText(const FilterFinding& finding) {
  if (finding.sstable.state != SstableState::kLive) {
    return NameOf(finding.sstable.state);
  }
  std::string text = NameOf(finding.verdict());
  if (finding.verdict() == FilterVerdict::kKeysMissing) {
    text += " (" + std::to_string(finding.num_missing) + ")";
  }
  return text;
}

std::string LeftOutText(const std::map<std::string, uint64_t>& folders) {
  std::string text;
  for (const auto& [name, number] : folders) {
    text += (text.empty() ? "left out: " : ", ") + Count(number, "folder") +
            " named " + Printable(name);
  }
  return text.empty() ? "" : text + "\n";
}

void PrintFindings(const std::vector<FilterFinding>& findings,
                   bool only_faults) {
  auto begin = findings.begin();
  size_t num_folders = 0;
  while (begin != findings.end()) {
    const auto end =
        std::find_if(begin, findings.end(), [&](const FilterFinding& finding) {
          return finding.sstable.folder != begin->sstable.folder;
        });
    PrintFolder(begin, end, only_faults);
    begin = end;
    ++num_folders;
  }
  if (num_folders != 1 || only_faults) {
    PrintTotals("", TotalsOf(findings.begin(), findings.end()));
  }
  for (const std::string& warning : WarningsOf(findings)) {
    std::printf("warning: %s\n", Printable(warning).c_str());
  }
}

}  // namespace cassandra_bloom::tools
