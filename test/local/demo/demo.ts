/**
 * `npm run demo`: the gate's main job on this machine. An agent proposes three calls; a rule allows one, a rule denies one, a person
 * decides the third in a local Slack. `--yes`, or a shell without a person at it, clicks by itself and exits 0.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadPolicy } from '../../../shared/config/load.ts';
import { EndpointUnavailable } from '../endpoint/index.ts';
import { startLocalGate } from '../gate/gate.ts';
import { type AgentProcess, startAgent } from './agent-process.ts';
import { approveInBrowser } from './click.ts';
import { runInMemory } from './in-memory.ts';
import { type AgentLine, decision, deployProgress, failure, heading, say, step } from './print.ts';
import { printTrail } from './trail.ts';

const POLICY = 'countersign.yaml';
const AGENT = 'demo-agent';
const CACHE = '.cache';

const { values } = parseArgs({
  options: {
    yes: { type: 'boolean', default: false },
    memory: { type: 'boolean', default: false },
    /** `ministack`, `localstack`, or the address of an endpoint that runs already. */
    endpoint: { type: 'string' },
  },
});
if (values.endpoint?.includes('://')) process.env['AWS_ENDPOINT_URL'] = values.endpoint;
else if (values.endpoint) process.env['COUNTERSIGN_ENDPOINT'] = values.endpoint;
const byItself = values.yes || !process.stdin.isTTY || !process.stdout.isTTY;

const aborted = new AbortController();
const stops: (() => Promise<void> | void)[] = [];
let stopping: Promise<void> | undefined;
const stopAll = (): Promise<void> => {
  stopping ??= (async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  })();
  return stopping;
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    aborted.abort(new Error('stopped'));
    stopAll().finally(() => process.exit(130));
  });
}

async function demo(): Promise<void> {
  mkdirSync(join(CACHE, 'screenshots'), { recursive: true });
  heading('Countersign: an agent asks, rules and people decide.');
  const gate = await startLocalGate({ policyFile: POLICY, onProgress: deployProgress(), signal: aborted.signal });
  stops.push(() => gate.stop());
  writeEnvironment(await gate.environmentOf('Auditor'));
  const channel = Object.values(loadPolicy(readFileSync(POLICY, 'utf8'), POLICY).policy.channels)[0]?.id ?? '';
  step(`the gate is up; Slack's page: ${gate.slack.url}?channel=${channel}, or ${gate.slack.url}/side-by-side`);

  heading('The agent proposes three calls:');
  const env = await gate.environmentOf('Agent', AGENT);
  const proposed = new Map<string, AgentLine>();
  const agent: AgentProcess = startAgent(env, (line) => {
    if (line.event === 'proposed') {
      proposed.set(line.proposalId, line);
      step(`proposed ${line.tool} ${JSON.stringify(line.input)}`);
    } else decision(line, proposed.get(line.proposalId));
  });
  stops.push(() => agent.stop());
  const approver = 'U0ALICE';
  if (byItself) {
    await approveInBrowser(gate.slack.url, approver, channel, join(CACHE, 'screenshots', 'demo.png'));
    step('the demo clicked Approve in the page by itself (a person was not asked)');
  } else {
    say(
      `\n  The third call waits for you. Open ${gate.slack.url}?user=${approver}&channel=${channel} and click Approve or Reject.`,
    );
  }
  const code = await agent.ended;
  if (code !== 0) throw new Error(`the agent ended with exit code ${code}`);

  heading('What the record says of them:');
  const trails = [...proposed].map(([id, { tool, input }]) => ({ id, what: `${tool} ${JSON.stringify(input)}` }));
  await printTrail(trails, AGENT, await gate.environmentOf('Auditor'));
  if (byItself) return;
  heading('Look further, in another terminal, while this runs:');
  say(`  source ${CACHE}/demo.env        # an auditor's rights on the local gate`);
  say(`  npx countersign audit --agent ${AGENT}`);
  say('  npx countersign pending');
  say(`  npx countersign explain --tool Bash --input '{"command":"git push --force"}'`);
  say('\n  Ctrl-C stops everything.');
  await new Promise<void>((resolve) => aborted.signal.addEventListener('abort', () => resolve()));
}

/** For a shell: `source` makes it an auditor of the local gate. */
function writeEnvironment(env: Record<string, string>): void {
  const wanted = Object.entries(env).filter(([name]) => /^(AWS_|COUNTERSIGN_|NODE_EXTRA_CA_CERTS$)/.test(name));
  const lines = wanted.map(([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'`);
  writeFileSync(join(CACHE, 'demo.env'), `${lines.join('\n')}\n`, { mode: 0o600 });
}

try {
  if (values.memory)
    await runInMemory({ byItself, policyFile: POLICY, agent: AGENT, onStop: (stop) => stops.push(stop) });
  else await demo();
} catch (error) {
  if (aborted.signal.aborted) process.exitCode = 130;
  else if (error instanceof EndpointUnavailable && !values.endpoint) {
    failure(error.message);
    say('Going on with the same code on in-memory adapters.\n');
    await runInMemory({ byItself, policyFile: POLICY, agent: AGENT, onStop: (stop) => stops.push(stop) });
  } else {
    failure(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
} finally {
  await stopAll();
}
