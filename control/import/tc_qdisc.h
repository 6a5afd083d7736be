// tc's queueing disciplines, word by word.
#pragma once

#include <string_view>

#include "control/import/options.h"

namespace sojourn::imports {

// The grammar of a qdisc that has an equivalent as a whole or in part, null for others.
const Options* tc_qdisc_options(std::string_view kind);
// Of `tc class ... htb`.
const Options& htb_class_options();
// Of `tc qdisc ... stab`.
const Options& stab_options();

// tc_cake.cc
const Options& cake_options();
void finish_cake(Reading& reading);

// The sizes and rates that several of them share.
Option tc_rate_option(const std::string& word, std::optional<BitsPerSecond> Reading::*field);
Option tc_size_option(const std::string& word, std::optional<uint64_t> Reading::*field);
Option tc_mpu_option();
Option tc_overhead_option();
Option tc_linklayer_option();

// What holds for this kind where its words say nothing. Called before the words are read.
void set_tc_defaults(Reading& reading);
// What has been read becomes keys. Called after the words are read.
void finish_tc_qdisc(Reading& reading);

}  // namespace sojourn::imports
