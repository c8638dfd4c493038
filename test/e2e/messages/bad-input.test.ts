/** Checks that bad input gets a decision `error` for its sender, an audit entry, and no second try. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Decision } from '../../../shared/contract/decision.ts';
import { type Agent, agentNamed, newId } from '../harness/agents.ts';
import { messagesIn } from '../harness/queues.ts';
import { deadLetterUrl } from '../harness/resources.ts';
import { entriesOf, sortsOf } from '../harness/rows.ts';
import { cardsOf } from '../harness/slack.ts';

let builder: Agent;
let writer: Agent;
beforeAll(async () => {
  [builder, writer] = await Promise.all([agentNamed('builder'), agentNamed('writer')]);
});

const call = { toolName: 'Bash', input: { command: 'git status' } };

describe('a message without a readable id', () => {
  const nested = `${'['.repeat(70)}${']'.repeat(70)}`;
  const cases: readonly [string, string, string, RegExp][] = [
    // Letters only: digits that run into an `e` would be a number out of range, which is refused first.
    ['is not JSON', `not json ${newId().replaceAll(/\d/g, 'x')}`, 'invalid_json', /JSON/],
    ['is cut off', `{"toolName":"Bash","proposalId":"${newId()}`, 'invalid_json', /JSON/],
    ['holds a key twice', `{"proposalId":"a","proposalId":"${newId()}"}`, 'duplicate_key', /proposalId/],
    ['is nested too deep', `{"id":"${newId()}","input":${nested}}`, 'too_deep', /64/],
    ['is a list', `["${newId()}"]`, 'invalid_proposal', /object/],
    ['has an id of wrong characters', `{"proposalId":"no spaces ${newId()}"}`, 'invalid_proposal', /proposalId/],
  ];

  it.each(cases)('that %s is answered under the digest of its bytes', async (_, body, code, words) => {
    const messageId = await builder.send(body);
    const filed = builder.unreadable(body);
    const decision = await builder.wait(filed);
    expect(decision).toMatchObject({ outcome: 'error', proposalId: null, messageId, calls: [] });
    expect(decision.rawDigest).toBe(filed.replace('unreadable:', ''));
    expect(`${decision.reasonCode}: ${decision.message}`).toMatch(words);
    expect(decision.reasonCode).toBe(code);
    expect(await sortsOf('builder', builder.pid(filed))).toEqual(['evaluated']);
  });
});

describe('a message with an id', () => {
  const answerTo = async (fields: Record<string, unknown>): Promise<Decision> => {
    const proposalId = newId();
    await builder.send(JSON.stringify({ proposalId, ...call, ...fields }));
    const decision = await builder.wait(proposalId);
    expect(decision).toMatchObject({ outcome: 'error', proposalId });
    expect(await entriesOf('builder', builder.pid(proposalId), 'evaluated')).toHaveLength(1);
    expect(await cardsOf(builder.pid(proposalId))).toEqual([]);
    return decision;
  };

  it('and an unknown field is refused by the name of the field', async () => {
    expect(await answerTo({ approved: true })).toMatchObject({
      reasonCode: 'unknown_field',
      message: expect.stringContaining('approved'),
    });
  });

  it('and an unknown version is refused by the name of the version', async () => {
    expect(await answerTo({ schemaVersion: '1999-01-01' })).toMatchObject({
      reasonCode: 'unknown_schema_version',
      message: expect.stringContaining('1999-01-01'),
    });
  });

  it('and a wrong type is refused at its place', async () => {
    const decision = await answerTo({ toolName: 7 });
    expect(decision).toMatchObject({ reasonCode: 'invalid_proposal', message: expect.stringContaining('toolName') });
  });

  it('that is older than a day, or from the future, is refused', async () => {
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    expect(await answerTo({ sentAt: at(-25 * 3_600_000) })).toMatchObject({ reasonCode: 'stale_proposal' });
    expect(await answerTo({ sentAt: at(10 * 60_000) })).toMatchObject({ reasonCode: 'stale_proposal' });
  });

  it('and a policy that nobody declared is an error', async () => {
    const actionSpace = { persona_id: 'p', actions: [] };
    const snapshot = { facts: {}, entity_states: {}, observed_at: new Date().toISOString() };
    const proposalId = newId();
    await builder.send(JSON.stringify({ kind: 'action-choice', proposalId, policy: 'nobody', actionSpace, snapshot }));
    expect(await builder.wait(proposalId)).toMatchObject({ outcome: 'error', reasonCode: 'unknown_policy' });
  });
});

describe('a message that speaks for somebody else', () => {
  it('by its agentId is refused as not_your_agent, under its sender’s name', async () => {
    const proposalId = newId();
    await writer.send(JSON.stringify({ proposalId, ...call, agentId: 'builder' }));
    expect(await writer.wait(proposalId)).toMatchObject({ outcome: 'error', reasonCode: 'not_your_agent' });
    expect(await entriesOf('builder', builder.pid(proposalId), 'evaluated')).toEqual([]);
    expect(await entriesOf('writer', writer.pid(proposalId), 'evaluated')).toMatchObject([
      { reasonCode: 'not_your_agent', outcome: 'error' },
    ]);
  });

  it('by the group id of its message is refused likewise', async () => {
    const proposalId = newId();
    await writer.send(JSON.stringify({ proposalId, ...call }), 'builder');
    expect(await writer.wait(proposalId)).toMatchObject({ outcome: 'error', reasonCode: 'not_your_agent' });
    expect(await entriesOf('builder', builder.pid(proposalId), 'evaluated')).toEqual([]);
  });

  it('as a parent that the policy file does not list is refused', async () => {
    const proposalId = newId();
    await writer.send(JSON.stringify({ proposalId, ...call, parentAgentId: 'builder' }));
    expect(await writer.wait(proposalId)).toMatchObject({ outcome: 'error', reasonCode: 'unlisted_parent' });
  });
});

it('none of it is retried: the dead-letter queue has none of it', async () => {
  expect(await messagesIn(await deadLetterUrl('Proposals'))).toEqual([]);
});
