/** Checks that every vault opens an original only for its own key and only in time (A20). */
import { expect, test } from 'vitest';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Sealer, SealKey, Unsealer } from '../../shared/ports/vault.ts';
import { FakeClock } from '../../shared/testing/fake-clock.ts';

let made = 0;
const hex = (of: string) => of.repeat(64).slice(0, 64);
const newKey = (): SealKey => ({ pid: String(++made).padStart(64, '0'), digest: hex('d') });

export function vaultContract(name: string, vaultWith: (clock: Clock) => Promise<Sealer & Unsealer>): void {
  test(`${name}: gives back what was sealed, as long as it is kept`, async () => {
    const clock = new FakeClock();
    const vault = await vaultWith(clock);
    const key = newKey();
    const text = JSON.stringify({ password: 'canary', ü: '‹', long: 'x'.repeat(200_000) });
    await vault.seal(key, text, clock.now() + 1_000);
    await clock.advance(999);
    expect(await vault.open(key)).toBe(text);
    await clock.advance(1);
    expect(await vault.open(key)).toBeUndefined();
  });

  test(`${name}: sealed twice is sealed once`, async () => {
    const clock = new FakeClock();
    const vault = await vaultWith(clock);
    const key = newKey();
    await vault.seal(key, 'one', clock.now() + 1_000);
    await vault.seal(key, 'one', clock.now() + 9_000);
    expect(await vault.open(key)).toBe('one');
    await clock.advance(1_000);
    expect(await vault.open(key)).toBeUndefined();
  });

  test(`${name}: is not found under another pid or another digest`, async () => {
    const clock = new FakeClock();
    const vault = await vaultWith(clock);
    const key = newKey();
    await vault.seal(key, 'one', clock.now() + 1_000);
    expect(await vault.open({ ...key, pid: hex('e') })).toBeUndefined();
    expect(await vault.open({ ...key, digest: hex('e') })).toBeUndefined();
  });
}
