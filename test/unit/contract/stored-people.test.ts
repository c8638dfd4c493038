/**
 * Checks that every field of a stored word in which a person may stand is listed.
 *
 * The page of the record tells of each.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { approval } from '../../../shared/contract/approval.ts';
import { auditEntry } from '../../../shared/contract/audit-entry.ts';
import { decision } from '../../../shared/contract/decision.ts';
import { delegations } from '../../../shared/contract/delegation.ts';
import { journalEntry } from '../../../shared/contract/journal-entry.ts';
import { session } from '../../../shared/contract/session.ts';
import { taskConversation } from '../../../shared/contract/task-conversation.ts';
import { NO_PERSON, STORED_PEOPLE } from '../../support/stored-people.ts';
import { ROOT } from '../docs/documents.ts';

const WORDS = { approval, auditEntry, decision, delegations, journalEntry, session, taskConversation };

interface Shape {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly additionalProperties?: Shape | boolean;
}

/** Names of text fields that somebody is, or is told of by the gate. */
const NAMES = /^(by|name|approvedBy|person|to|owner|requester|user|user_id|message|about|scope)$/;

const isName = (key: string, { type, enum: words, const: word }: Shape): boolean =>
  type === 'string' && words === undefined && word === undefined && NAMES.test(key);

/** Paths of people by their ids, and of texts that may name one. */
function peopleIn(shape: Shape, path: string): string[] {
  const { properties = {}, items, anyOf = [], oneOf = [], additionalProperties: values } = shape;
  const isPerson = 'team' in properties && 'user' in properties;
  const isDecider = path.endsWith('.decidedBy');
  return [
    ...(isPerson ? [`${path}.user`] : []),
    ...(isDecider ? [`${path}.id`] : []),
    ...Object.entries(properties).flatMap(([key, field]) => [
      ...(isName(key, field) ? [`${path}.${key}`] : []),
      ...peopleIn(field, `${path}.${key}`),
    ]),
    ...(items ? peopleIn(items, `${path}[]`) : []),
    ...[...anyOf, ...oneOf].flatMap((option) => peopleIn(option, path)),
    ...(typeof values === 'object' ? peopleIn(values, `${path}.*`) : []),
  ];
}

/** Keys of the table, and no fields of a word. */
const KEYS = ['voted.pk', 'alias.pk'];

it('every field that names a person, or looks so, is listed once', () => {
  const found = Object.entries(WORDS).flatMap(([name, word]) =>
    peopleIn(z.toJSONSchema(word, { io: 'input' }) as Shape, name),
  );
  const listed = [...Object.values(STORED_PEOPLE).flat(), ...NO_PERSON];
  expect([...new Set(found), ...KEYS].toSorted()).toEqual(listed.toSorted());
});

it('a field of this kind is noticed wherever it stands', () => {
  const word = z.object({
    list: z.array(z.union([z.object({ to: z.string() }), z.object({ who: approval.shape.owner })])),
    names: z.record(z.string(), z.object({ name: z.string().optional() })),
  });
  const found = new Set(peopleIn(z.toJSONSchema(word) as Shape, 'word'));
  expect([...found]).toEqual(['word.list[].to', 'word.list[].who.user', 'word.names.*.name']);
});

it('the page of the record has a row for each of these places', () => {
  const page = readFileSync(join(ROOT, 'docs/audit.md'), 'utf8');
  for (const place of Object.keys(STORED_PEOPLE)) expect(page).toContain(`\n| ${place} | `);
});
