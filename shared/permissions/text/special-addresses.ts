/** Finds addresses that stand for no machine on the open internet. */

/** The first bytes of a range, or its first groups of 16 bits, and how many bits of them count. */
type Range = readonly [start: readonly number[], bits: number];

/** IANA's registry of special purposes (RFC 6890): private, shared, loopback, link-local, multicast, documentation, reserved. */
const SPECIAL_IPV4: readonly Range[] = [
  [[0], 8],
  [[10], 8],
  [[100, 64], 10],
  [[127], 8],
  [[169, 254], 16],
  [[172, 16], 12],
  [[192, 0, 0], 24],
  [[192, 0, 2], 24],
  [[192, 31, 196], 24],
  [[192, 52, 193], 24],
  [[192, 88, 99], 24],
  [[192, 168], 16],
  [[192, 175, 48], 24],
  [[198, 18], 15],
  [[198, 51, 100], 24],
  [[203, 0, 113], 24],
  [[224], 4],
  [[240], 4],
];

/** The same for those of version 6 that lie in 2000::/3, in which all public ones lie. */
const SPECIAL_IPV6: readonly Range[] = [
  [[0x2001, 0], 23],
  [[0x2001, 0xdb8], 32],
  [[0x2002], 16],
  [[0x2620, 0x4f, 0x8000], 48],
  [[0x3fff], 20],
];

const GLOBAL_IPV6: Range = [[0x2000], 3];

const has = ([start, bits]: Range, parts: readonly number[], width: number): boolean =>
  parts.every((part, index) => {
    const counted = Math.min(width, Math.max(0, bits - index * width));
    return part >> (width - counted) === (start[index] ?? 0) >> (width - counted);
  });

/** The four bytes of an address as the URL parser prints it; undefined for any other text. */
export function ipv4In(text: string): readonly number[] | undefined {
  const bytes = /^\d{1,3}(?:\.\d{1,3}){3}$/.test(text) ? text.split('.').map(Number) : [];
  return bytes.length === 4 && bytes.every((byte) => byte < 256) ? bytes : undefined;
}

/** The eight groups of 16 bits, likewise. */
export function ipv6In(text: string): readonly number[] | undefined {
  const [head = '', tail, ...rest] = text.split('::');
  const groupsOf = (side: string) => (side === '' ? [] : side.split(':'));
  const [before, after] = [groupsOf(head), groupsOf(tail ?? '')];
  const missing = 8 - before.length - after.length;
  // `::` stands for one group at least.
  if (rest.length || (tail === undefined ? missing !== 0 : missing < 1)) return undefined;
  const groups = [...before, ...Array.from({ length: missing }, () => '0'), ...after];
  return groups.every((group) => /^[\da-f]{1,4}$/i.test(group))
    ? groups.map((group) => parseInt(group, 16))
    : undefined;
}

export const isSpecialIpv4 = (bytes: readonly number[]): boolean => SPECIAL_IPV4.some((range) => has(range, bytes, 8));

/** Whether it lies in 2000::/3: everything else is loopback, link-local, unique local, multicast, a translation, or unused. */
export const isGlobalIpv6 = (groups: readonly number[]): boolean => has(GLOBAL_IPV6, groups, 16);

export const isSpecialIpv6 = (groups: readonly number[]): boolean =>
  !isGlobalIpv6(groups) || SPECIAL_IPV6.some((range) => has(range, groups, 16));
