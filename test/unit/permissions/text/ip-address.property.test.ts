/** Compares the reading of IP addresses with that of ipaddr.js, on drawn addresses. */
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import {
  embeddedIpv4,
  isLinkLocal,
  isSpecialIpv4,
  isSpecialIpv6,
  readIpv4,
  readIpv6,
} from '../../../../shared/permissions/text/ip-address.ts';

const octet = fc.oneof(fc.nat(255), fc.constantFrom(0, 10, 64, 100, 127, 169, 172, 192, 198, 203, 224, 254));
const quad = fc.tuple(octet, octet, octet, octet).map((numbers) => numbers.join('.'));
const part = fc.oneof(
  fc.nat(0xffff),
  fc.constantFrom(0, 1, 0x64, 0xff9b, 0xffff, 0x2001, 0x2002, 0x2620, 0x4f, 0x8000, 0xdb8, 0x3fff, 0x5efe, 0xfe80),
);
/** As the URL parser prints it. */
const hostOf = (parts: readonly number[]): string =>
  new URL(`http://[${parts.map((each) => each.toString(16)).join(':')}]/`).hostname;
const host = fc.array(part, { minLength: 8, maxLength: 8 }).map(hostOf);
const RUNS = { numRuns: 2_000 };

describe('an address that is drawn', () => {
  test('of four numbers is special where the other library says so', () => {
    fc.assert(
      fc.property(quad, (text) => {
        const range = ipaddr.IPv4.parse(text).range();
        const address = readIpv4(text) ?? [];
        expect([text, isSpecialIpv4(address)]).toEqual([text, range !== 'unicast']);
        expect([text, isLinkLocal(address)]).toEqual([text, range === 'linkLocal']);
      }),
      RUNS,
    );
  });

  test('of eight numbers has the same numbers, and is special where the other library says so', () => {
    fc.assert(
      fc.property(host, (text) => {
        const other = ipaddr.IPv6.parse(text.slice(1, -1));
        const address = readIpv6(text);
        expect(address).toEqual(other.parts);
        const isUnicast = other.range() === 'unicast' && ((other.parts[0] ?? 0) & 0xe000) === 0x2000;
        if (embeddedIpv4(address) === undefined) expect([text, isSpecialIpv6(address)]).toEqual([text, !isUnicast]);
        expect([text, isLinkLocal(address)]).toEqual([text, other.range() === 'linkLocal']);
      }),
      RUNS,
    );
  });

  test.each([
    ['010.0.0.1', [8, 0, 0, 1]],
    ['0251.0376.0251.0376', [169, 254, 169, 254]],
    ['08.0.0.1', undefined],
    ['1.2.3.256', undefined],
  ])('%s under a scheme that the URL parser does not know', (text, numbers) => {
    expect(readIpv4(text)).toEqual(numbers);
    expect(ipaddr.IPv4.isValid(text)).toBe(numbers !== undefined);
  });
});
