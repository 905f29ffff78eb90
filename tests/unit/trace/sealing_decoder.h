// A decoder to which records are fed as the runtime writes them: the checksum in End is right.
#pragma once

#include <vector>

#include "protocol/checksum.h"
#include "trace/decode.h"

namespace heddle {

class SealingDecoder : public ExecutionDecoder {
 public:
  using ExecutionDecoder::ExecutionDecoder;

  std::size_t feed(const Record* records, std::size_t count) {
    std::vector<Record> sealed(records, records + count);
    for (Record& record : sealed) seal(record);
    fed_ = sealed;
    return ExecutionDecoder::feed(sealed.data(), count);
  }
  bool feed(const Record& record) { return feed(&record, 1), complete(); }
  void close(const EndRecord& end) { ExecutionDecoder::close(end, sum_); }
  // What the last call fed.
  const std::vector<Record>& fed() const { return fed_; }

 private:
  void seal(Record& record) {
    if (record.kind == RecordKind::Begin) sum_ = 0;
    if (record.kind != RecordKind::End) {
      sum_ += sum_of(record);
      return;
    }
    EndRecord end;
    std::memcpy(static_cast<void*>(&end), &record, sizeof end);
    end.checksum = checksum_of(sum_, end);
    std::memcpy(static_cast<void*>(&record), &end, sizeof end);
  }

  std::vector<Record> fed_;
  std::uint64_t sum_ = 0;
};

}  // namespace heddle
