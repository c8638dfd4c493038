/**
 * Lists numbers whose texts readers of JSON get wrong.
 *
 * Numbers are limits of each notation, and doubles drawn from all bits.
 */

const EDGES = [
  0,
  -0,
  1,
  -1,
  25,
  0.1,
  -0.5,
  1 / 3,
  100,
  1e-6,
  1e-7,
  1.5e-7,
  -1.25e-9,
  5e-324,
  2.2250738585072014e-308,
  123456.789,
  0.000001234,
  0.0000001234,
  9007199254740991,
  -9007199254740991,
  4503599627370495.5,
  1e15,
  1e16,
  1e20,
  123456789012345680000,
  1e21,
  1.2e21,
  1e22,
  1.7976931348623157e308,
] as const;

const DRAWN = 120;

/** Doubles of every magnitude, the same in each run. */
export function numbers(): readonly number[] {
  const bits = new DataView(new ArrayBuffer(8));
  let state = 0x2f6e2b1n;
  const drawn: number[] = [];
  while (drawn.length < DRAWN) {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffff_ffff_ffff_ffffn;
    bits.setBigUint64(0, state ^ (state >> 29n));
    const number = bits.getFloat64(0);
    if (Number.isFinite(number)) drawn.push(number);
  }
  return [...EDGES, ...drawn, ...drawn.slice(0, 40).map((number) => number % 1e6)];
}
