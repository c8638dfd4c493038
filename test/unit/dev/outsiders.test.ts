/** Checks what follows from a hook or a model that nobody reaches. */
import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { createMemoryGate } from '../../../shared/adapters/memory/gate.ts';
import { secretlintDetector } from '../../../shared/adapters/secretlint/detector.ts';
import { CountersignClient } from '../../../shared/client/index.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import { isOpen, leftOut, reachedOutside, UNREACHED } from '../../../shared/dev/failing-resolvers.ts';
import { pidOf } from '../../../shared/domain/digest.ts';
import { loadShellParser } from '../../../shared/permissions/shell/parser.ts';
import { FakeClock } from '../../../shared/testing/fake-clock.ts';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** The verdict on one call of an agent in auto mode, under a policy file with these lines besides. */
async function verdictUnder(lines: string, tool: string): Promise<string | undefined> {
  const clock = new FakeClock();
  const document = loadPolicy(
    `people: { olga: { team: T1A, user: U1A, name: Olga }, alice: { team: T1A, user: U2A, name: Alice } }
agents: { builder: { owner: olga, mode: auto } }
channels: { approvals: { team: T1A, id: C1A } }
approvers: { platform: { members: [alice], channel: approvals } }
approvals: { approvers: platform }
rules: { allow: [Read] }
${lines}`,
    'countersign.yaml',
  );
  const gate = createMemoryGate({
    ...UNREACHED,
    ...{ document, clock, timers: clock, ids: { next: randomUUID }, shell: () => loadShellParser() },
    detector: async () => secretlintDetector(),
    poster: {
      post: async (channel) => ({ channel, ts: '1.000001' }),
      update: async () => true,
      reply: async () => undefined,
      announce: async () => undefined,
      message: async () => undefined,
    },
  });
  stops.push(gate.stop);
  const side = gate.agentSide('builder');
  const client = new CountersignClient({ ...side, queueUrl: 'memory', auditTable: 'memory' });
  const id = await client.propose({ toolName: tool, input: { file_path: 'a.txt', url: 'https://example.com' } });

  const pid = pidOf(side.deployment, 'builder', id);
  for (let second = 0; second < 120; second++) {
    const row = await side.reader.read('builder', pid, 'evaluated');
    if (row) return row.decision?.outcome ?? row.verdict;
    await clock.advance(1_000);
  }
  return undefined;
}

const HOOK = "hooks: { audit: { url: 'https://hook.example/', secret: s";

test('a hook that nobody reaches asks people about the call, and does not let it wait until it expires', async () => {
  expect(await verdictUnder(`${HOOK} } }`, 'Read')).toBe('ask');
});

test('a hook whose failure denies, denies', async () => {
  expect(await verdictUnder(`${HOOK}, onFailure: deny } }`, 'Read')).toBe('denied');
});

test('a model that nobody reaches asks people', async () => {
  const model = 'classifier: { model: { provider: anthropic, model: m, secret: s } }';
  expect(await verdictUnder(model, 'WebFetch')).toBe('ask');
});

test('a policy file without any of them leaves nothing out', () => {
  const document = loadPolicy(
    'people: { olga: { team: T1A, user: U1A, name: Olga } }\nagents: { builder: { owner: olga } }\n',
    'countersign.yaml',
  );
  expect(leftOut(document.policy)).toEqual([]);
});

test('a url without a secret is told, for a deployed gate calls it', () => {
  const { policy } = loadPolicy(
    `people: { olga: { team: T1A, user: U1A, name: Olga } }
agents: { builder: { owner: olga } }
channels: { approvals: { team: T1A, id: C1A } }
approvers: { platform: { members: [olga], channel: approvals } }
approvals: { approvers: platform }
tools:
  Refund: { permissions: [Network], target: { url: "https://refunds.example.com" } }
  Guarded: { permissions: [Network], target: { url: "https://guarded.example.com", secret: token } }
  Local: { permissions: [Network], target: { lambda: local } }
mcpServers:
  open: { url: "https://mcp.example.com" }
  closed: { url: "https://mcp.example.com", secret: token }
`,
    'countersign.yaml',
  );
  expect(reachedOutside(policy)).toEqual(['targets of Refund', 'MCP servers open']);
  expect(leftOut(policy, isOpen)).toEqual(['targets of Guarded, Local']);
});
