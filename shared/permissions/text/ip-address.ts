/** Reads IP addresses as the URL parser prints them, and tells which of them no public network routes. */

/** The numbers of an address from left to right: four of 8 bits, or eight of 16. */
export type IpAddress = readonly number[];

/** The address, or undefined for numbers that are none. As in C, a number with a zero before it is octal. */
export function readIpv4(host: string): IpAddress | undefined {
  const numbers = host.split('.').map((part) => (/^0\d/.test(part) ? octal(part) : Number(part)));
  return numbers.every((number) => number <= 0xff) ? numbers : undefined;
}

const octal = (digits: string): number => (/[89]/.test(digits) ? Number.NaN : Number.parseInt(digits, 8));

/** The address between the brackets of a host. */
export function readIpv6(host: string): IpAddress {
  const [start = [], end = []] = host
    .slice(1, -1)
    .split('::')
    .map((half) => (half === '' ? [] : half.split(':').map((part) => Number.parseInt(part, 16))));
  return [...start, ...Array.from({ length: 8 - start.length - end.length }, () => 0), ...end];
}

/** A network: the numbers that it begins with, and how many bits of them count. */
type Network = readonly [start: IpAddress, bits: number];

/** RFC 6890 and later: this network, private, shared, loopback, link-local, documentation, benchmarks, relays, multicast, reserved. */
const SPECIAL_IPV4: readonly Network[] = [
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
  [[224], 3],
];

/** Within 2000::/3, which alone is routed between networks: protocols, documentation, reverse names. */
const SPECIAL_IPV6: readonly Network[] = [
  [[0x2001, 0], 23],
  [[0x2001, 0xdb8], 32],
  [[0x2620, 0x4f, 0x8000], 48],
  [[0x3fff, 0], 20],
];

const isWithin = (address: IpAddress, [start, bits]: Network, width: number): boolean =>
  start.every((number, at) => {
    const left = Math.max(0, (at + 1) * width - bits);
    return number >> left === (address[at] as number) >> left;
  });

export const isSpecialIpv4 = (address: IpAddress): boolean =>
  SPECIAL_IPV4.some((network) => isWithin(address, network, 8));

export const isLinkLocal = (address: IpAddress): boolean =>
  address.length === 4 ? isWithin(address, [[169, 254], 16], 8) : isWithin(address, [[0xfe80], 10], 16);

/** Only 2000::/3 is routed between networks; loopback, link-local, unique local and multicast addresses lie outside. */
const isGlobal = (address: IpAddress): boolean => isWithin(address, [[0x2000], 3], 16);

export const isSpecialIpv6 = (address: IpAddress): boolean =>
  !isGlobal(address) || SPECIAL_IPV6.some((network) => isWithin(address, network, 16));

const MAPPED: Network = [[0, 0, 0, 0, 0, 0xffff], 96];
/** 64:ff9b:1::/48 is for networks of one's own, which choose where the IPv4 address stands. */
const NAT64: Network = [[0x64, 0xff9b, 0, 0, 0, 0], 96];
const SIX_TO_FOUR: Network = [[0x2002], 16];

/** The IPv4 address that an IPv6 address leads to: mapped, translated (NAT64), tunnelled (6to4, ISATAP). */
export function embeddedIpv4(address: IpAddress): IpAddress | undefined {
  const ipv4 = (at: number): IpAddress => address.slice(at, at + 2).flatMap((part) => [part >> 8, part & 0xff]);
  if (isWithin(address, MAPPED, 16) || isWithin(address, NAT64, 16)) return ipv4(6);
  if (isWithin(address, SIX_TO_FOUR, 16)) return ipv4(1);
  const isIsatap = ((address[4] as number) & 0xfdff) === 0 && address[5] === 0x5efe;
  return isIsatap && isGlobal(address) ? ipv4(6) : undefined;
}
