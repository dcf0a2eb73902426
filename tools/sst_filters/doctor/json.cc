// SPDX-License-Identifier: Apache-2.0

// Tested in tests/sst_filters/doctor_test.cc.

#include <nlohmann/json.hpp>

#include "tools/sst_filters/doctor/doctor_report.h"

namespace cassandra_bloom::tools {
namespace {

Json OrNull(const std::optional<double>& number) {
  return number ? Json(*number) : Json(nullptr);
}

const char* KindOf(const Sst& sst) {
  switch (sst.kind) {
    case FilterKind::kNone:
      return "none";
    case FilterKind::kCassandra:
      return "cassandra";
    case FilterKind::kBesideRocksdb:
      return "rocksdb";
    case FilterKind::kRocksdbsBloom:
      return "rocksdbs_bloom";
    case FilterKind::kRocksdbsRibbon:
      return "rocksdbs_ribbon";
    case FilterKind::kRocksdbsOther:
      return "rocksdbs_other";
    case FilterKind::kUnknown:
      break;
  }
  return "unknown";
}

const char* NameOf(FilterUse use) {
  switch (use) {
    case FilterUse::kAsked:
      return "asked";
    case FilterUse::kEveryKeyMatches:
      return "every_key_matches";
    case FilterUse::kNotSeen:
      break;
  }
  return "not_asked";
}

// Returns the option `blocks` of cassandra_bloom. Returns null if
// cassandra_bloom is not on, or if the OPTIONS file has the name
// cassandra_bloom without any options.
Json BlocksOf(const Family& family) {
  return !family.options.IsOn() || family.form_is_guessed ? Json(nullptr)
         : family.in_use == PolicyInUse::kBesideRocksdb   ? Json("rocksdb")
                                                          : Json("cassandra");
}

}  // namespace

// The JSON library calls these functions, also for each element of a vector.

void to_json(Json& json, const Filters& filters) {
  json = {{"keys", filters.keys},
          {"filter_bytes", filters.bytes},
          {"bits_per_key", OrNull(filters.BitsPerKey())},
          {"estimated_rate", OrNull(filters.Rate())},
          {"rate_is_measured", filters.is_measured},
          {"rate_is_at_most", filters.is_at_most}};
}

void to_json(Json& json, const Sst& sst) {
  json = {{"file", sst.file.path}, {"level", sst.file.level},
          {"policy", sst.policy},  {"filter", sst.layout},
          {"kind", KindOf(sst)},   {"entries", sst.entries}};
  json.update(Json(sst.filter));
  json["ours"] = sst.filter.num_healthy > 0;
  json["state"] = NameOf(sst.state).json;
  if (!sst.fault.empty()) {
    json["fault"] = sst.fault;
    json["remedy"] = sst.remedy;
  }
  if (!sst.reason.empty()) {
    json["reason"] = sst.reason;
  }
}

void to_json(Json& json, const LevelForecast& forecast) {
  const auto of = [&](const Allocation& allocation) {
    return Json({{"bits_per_key", forecast.BitsPerKey(allocation)},
                 {"false_positives", allocation.false_positives}});
  };
  json = {{"runs", forecast.runs},
          {"as_it_is", of(forecast.as_it_is)},
          {"uniform", of(forecast.uniform)},
          {"monkey", of(forecast.monkey)},
          {"mix", forecast.mix ? of(*forecast.mix) : Json(nullptr)}};
  json["as_it_is"]["is_at_most"] = forecast.as_it_is.is_at_most;
}

void to_json(Json& json, const Diagnosis& diagnosis) {
  json = {{"what", diagnosis.what},
          {"to_do", diagnosis.to_do},
          {"fault", diagnosis.fault},
          {"files", diagnosis.files}};
}

void to_json(Json& json, const FamilyReport& report) {
  const Family& family = report.family;
  Json files = Json::object();
  for (const FilterStateName& name : kFilterStates) {
    files[name.json] = 0;
  }
  for (const auto& [state, count] : report.files) {
    files[NameOf(state).json] = count;
  }
  Json levels = Json::array();
  for (const auto& [level, filters] : family.levels) {
    levels.push_back({{"level", level},
                      {"files", filters.files},
                      {"with_our_filter", filters.num_healthy},
                      {"with_rocksdbs_filter", filters.num_rocksdbs}});
    levels.back().update(Json(filters));
    const auto forecast = report.levels.find(level);
    levels.back()["expected"] =
        forecast == report.levels.end() ? LevelForecast() : forecast->second;
  }
  json = {
      {"name", family.name},
      {"filter_policy", family.options.policy},
      {"on", family.options.IsOn()},
      {"blocks", BlocksOf(family)},
      {"advised_policy", family.advised},
      {"verdict",
       {{"filter_bytes", report.filter_bytes},
        {"false_positives_per_absent_read",
         report.in_use ? Json(report.in_use->false_positives) : Json(nullptr)},
        {"expected_with_our_policy", report.all},
        {"mix_policy",
         report.mix_policy.empty() ? Json(nullptr) : Json(report.mix_policy)},
        {"files", files},
        {"findings", report.diagnoses},
        {"fault", HasFault(report.diagnoses)}}},
      {"levels", levels},
      {"ssts", family.ssts}};
  for (size_t i = 0; i < family.ssts.size(); ++i) {
    json["ssts"][i]["use"] = NameOf(family.ssts[i].UseWith(family.in_use));
  }
}

namespace {

Json ToJson(const Observed& observed, const std::string& statistics) {
  const FilterQuestions& questions = observed.questions;
  return {{"statistics", statistics},
          {"useful", questions.useful},
          {"full_positive", questions.positive},
          {"full_true_positive", questions.true_positive},
          {"questions_for_absent_keys", questions.of_absent_keys()},
          {"false_positives", questions.false_positives()},
          {"rate", OrNull(questions.Rate())},
          {"expected_rate", OrNull(observed.expected_rate)},
          {"whole_keys", observed.whole_keys},
          {"finding",
           observed.diagnosis ? Json(*observed.diagnosis) : Json(nullptr)}};
}

}  // namespace

Json ToJson(const Report& report) {
  Json json = {{"db", report.db},
               {"column_families", report.families},
               {"left_out", report.left_out}};
  if (report.observed) {
    json["observed"] = ToJson(*report.observed, report.statistics);
  }
  const DatabaseFiles& files = report.files;
  json["in_use"] = files.in_use;
  json["manifest"] = {{"file", files.manifest},
                      {"torn", files.manifest_is_torn}};
  json["unlisted_ssts"] = files.unlisted;
  json["findings"] = report.diagnoses;
  json["fault"] = report.fault();
  return json;
}

}  // namespace cassandra_bloom::tools
