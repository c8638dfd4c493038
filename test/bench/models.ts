/** Counts the questions to the classifier's model for a hundred auto-mode proposals (D55). */
import { createMemoryGate } from '../../shared/adapters/memory/gate.ts';
import { secretlintDetector } from '../../shared/adapters/secretlint/detector.ts';
import { loadPolicy } from '../../shared/config/load.ts';
import { LlmClassifier } from '../../shared/permissions/classifiers/llm-classifier.ts';
import { loadShellParser } from '../../shared/permissions/shell/parser.ts';
import type { Message } from '../../shared/ports/llm-client.ts';
import { countingIds } from '../../shared/testing/counting-ids.ts';
import { FakeClock } from '../../shared/testing/fake-clock.ts';
import { printTable } from './support/print.ts';

const PROPOSALS = 100;
const parser = await loadShellParser();
const detector = secretlintDetector();
const POLICY = `
people:
  alice: { team: T0DEMO, user: U0ALICE, name: Alice }
  olga: { team: T0DEMO, user: U0OLGA, name: Olga }
agents: { coder: { owner: olga, mode: auto } }
channels: { approvals: { team: T0DEMO, id: C0APPROVALS } }
approvers: { platform: { members: [alice], channel: approvals } }
approvals: { approvers: platform }
classifier: { model: { provider: anthropic, model: judge-1, secret: model-key } }
`;

/** Calls to the model, when it is always this sure of its no or yes. */
async function modelCalls(
  command: (index: number) => string,
  session: (index: number) => string,
  block: boolean,
  confidence: number,
): Promise<number> {
  const clock = new FakeClock();
  let asked = 0;
  const client = {
    async complete(messages: readonly Message[]) {
      asked += 1;
      const nonce = /"nonce": "([^"]+)"/.exec(messages[0]?.content ?? '')?.[1];
      const text = JSON.stringify({ ...(nonce ? { nonce } : {}), should_block: block, reason: 'r', confidence });
      return { text, usage: { inputTokens: 1, outputTokens: 1 } };
    },
  };
  const gate = createMemoryGate({
    document: loadPolicy(POLICY, 'bench.yaml'),
    ...{ clock, timers: clock, ids: countingIds(), shell: async () => parser, detector: async () => detector },
    poster: {
      post: async () => ({ channel: 'C0', ts: '1.1' }),
      update: async () => true,
      reply: async () => undefined,
      announce: async () => undefined,
      message: async () => undefined,
    },
    model: {
      ...{
        name: 'anthropic/judge-1',
        timeoutMs: 10_000,
        after: (ms: number, work: () => void) => clock.after(ms, work),
      },
      classifier: new LlmClassifier(client, 'judge-1', { nonce: () => `n${asked}` }),
    },
  });
  const { queue } = gate.agentSide('coder');
  for (let index = 0; index < PROPOSALS; index++) {
    const call = { toolName: 'Bash', input: { command: command(index) }, sessionId: session(index) };
    await queue.publish(JSON.stringify({ kind: 'tool-call', proposalId: `p${index}`, ...call }), 'coder');
    await clock.advance(1_000);
  }
  gate.stop();
  return asked;
}

const COMMANDS: readonly (readonly [string, (index: number) => string])[] = [
  ['identical', () => 'make all'],
  ['other blanks', (index) => `make${' '.repeat(1 + index)}all`],
  ['another comment', (index) => `make all # ${index}`],
  ['different', (index) => `make target-${index}`],
];
const one = () => 'main';
const many = (index: number) => `s${index}`;

const rows: (string | number)[][] = [];
for (const [name, command] of COMMANDS)
  rows.push([
    name,
    await modelCalls(command, one, true, 0.5),
    await modelCalls(command, many, true, 0.5),
    await modelCalls(command, one, false, 1),
    await modelCalls(command, many, true, 1),
  ]);
printTable(
  `Calls of the model for ${PROPOSALS} proposals, one a second`,
  ['calls', 'unsure, one session', 'unsure, a session each', 'sure yes', 'sure no, a session each'],
  rows,
);
