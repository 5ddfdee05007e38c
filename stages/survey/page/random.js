// Philox4x32-10, and what is drawn from it, as pipeline/base/random.c has them: streams of 32-bit numbers under
// a seed, a purpose, an annotator and a draw.

const high32 = (a, b) => {
  const al = a & 0xffff, ah = a >>> 16, bl = b & 0xffff, bh = b >>> 16;
  const middle = ah * bl + (al * bl >>> 16), other = al * bh + (middle & 0xffff);
  return ah * bh + (middle >>> 16) + Math.floor(other / 65536) >>> 0;
};

const philox = (counter, key) => {
  let [c0, c1, c2, c3] = counter, [k0, k1] = key;
  for (let round = 0; round < 10; round++) {
    const a = high32(0xD2511F53, c0), b = high32(0xCD9E8D57, c2);
    [c0, c1, c2, c3] = [(b ^ c1 ^ k0) >>> 0, Math.imul(0xCD9E8D57, c2) >>> 0, (a ^ c3 ^ k1) >>> 0, Math.imul(0xD2511F53, c0) >>> 0];
    k0 = k0 + 0x9E3779B9 >>> 0;
    k1 = k1 + 0xBB67AE85 >>> 0;
  }
  return [c0, c1, c2, c3];
};

const MASK = (1n << 64n) - 1n;

const scatter = x => {
  x = (x ^ x >> 33n) * 0xFF51AFD7ED558CCDn & MASK;
  x = (x ^ x >> 33n) * 0xC4CEB9FE1A85EC53n & MASK;
  return x ^ x >> 33n;
};

const low = x => Number(x & 0xffffffffn), high = x => Number(x >> 32n);

// A stream; seed and annotator are BigInt, purpose and draw numbers.
const stream = (seed, purpose, annotator, draw) => {
  const key = seed ^ scatter(BigInt(purpose)), who = scatter(annotator);
  const keys = [low(key), high(key)], counter = [0, draw >>> 0, low(who), high(who)];
  let block = [], used = 4;
  const u32 = () => {
    if (used === 4) {
      block = philox(counter, keys);
      counter[0] = counter[0] + 1 >>> 0;
      used = 0;
    }
    return block[used++];
  };
  const u64 = () => {
    const first = u32();
    return BigInt(first) | BigInt(u32()) << 32n;
  };
  // Uniform in 0 .. n - 1, without bias (Lemire 2019).
  const below = n => {
    const wide = BigInt(n);
    let product = u64() * wide;
    if ((product & MASK) < wide)
      for (const least = ((1n << 64n) - wide) % wide; (product & MASK) < least;)
        product = u64() * wide;
    return Number(product >> 64n);
  };
  return { u32, below };
};
