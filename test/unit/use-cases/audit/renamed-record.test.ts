/** Checks that every field of an entry in which a person stands is renamed, and restored as it was. */
import { expect, test } from 'vitest';
import type { AuditRecord } from '../../../../shared/ports/stores/audit-log.ts';
import { peopleIn, renamedRecord } from '../../../../shared/use-cases/audit/renamed-record.ts';
import { STORED_PEOPLE } from '../../../support/stored-people.ts';

const USER = 'U0ALICE';
const ALIAS = `p_${'a'.repeat(26)}`;
type Json = Record<string, unknown>;

/** Texts that tell of people, where every other listed field is a person. */
const TEXTS = /\.(message|about|by)$/;

/** Puts a value at `word.list[].field`. */
function put(into: Json, path: string, value: string): void {
  const [head = '', ...rest] = path.split('.');
  const isList = head.endsWith('[]');
  const key = head.replace('[]', '');
  if (!rest.length) into[key] = value;
  else {
    into[key] ??= isList ? [{}] : {};
    put((isList ? (into[key] as Json[])[0] : into[key]) as Json, rest.join('.'), value);
  }
}

const PATHS = Object.values(STORED_PEOPLE)
  .flat()
  .filter((path) => /^(auditEntry|decision)\./.test(path))
  .map((path) => path.replace(/^auditEntry/, 'entry'));

function recordWith(paths: readonly string[]): AuditRecord {
  const record: Json = {
    key: { agent: 'a', pid: 'p', sort: 'decided' },
    entry: {},
    decision: { message: '' },
  };
  for (const path of paths) {
    const value = TEXTS.test(path) ? `${USER} refused this, ask ${USER}.` : path.endsWith('.id') ? `T0/${USER}` : USER;
    put(record, path, value);
    if (path.endsWith('decidedBy.id')) put(record, path.replace(/id$/, 'type'), 'human');
  }
  return filled(record) as unknown as AuditRecord;
}

/** With the fields that a decision always has. */
function filled(record: Json): Json {
  const decision = record['decision'] as Json;
  const calls = ((decision['calls'] ?? []) as Json[]).map((call) => ({
    message: '',
    decidedBy: { type: 'rule', id: 'r' },
    ...call,
  }));
  return { ...record, decision: { decidedBy: { type: 'rule', id: 'r' }, ...decision, calls } };
}

const toAlias = (word: string) => (word === USER ? ALIAS : word);
const toUser = (word: string) => (word === ALIAS ? USER : word);

test.each(PATHS)('%s', (path) => {
  const record = recordWith([path]);
  expect(JSON.stringify(record)).toContain(USER);
  const renamed = renamedRecord(record, toAlias);
  expect(JSON.stringify(renamed)).not.toContain(USER);
  expect(renamedRecord(renamed, toUser)).toEqual(record);
  if (!TEXTS.test(path)) expect(peopleIn(record)).toEqual([USER]);
});

test('all of them at once, and nothing that agents and people wrote', () => {
  const record = recordWith(PATHS);
  const written = { proposal: `{"requester":"${USER}"}`, hooks: [{ place: 'p', by: USER }] } as Json;
  const whole = { ...record, entry: { ...record.entry, ...written } } as unknown as AuditRecord;
  const renamed = renamedRecord(whole, toAlias);
  expect(renamed.entry).toMatchObject(written);
  expect(renamedRecord(renamed, toUser)).toEqual(whole);
});

test('an operator and a rule are no people', () => {
  const entry = { decidedBy: { type: 'human', id: 'oncall' } } as unknown as AuditRecord['entry'];
  const rule = { decidedBy: { type: 'rule', id: USER } } as unknown as AuditRecord['entry'];
  const key = { agent: 'a', pid: 'p', sort: 'operation#1' };
  expect(peopleIn({ entry })).toEqual([]);
  expect(peopleIn({ entry: rule })).toEqual([]);
  expect(renamedRecord({ key, entry: rule }, toAlias).entry).toEqual(rule);
});
