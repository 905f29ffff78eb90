// See atomic_instruction.h. The processor does what was foreseen, behind the scheduling point.
#include "instrument/atomic_instruction.h"

namespace heddle::instrument {
namespace {

__extension__ using Wide = unsigned __int128;

Wide number(const std::uint64_t (&words)[2]) { return Wide{words[1]} << 64 | words[0]; }

void set(std::uint64_t (&words)[2], Wide value) {
  words[0] = static_cast<std::uint64_t>(value);
  words[1] = static_cast<std::uint64_t>(value >> 64);
}

Wide low_bytes(Wide value, unsigned size) { return size == 16 ? value : value & ((Wide{1} << 8 * size) - 1); }

Wide changed(const InlineAtomic& access, Wide before) {
  const Wide operand = number(access.operand);
  switch (access.change) {
    case Change::Add:
      return before + operand;
    case Change::Or:
      return before | operand;
    case Change::AddWithCarry:
      return before + operand + access.carry;
    case Change::SubtractWithBorrow:
      return before - operand - access.carry;
    case Change::And:
      return before & operand;
    case Change::Subtract:
      return before - operand;
    case Change::Xor:
      return before ^ operand;
    case Change::Not:
      return ~before;
    case Change::Negate:
      return -before;
    case Change::Exchange:
    case Change::Compare:
      return operand;
  }
  return operand;
}

// Says what the instruction will do; it is the processor that does it, as soon as the call has returned.
void foresee(AtomicAccess& access_) {
  auto& access = static_cast<InlineAtomic&>(access_);
  __builtin_memcpy(access.before, access.address, access.size);
  const Wide before = number(access.before);
  access.wrote = access.change != Change::Compare || before == number(access.expected);
  set(access.after, low_bytes(access.wrote ? changed(access, before) : before, access.size));
}

// --- the instruction

constexpr std::uint64_t kCarry = 1;
enum : unsigned { kRax, kRcx, kRdx, kRbx, kRsp, kRbp };

// Reads an instruction and the registers that it uses.
class Reader {
 public:
  Reader(const std::uint8_t* code, const std::uint64_t* saved, std::uint64_t stack)
      : at_(code), saved_(saved), stack_(stack) {}

  InlineAtomic read() {
    InlineAtomic access;
    read_prefixes();
    const unsigned opcode = *at_++;
    if (opcode == 0x0f)
      read_long(*at_++, access);
    else
      read_short(opcode, access);
    set(access.operand, low_bytes(number(access.operand), access.size));
    return access;
  }

 private:
  void read_prefixes();
  void read_short(unsigned opcode, InlineAtomic& access);
  void read_long(unsigned opcode, InlineAtomic& access);
  void read_bits(unsigned kind, bool in_register, InlineAtomic& access);
  // Sets address and size, unless it is a register or not understood. `immediate`: so many bytes follow the operands.
  void read_place(unsigned size, unsigned immediate, InlineAtomic& access);
  std::uint64_t base_of(unsigned mode, unsigned low);

  std::uint64_t value(unsigned number) const { return number == kRsp ? stack_ : saved_[number]; }
  // Without a REX prefix numbers 4 to 7 are the second bytes of the first four registers.
  std::uint64_t operand(unsigned size) const {
    if (size == 1 && !has_rex_ && register_ >= 4) return value(register_ - 4) >> 8 & 0xff;
    return value(register_);
  }
  std::int64_t take(unsigned bytes) {
    std::int64_t result = 0;
    __builtin_memcpy(&result, at_, bytes);
    at_ += bytes;
    return bytes == 1   ? static_cast<std::int8_t>(result)
           : bytes == 2 ? static_cast<std::int16_t>(result)
                        : static_cast<std::int32_t>(result);
  }
  unsigned full_size() const { return (rex_ & 8) != 0 ? 8 : is_short_ ? 2 : 4; }

  const std::uint8_t* at_;
  const std::uint64_t* saved_;
  std::uint64_t stack_;
  unsigned rex_ = 0, register_ = 0;
  bool has_rex_ = false, is_short_ = false, of_thread_ = false, unknown_ = false;
};

void Reader::read_prefixes() {
  for (;; ++at_) {
    switch (*at_) {
      case 0xf0:  // lock
      case 0xf2:  // xacquire, xrelease
      case 0xf3:
      case 0x2e:  // segments that mean nothing
      case 0x36:
      case 0x3e:
      case 0x26:
        continue;
      case 0x66:
        is_short_ = true;
        continue;
      case 0x64:
        of_thread_ = true;
        continue;
      case 0x65:  // %gs, and addresses of 32 bits
      case 0x67:
        unknown_ = true;
        continue;
      default:
        break;
    }
    if ((*at_ & 0xf0) == 0x40) rex_ = *at_++, has_rex_ = true;
    return;
  }
}

std::uint64_t Reader::base_of(unsigned mode, unsigned low) {
  if (low != 4) return value(low | (rex_ & 1) << 3);
  const unsigned sib = *at_++, index = (sib >> 3 & 7) | (rex_ & 2) << 2, base = sib & 7;
  const std::uint64_t scaled = index == kRsp ? 0 : value(index) << (sib >> 6);
  if (base == kRbp && mode == 0) return scaled + static_cast<std::uint64_t>(take(4));
  return scaled + value(base | (rex_ & 1) << 3);
}

void Reader::read_place(unsigned size, unsigned immediate, InlineAtomic& access) {
  const unsigned byte = *at_++, mode = byte >> 6, low = byte & 7;
  register_ = (byte >> 3 & 7) | (rex_ & 4) << 1;
  if (mode == 3) return;
  std::uint64_t address = 0;
  if (mode == 0 && low == kRbp) {  // relative to the next instruction
    address = static_cast<std::uint64_t>(take(4));
    address += reinterpret_cast<std::uint64_t>(at_ + immediate);
  } else {
    address = base_of(mode, low);
    if (mode != 0) address += static_cast<std::uint64_t>(take(mode == 1 ? 1 : 4));
  }
  if (of_thread_) {
    std::uint64_t thread = 0;
    asm("movq %%fs:0, %0" : "=r"(thread));
    address += thread;
  }
  if (unknown_) return;
  access.address = reinterpret_cast<void*>(address);
  access.size = static_cast<std::uint8_t>(size);
}

void Reader::read_short(unsigned opcode, InlineAtomic& access) {
  const unsigned size = (opcode & 1) != 0 ? full_size() : 1;
  const unsigned word = size < 4 ? size : 4;  // an immediate of 32 bits is extended
  access.kind = AtomicKind::Update;
  if (opcode < 0x40 && (opcode & 6) == 0) {
    read_place(size, 0, access);
    access.change = static_cast<Change>(opcode >> 3);
    access.operand[0] = operand(size);
  } else if (opcode == 0x80 || opcode == 0x81 || opcode == 0x83) {
    const unsigned bytes = opcode == 0x81 ? word : 1;
    read_place(opcode == 0x80 ? 1 : full_size(), bytes, access);
    access.change = static_cast<Change>(register_ & 7);
    access.operand[0] = static_cast<std::uint64_t>(take(bytes));
  } else if (opcode == 0x86 || opcode == 0x87) {
    read_place(size, 0, access);
    access.operand[0] = operand(size);
  } else if (opcode == 0xf6 || opcode == 0xf7) {
    read_place(size, 0, access);
    access.change = (register_ & 7) == 2 ? Change::Not : Change::Negate;
  } else if (opcode == 0xfe || opcode == 0xff) {
    read_place(size, 0, access);
    access.change = (register_ & 7) == 0 ? Change::Add : Change::Subtract;
    access.operand[0] = 1;
  }
  access.carry = (saved_[16] & kCarry) != 0;
}

void Reader::read_long(unsigned opcode, InlineAtomic& access) {
  const unsigned size = (opcode & 1) != 0 ? full_size() : 1;
  access.kind = AtomicKind::Update;
  switch (opcode) {
    case 0xb0:
    case 0xb1:
      read_place(size, 0, access);
      access.kind = AtomicKind::CompareExchange;
      access.change = Change::Compare;
      access.operand[0] = operand(size);
      set(access.expected, low_bytes(value(kRax), size));
      return;
    case 0xc0:
    case 0xc1:
      read_place(size, 0, access);
      access.change = Change::Add;
      access.operand[0] = operand(size);
      return;
    case 0xc7: {
      const bool wide = (rex_ & 8) != 0;
      read_place(wide ? 16 : 8, 0, access);
      access.kind = AtomicKind::CompareExchange;
      access.change = Change::Compare;
      const unsigned shift = wide ? 64 : 32;
      const std::uint64_t mask = wide ? ~std::uint64_t{0} : 0xffff'ffff;
      set(access.operand, Wide{value(kRcx) & mask} << shift | (value(kRbx) & mask));
      set(access.expected, Wide{value(kRdx) & mask} << shift | (value(kRax) & mask));
      return;
    }
    case 0xab:  // bts, btr, btc
    case 0xb3:
    case 0xbb:
      return read_bits(opcode >> 3 & 3, true, access);
    case 0xba:
      return read_bits(0, false, access);
    default:
      return;
  }
}

// `kind`: 1 sets the bit, 2 clears it, 3 turns it over.
void Reader::read_bits(unsigned kind, bool in_register, InlineAtomic& access) {
  const unsigned size = full_size(), bits = 8 * size;
  read_place(size, in_register ? 0 : 1, access);
  if (access.size == 0) return;
  std::int64_t bit = 0;
  if (in_register) {
    const std::uint64_t wanted = value(register_);
    bit = size == 8   ? static_cast<std::int64_t>(wanted)
          : size == 4 ? static_cast<std::int32_t>(wanted)
                      : static_cast<std::int16_t>(wanted);
    // Those beyond are in the memory before or behind.
    const std::int64_t words = (bit - (bit & (bits - 1))) / bits;
    access.address = static_cast<char*>(access.address) + words * size;
  } else {
    kind = register_ & 3;
    bit = take(1);
  }
  const std::uint64_t mask = std::uint64_t{1} << (static_cast<std::uint64_t>(bit) & (bits - 1));
  access.change = kind == 1 ? Change::Or : kind == 2 ? Change::And : Change::Xor;
  access.operand[0] = kind == 2 ? ~mask : mask;
}

}  // namespace

InlineAtomic read_atomic(const std::uint8_t* code, const std::uint64_t* registers, std::uint64_t stack) {
  InlineAtomic access = Reader(code, registers, stack).read();
  access.perform = foresee;
  access.in_line = true;
  return access;
}

}  // namespace heddle::instrument
