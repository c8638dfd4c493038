/**
 * Checks that the previous release can read stored words.
 *
 * The schemas of that release are data, since the code that wrote and read such rows is gone.
 */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { added, apart, isAdded, together } from '../../../shared/contract/additions.ts';
import { approval } from '../../../shared/contract/approval.ts';
import { journalEntry } from '../../../shared/contract/journal-entry.ts';
import { type SessionRow, session } from '../../../shared/contract/session.ts';

interface Shape {
  readonly type?: string;
  readonly const?: unknown;
  readonly isAdded?: true;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
}

const previous = JSON.parse(
  readFileSync(new URL('../../contract/releases/0.1.0-stored.schema.json', import.meta.url), 'utf8'),
) as Readonly<Record<'approval' | 'journalEntry' | 'session', Shape>>;

const shapeOf = (schema: z.ZodType): Shape =>
  z.toJSONSchema(schema, {
    override: ({ zodSchema, jsonSchema }) => {
      if (isAdded(zodSchema)) Object.assign(jsonSchema, { isAdded: true });
    },
  }) as Shape;

/** Options of a union are the same if the fields of one word each are. */
const wordsOf = ({ properties = {} }: Shape) =>
  JSON.stringify(
    Object.entries(properties).flatMap(([key, { const: word, isAdded: isNew }]) =>
      word !== undefined && !isNew ? [[key, word]] : [],
    ),
  );

/** Paths of fields that `older` does not know and that are not marked. */
function unknownTo(older: Shape | undefined, newer: Shape, path = ''): string[] {
  if (newer.isAdded) return [];
  if (older === undefined) return [path];
  const options = newer.anyOf ?? newer.oneOf ?? [];
  const olderOptions = older.anyOf ?? older.oneOf ?? [];
  return [
    ...Object.entries(newer.properties ?? {}).flatMap(([key, field]) =>
      unknownTo(older.properties?.[key], field, `${path}/${key}`),
    ),
    ...(newer.items ? unknownTo(older.items, newer.items, `${path}/*`) : []),
    ...options.flatMap((option) =>
      option.properties
        ? unknownTo(
            olderOptions.find((one) => wordsOf(one) === wordsOf(option)),
            option,
            `${path}${wordsOf(option)}`,
          )
        : [],
    ),
  ];
}

describe('a stored word', () => {
  it.each([
    ['approval', approval],
    ['journalEntry', journalEntry],
    ['session', session],
  ] as const)('%s has no field in sight that the previous release refuses to read', (name, schema) => {
    expect(unknownTo(previous[name], shapeOf(schema))).toEqual([]);
  });

  const at = '2026-11-23T08:00:00.000Z';
  const olga = { team: 'T1', user: 'OLGA' };
  const full: SessionRow = {
    agent: 'builder',
    sessionId: 'main',
    version: 3,
    rules: [{ effect: 'deny', pattern: 'Bash(rm:*)', source: 'session', by: 'oncall', at }],
    consecutive: 0,
    total: 0,
    denied: [],
    grants: [
      {
        key: 'a'.repeat(64),
        scope: 'session',
        toolName: 'Bash',
        approvedBy: 'Olga',
        givenBy: [{ ...olga, groups: ['platform'], standsFor: { team: 'T1', user: 'BOB' } }],
        approvedAt: at,
        expiresAt: at,
      },
    ],
    revoked: [{ at }],
    refusals: [],
    recent: [],
    startedFor: [olga],
    updatedAt: at,
  };

  it('is read by the schema of the previous release, and whole again by this one', () => {
    const reads = new Ajv2020({ strict: false, validateFormats: false }).compile(previous.session);
    expect(reads(full)).toBe(false);
    const { known, additions } = apart(session, full, full.version);
    expect(reads(known), JSON.stringify(reads.errors)).toBe(true);
    expect(together(JSON.parse(JSON.stringify(known)), JSON.parse(JSON.stringify(additions)), 3)).toEqual(full);
  });

  it('that an older release wrote meanwhile keeps what stands outside of lists: entries of lists may be others', () => {
    const { known, additions } = apart(session, full, full.version);
    const written = { ...known, version: 4, rules: [{ ...known.rules[0], pattern: 'WebFetch' }] };
    const { revoked, startedFor } = full;
    expect(together(written, additions, 4)).toEqual({ ...written, revoked, startedFor });
  });

  it('of a union is parted by the option that it is', () => {
    const entry = journalEntry.parse({
      type: 'session',
      place: 'session',
      round: 0,
      at,
      levels: [
        {
          agent: 'a',
          sessionId: 's',
          mode: 'auto',
          agentMode: 'default',
          rules: [],
          consecutive: 0,
          total: 0,
          calls: [{ id: 'c', grant: { scope: 'session', approvedBy: 'Olga', key: 'b'.repeat(64) } }],
        },
      ],
      end: 'root',
      folders: { projectRoot: '/p', home: '/h' },
    });
    const { known, additions } = apart(journalEntry, entry);
    expect(additions?.fields.map(([path]) => path.join('/'))).toEqual([
      'levels/0/agentMode',
      'levels/0/calls/0/grant/key',
      'folders',
    ]);
    const reads = new Ajv2020({ strict: false, validateFormats: false }).compile(previous.journalEntry);
    expect(reads(known), JSON.stringify(reads.errors)).toBe(true);
    expect(together(known, additions)).toEqual(entry);
  });

  it('is whole again whatever its fields are', () => {
    const inner = z.object({ old: z.string().optional(), later: added(z.string().optional()) });
    const schema = z.object({ list: z.array(inner), one: inner.optional(), later: added(inner.optional()) });
    const innerValue = fc.record({ old: fc.string(), later: fc.string() }, { requiredKeys: [] });
    const value = fc.record(
      { list: fc.array(innerValue), one: innerValue, later: innerValue },
      { requiredKeys: ['list'] },
    );
    fc.assert(
      fc.property(value, (word) => {
        const { known, additions } = apart(schema, word);
        expect(JSON.stringify(known)).not.toContain('later":');
        expect(together(known, additions)).toEqual(word);
      }),
    );
  });
});
