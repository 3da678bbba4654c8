// Rounding to bf16, halves to even: what clang calls for it and libgcc has from GCC 13 on.

typedef union {
  float value;
  unsigned bits;
} single;

static __bf16 high_half(unsigned bits) {
  union {
    unsigned short bits;
    __bf16 value;
  } half = {(unsigned short)(bits >> 16)};
  return half.value;
}

__bf16 __truncsfbf2(float x) {
  const single s = {x};
  if (x != x) return high_half(s.bits | 0x400000);  // stays a NaN when its low half goes
  return high_half(s.bits + 0x7fff + (s.bits >> 16 & 1));
}

// By way of the f32 beside it whose last bit is odd, when it is none itself: so rounding twice is rounding once.
__bf16 __truncdfbf2(double x) {
  single s = {(float)x};
  if (x == x && s.value != x && (s.bits & 1) == 0)
    s.bits += __builtin_fabs(s.value) > __builtin_fabs(x) ? -1u : 1u;
  return __truncsfbf2(s.value);
}
