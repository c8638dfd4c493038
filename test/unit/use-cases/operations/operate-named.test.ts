/**
 * Checks operations by name: refused with the field, or recorded with their result (D47).
 *
 * An operation names what exists, and its record has its subject.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memorySessionStore } from '../../../../shared/adapters/memory/stores/session-store.ts';
import { OPERATIONS, pidOfOperation } from '../../../../shared/domain/record/operation-id.ts';
import { bash, policyOf, World } from '../world.ts';

const HOUR = 3_600_000;
let operations = 0;

/** The entry that the record holds under the operation's id. */
async function done(world: World, operation: Record<string, unknown>, operator = 'oncall') {
  const operationId = `o${++operations}`;
  world.gate.operateAs(operator, JSON.stringify({ operationId, reason: 'a drill', ...operation }));
  await world.rest();
  const [record] = await world.look.audit.ofProposal(OPERATIONS, pidOfOperation(operationId), ['operation']);
  return record?.entry;
}
const at = (world: World, ms: number) => new Date(world.clock.now() + ms).toISOString();
const session = (world: World, name: string) => memorySessionStore(world.gate.parts.state).read('coder', name);

describe('an operation that names what is not there is refused, with the field, and changes nothing', () => {
  const later = '2026-11-30T00:00:00Z';
  test.each<[string, Record<string, unknown>, string, string]>([
    [
      'pause, agent',
      { kind: 'pause', scope: { agent: 'codr' }, effect: 'deny' },
      'unknown_agent',
      'scope.agent: the policy file declares no agent codr; did you mean coder?',
    ],
    [
      'pause, tool',
      { kind: 'pause', scope: { tool: 'bash' }, effect: 'deny' },
      'unknown_tool',
      'scope.tool: no call can be of bash: the tool name differs only in case from Bash',
    ],
    [
      'pause, no tool at all',
      { kind: 'pause', scope: { tool: 'a:b' }, effect: 'ask' },
      'unknown_tool',
      'scope.tool: no call can be of a:b: a tool name holds',
    ],
    [
      'revoke, tool',
      { kind: 'revoke', agent: 'coder', session: 'main', tool: 'BASH' },
      'unknown_tool',
      'tool: no call can be of BASH: ',
    ],
    ['lift', { kind: 'pause', scope: { agent: 'coder' }, effect: 'lift' }, 'no_such_pause', 'scope: nothing'],
    ['lift of a tool', { kind: 'pause', scope: { tool: 'Bash' }, effect: 'lift' }, 'no_such_pause', 'scope: nothing'],
    [
      'decide, agent',
      { kind: 'decide', agent: 'toString', proposalId: 'p1', choice: 'approve' },
      'unknown_agent',
      'agent: the policy file declares no agent toString',
    ],
    [
      'decide, proposal',
      { kind: 'decide', agent: 'coder', proposalId: 'p1', choice: 'reject' },
      'unknown_approval',
      'proposalId: ',
    ],
    [
      'set-mode',
      { kind: 'set-mode', agent: 'ghost', session: 'main', mode: 'plan' },
      'unknown_agent',
      'agent: the policy file declares no agent ghost',
    ],
    [
      'set-mode back',
      { kind: 'set-mode', agent: 'coder', session: 'nightly', mode: 'agent' },
      'unknown_session',
      'session: ',
    ],
    ['revoke', { kind: 'revoke', agent: 'coder', session: 'nightly' }, 'unknown_session', 'session: '],
    [
      'revoke of one',
      { kind: 'revoke', agent: 'coder', session: 'main', grant: '0123456789ab' },
      'unknown_grant',
      'grant: ',
    ],
    [
      'remove-rule',
      { kind: 'remove-rule', agent: 'coder', session: 'main', effect: 'deny', pattern: 'Bash' },
      'no_such_rule',
      'pattern: ',
    ],
    [
      'delegate, person',
      { kind: 'delegate', person: 'alise', to: 'bob', until: later },
      'unknown_person',
      'person: the policy file declares no person alise; did you mean alice?',
    ],
    [
      'delegate, to',
      { kind: 'delegate', person: 'alice', to: 'bobb', until: later },
      'unknown_person',
      'to: the policy file declares no person bobb; did you mean bob?',
    ],
    ['delegate to oneself', { kind: 'delegate', person: 'alice', to: 'alice', until: later }, 'same_person', 'to: is'],
    ['undelegate', { kind: 'undelegate', person: 'alice' }, 'no_delegation', 'person: nobody'],
    ['undelegate, person', { kind: 'undelegate', person: 'mallory' }, 'unknown_person', 'person: the policy file'],
    ['an unknown kind', { kind: 'pauze', scope: { all: true } }, 'invalid_operation', 'kind: '],
    [
      'a lift for a time',
      { kind: 'pause', scope: { all: true }, effect: 'lift', until: later },
      'invalid_operation',
      'until: ends a pause by itself, and lift ends it now',
    ],
    [
      'a grant and a tool',
      { kind: 'revoke', agent: 'coder', tool: 'Bash', grant: '0123456789ab' },
      'invalid_operation',
      'tool: is not given with a grant',
    ],
    ['a missing field', { kind: 'undelegate' }, 'invalid_operation', 'person: is missing'],
    ['a misspelt one', { kind: 'undelegate', persn: 'alice' }, 'invalid_operation', 'persn: is not a field of'],
  ])('%s', async (_, operation, code, problem) => {
    const world = new World();
    const entry = await done(world, operation);
    expect(entry).toMatchObject({ accepted: false, reasonCode: code });
    expect(entry?.operation?.problem?.slice(0, problem.length)).toBe(problem);
    expect(await world.look.control.read()).toMatchObject({ version: 0, pauses: [] });
    // A row may hold that the operation was heard, so that an older one which comes late sets nothing.
    for (const name of ['nightly', 'main']) {
      const { mode, rules = [], grants = [] } = (await session(world, name)) ?? {};
      expect({ mode, rules, grants }).toEqual({ mode: undefined, rules: [], grants: [] });
    }
    expect((await world.gate.parts.delegations.read()).delegations).toEqual([]);
  });

  test('an agent that left the policy file is still taken out of its pause', async () => {
    const world = new World(policyOf({ agents: '  coder: { owner: olga }\n  writer: { owner: olga }' }));
    const pause = { kind: 'pause', scope: { agent: 'writer' } };
    expect(await done(world, { ...pause, effect: 'deny' })).toMatchObject({ accepted: true });
    world.gate.usePolicy(policyOf({ agents: '  coder: { owner: olga }' }));
    expect(await done(world, { ...pause, effect: 'deny' })).toMatchObject({ reasonCode: 'unknown_agent' });
    expect(await done(world, { ...pause, effect: 'lift' })).toMatchObject({ accepted: true });
  });

  test('the question of an agent that left the policy file is still answered, and its call not run', async () => {
    const world = new World(policyOf({ agents: '  coder: { owner: olga }\n  writer: { owner: olga }' }));
    await world.send(bash('p1', 'git push'), { agent: 'writer' });
    world.gate.usePolicy(policyOf({ agents: '  coder: { owner: olga }' }));
    const vote = { kind: 'decide', agent: 'writer', proposalId: 'p1', choice: 'approve' };
    expect(await done(world, vote)).toMatchObject({ accepted: true, reasonCode: 'vote_approve' });
    expect((await world.decided('p1', 'writer')).outcome).toBe('superseded');
    expect(await done(world, { ...vote, proposalId: 'p2' })).toMatchObject({ reasonCode: 'unknown_agent' });
  });

  test('a pause whose end is over would hold nothing', async () => {
    const world = new World();
    const pause = { kind: 'pause', scope: { all: true }, effect: 'deny' };
    expect(await done(world, { ...pause, until: at(world, 0) })).toMatchObject({ reasonCode: 'until_is_over' });
    expect(await done(world, { ...pause, until: at(world, HOUR) })).toMatchObject({ accepted: true });
    await world.clock.advance(HOUR);
    expect(await done(world, { ...pause, effect: 'lift' })).toMatchObject({ reasonCode: 'no_such_pause' });
  });

  test('an end that lies further ahead than the record remembers is refused', async () => {
    const world = new World();
    const far = at(world, 367 * 24 * HOUR);
    const pause = { kind: 'pause', scope: { all: true }, effect: 'deny', until: far };
    const rule = { kind: 'add-rule', agent: 'coder', session: 'main', effect: 'deny', pattern: 'Read', until: far };
    for (const wanted of [pause, rule])
      expect(await done(world, wanted)).toMatchObject({ accepted: false, reasonCode: 'until_is_too_far' });
    expect(await done(world, { ...pause, until: at(world, 366 * 24 * HOUR) })).toMatchObject({ accepted: true });
  });

  test('what is set before an agent opens a session holds in it', async () => {
    const world = new World();
    const mode = { kind: 'set-mode', agent: 'coder', session: 'nightly', mode: 'plan' };
    expect(await done(world, mode)).toMatchObject({ accepted: true });
    await world.send({ ...bash('p1', 'git push'), sessionId: 'nightly' });
    expect((await world.decided('p1')).outcome).toBe('denied');
    expect(await done(world, { ...mode, mode: 'agent' })).toMatchObject({ accepted: true });
  });
});

test.each([
  [5 * 60_000, true],
  [5 * 60_000 + 1, false],
  [-HOUR, true],
])('stated as sent %i ms from now, it is done: %s', async (ms, accepted) => {
  const world = new World();
  const entry = await done(world, { kind: 'pause', scope: { all: true }, effect: 'deny', sentAt: at(world, ms) });
  expect(entry?.accepted).toBe(accepted);
  expect((await world.look.control.read()).pauses).toHaveLength(accepted ? 1 : 0);
  if (!accepted) expect(entry?.operation?.problem).toMatch(/^sentAt: is more than 5 minutes in the future/);
});

describe('the record of an operation', () => {
  test.each<[Record<string, unknown>, Record<string, unknown>]>([
    [
      { kind: 'pause', scope: { agent: 'coder' }, effect: 'deny', until: '2026-11-21T20:00:00.000Z' },
      {
        agent: 'coder',
        about: 'pause every call of the agent coder until 2026-11-21T20:00:00.000Z: it is denied',
        until: '2026-11-21T20:00:00.000Z',
      },
    ],
    [{ kind: 'pause', scope: { tool: 'Bash' }, effect: 'ask' }, { tool: 'Bash' }],
    [
      { kind: 'add-rule', agent: 'coder', session: 'main', effect: 'deny', pattern: 'Bash(make:*)' },
      { agent: 'coder', session: 'main', about: 'add the rule deny Bash(make:*) for coder, session main' },
    ],
    [
      { kind: 'decide', agent: 'coder', proposalId: 'p9', choice: 'approve' },
      { agent: 'coder', proposalId: 'p9', about: 'approve coder p9' },
    ],
    [
      { kind: 'delegate', person: 'alice', to: 'olga', until: '2026-11-23T00:00:00.000Z' },
      {
        person: 'U0ALICE',
        to: 'U0OLGA',
        until: '2026-11-23T00:00:00.000Z',
        about: 'U0OLGA votes in the place of U0ALICE until 2026-11-23T00:00:00.000Z',
      },
    ],
    [
      { kind: 'void-permits' },
      {
        about: 'void every permit, every approval for later and every allow rule of operators that was given until now',
      },
    ],
  ])('%j says what it was about', async (operation, about) => {
    const entry = await done(new World(), operation);
    expect(entry).toMatchObject({ type: 'operation', detail: 'a drill' });
    expect(entry?.operation).toMatchObject({ kind: operation['kind'], operationId: `o${operations}`, ...about });
  });

  test('holds no secret that somebody typed into a rule, which is refused', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const world = new World();
    const entry = await done(world, {
      kind: 'add-rule',
      agent: 'coder',
      effect: 'deny',
      pattern: `Bash(echo ${secret})`,
    });
    expect(entry).toMatchObject({ accepted: false, reasonCode: 'secret_in_name' });
    expect(JSON.stringify([entry, ...world.gate.parts.state.sessions])).not.toContain(secret);
    expect(world.slack.notices.join()).not.toContain(secret);
  });

  test.each([
    'Bash(PGPASSWORD=* psql *)',
    'Bash(curl -u *:* https://api.example/*)',
    'Bash(curl -H "Authorization: Bearer *":*)',
    'Bash(git push https://*:*@github.com/*)',
  ])('takes a rule whose wildcard stands for a secret: %s', async (pattern) => {
    expect(await done(new World(), { kind: 'add-rule', agent: 'coder', effect: 'deny', pattern })).toMatchObject({
      accepted: true,
    });
  });

  test.each([
    'Bash(PGPASSWORD=hunter22* psql *)',
    'Bash(mysql -p*S3cr3tPass9)',
    'Bash(curl -u admin:hunter2pass* *)',
    'Bash(htpasswd -b file user hunter2pass *)',
  ])('refuses one that states a secret beside a wildcard: %s', async (pattern) => {
    expect(await done(new World(), { kind: 'add-rule', agent: 'coder', effect: 'deny', pattern })).toMatchObject({
      reasonCode: 'secret_in_name',
    });
  });

  test('is found under the id that its sender gave, also where it could not be read or came from nobody', async () => {
    const world = new World();
    expect(await done(world, { kind: 'explode' })).toMatchObject({ reasonCode: 'invalid_operation' });
    expect(await done(world, { kind: 'pause' }, 'nobody')).toMatchObject({
      reasonCode: 'unregistered_sender',
      operation: { problem: expect.stringContaining('registered as no operator') },
    });
  });

  test('for all ids: an operation under an id that was used before has an entry of its own', async () => {
    const ids = fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(ids, async (used) => {
        const world = new World();
        for (const operationId of used) {
          const pause = { kind: 'pause', operationId, reason: 'x', scope: { all: true }, effect: 'deny' };
          world.gate.operateAs('oncall', JSON.stringify(pause));
        }
        await world.rest();
        expect(await world.look.audit.recent(OPERATIONS, 100)).toHaveLength(used.length);
      }),
      { numRuns: 20 },
    );
  });
});
