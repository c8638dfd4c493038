/** The ranges of special addresses beside those of ipaddr.js. */
import ipaddr from 'ipaddr.js';
import { expect, test } from 'vitest';
import {
  ipv4In,
  ipv6In,
  isGlobalIpv6,
  isSpecialIpv4,
  isSpecialIpv6,
} from '../../../shared/permissions/text/special-addresses.ts';

const urlOf = (host: string): string => new URL(`http://${host}/`).hostname;

/** The first address of each /16, and both ends of the /24 ranges that the registry lists with their neighbours. */
const IPV4 = [
  ...Array.from({ length: 0x10000 }, (_, index) => `${index >> 8}.${index & 0xff}.0.1`),
  ...['192.0.0', '192.0.2', '192.31.196', '192.52.193', '192.88.99', '192.175.48', '198.51.100', '203.0.113'].flatMap(
    (range) => {
      const [a, b, c = 0] = range.split('.').map(Number);
      return [c - 1, c, c + 1]
        .filter((each) => each >= 0)
        .flatMap((each) => [0, 255].map((d) => `${a}.${b}.${each}.${d}`));
    },
  ),
  '255.255.255.255',
];

test('an IPv4 address is special exactly if ipaddr.js knows it as anything but unicast', () => {
  const differing = IPV4.filter((text) => {
    const bytes = ipv4In(text);
    return !bytes || isSpecialIpv4(bytes) !== (ipaddr.IPv4.parse(text).range() !== 'unicast');
  });
  expect(differing).toEqual([]);
});

const hex = (group: number): string => group.toString(16);

test('a global IPv6 address is special exactly if ipaddr.js knows it as anything but unicast', () => {
  const groups = (step: number) => Array.from({ length: 0x10000 / step }, (_, index) => hex(index * step));
  const texts = [
    ...groups(16).map((group) => `${group}::1`),
    ...groups(4).map((group) => `2001:${group}::1`),
    ...groups(16).flatMap((group) => [`2001:4:${group}::`, `2620:4f:${group}::1`, `3fff:${group}::`]),
    ...['2001:1ff::1', '2001:200::1', '2001:db7::1', '2001:db8::1', '2001:db9::1', '2003::1', '2620:4f:8001::1'],
  ];
  const differing = texts.filter((text) => {
    const parts = ipv6In(text);
    if (!parts) return true;
    const isUnicast = ipaddr.IPv6.parse(text).range() === 'unicast';
    return isSpecialIpv6(parts) !== !(isGlobalIpv6(parts) && isUnicast);
  });
  expect(differing).toEqual([]);
});

test.each([
  ['[::]', [0, 0, 0, 0, 0, 0, 0, 0]],
  ['[::1]', [0, 0, 0, 0, 0, 0, 0, 1]],
  ['[2a00::]', [0x2a00, 0, 0, 0, 0, 0, 0, 0]],
  ['[::ffff:127.0.0.1]', [0, 0, 0, 0, 0, 0xffff, 0x7f00, 1]],
  ['[2A00:0:0:1:0:0:0:F]', [0x2a00, 0, 0, 1, 0, 0, 0, 15]],
])('%s is read as the URL parser prints it', (host, groups) => {
  expect(ipv6In(urlOf(host).slice(1, -1))).toEqual(groups);
});

test.each(['', ':', ':::', '1::2::3', '1:2:3', '1:2:3:4:5:6:7:8:9', '::1:2:3:4:5:6:7:8', '12345::', 'g::', '::1%eth0'])(
  '%j is no IPv6 address',
  (text) => {
    expect(ipv6In(text)).toBeUndefined();
  },
);

test.each(['', '1.2.3', '1.2.3.4.5', '256.1.1.1', '1.2.3.1234', 'a.b.c.d', '1..2.3'])(
  '%j is no IPv4 address',
  (text) => {
    expect(ipv4In(text)).toBeUndefined();
  },
);
