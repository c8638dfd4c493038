/** Checks that a gate's faults are marked by one object, which sees what the gate has by now. */
import { expect, test } from 'vitest';
import { isFromOutside, withMarkedFaults } from '../../../shared/use-cases/port-faults.ts';

test('a gate is marked once, and its ports and methods are those that it has when they are used', async () => {
  const read = async (): Promise<string> => {
    throw new Error('the store is down');
  };
  const gate = { policy: 'first', store: { read } };
  const marked = withMarkedFaults(gate);
  expect(withMarkedFaults(gate)).toBe(marked);
  expect(marked.store.read).toBe(marked.store.read);
  expect(isFromOutside(await marked.store.read().catch((error: unknown) => error))).toBe(true);

  gate.store.read = async () => 'a row';
  expect(await marked.store.read()).toBe('a row');
  gate.store = { read };
  expect(isFromOutside(await marked.store.read().catch((error: unknown) => error))).toBe(true);
  gate.policy = 'second';
  expect(marked.policy).toBe('second');
});

test('ports that stand in a group are marked, too', async () => {
  const read = async (): Promise<string> => {
    throw new Error('the store is down');
  };
  const marked = withMarkedFaults({ asking: { answers: { read } } });
  expect(isFromOutside(await marked.asking.answers.read().catch((error: unknown) => error))).toBe(true);
  expect(withMarkedFaults<{ asking?: object }>({}).asking).toBeUndefined();
});
