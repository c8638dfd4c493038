/** Checks which addresses are loopback. */
import { expect, test } from 'vitest';
import { isLoopback, isThisMachine } from '../../../shared/domain/loopback.ts';

test.each([
  ['http://localhost:4566/', true],
  ['http://127.0.0.1/', true],
  ['http://127.8.8.8/', true],
  ['http://[::1]:80/', true],
  ['http://127.0.0.1.example.org/', false],
  ['http://localhost.example.org/', false],
  ['http://128.0.0.1/', false],
  ['http://0.0.0.0/', false],
  ['http://[::2]/', false],
])('%s: %s', (url, expected) => expect(isLoopback(new URL(url).hostname)).toBe(expected));

test.each([
  ['http://a.localhost/', true],
  ['http://127.0.0.1/', true],
  ['http://[::1]/', true],
  ['http://127.169.254.169.254.nip.io/', false],
  ['http://127.a.internal/', false],
  ['http://notlocalhost/', false],
])('by its name, %s: %s', (url, expected) => expect(isThisMachine(new URL(url).hostname)).toBe(expected));
