/**
 * Runs the demo behind a local AWS endpoint, on the stack as it is deployed anywhere.
 *
 * The agent is a process with its role's rights.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { loadPolicy } from '../../../shared/config/load.ts';
import { startLocalGate } from '../gate/gate.ts';
import { startAgent } from './agent-process.ts';
import { castOf } from './cast.ts';
import { freePort } from './free-port.ts';
import { deployProgress } from './print.ts';
import { printTrail } from './trail.ts';
import { type DemoWorld, PAGE_PORT, type WorldOptions } from './world.ts';

const ENVIRONMENT = '.cache/demo.env';

export async function deployedWorld({ policyFile, signal, onStop }: WorldOptions): Promise<DemoWorld> {
  const document = loadPolicy(readFileSync(policyFile, 'utf8'), policyFile);
  const cast = castOf(document);
  const gate = await startLocalGate({
    ...{ policyFile, signal },
    app: 'node test/local/demo/app.ts',
    slackPort: await freePort(PAGE_PORT),
    onProgress: deployProgress(),
  });
  onStop(() => gate.stop());
  writeEnvironment(await gate.environmentOf('Auditor'));
  const agentEnvironment = {
    ...(await gate.environmentOf('Agent', cast.agent)),
    COUNTERSIGN_REDEEM_FUNCTION: gate.outputs['RedeemFunction'] ?? '',
    COUNTERSIGN_OUTCOMES_QUEUE_URL: gate.outputs['OutcomesQueueUrl'] ?? '',
  };
  const run: (program: readonly string[], tell: Parameters<DemoWorld['first']>[0]) => Promise<void> = async (
    program,
    tell,
  ) => {
    const agent = startAgent(program, agentEnvironment, tell);
    onStop(() => agent.stop());
    const code = await agent.ended;
    if (code !== 0) throw new Error(`the agent ended with exit code ${code}`);
  };
  return {
    ...{ document, cast, slack: gate.slack },
    first: (tell) => run(['test/examples/agent.ts'], tell),
    play: (scene, tell) => run(['test/local/demo/scene-process.ts', scene.key], tell),
    trail: async (proposed, ran) =>
      printTrail(proposed, ran, { agent: cast.agent, policyFile, env: await gate.environmentOf('Auditor') }),
    hints: [
      `source ${ENVIRONMENT}        # an auditor's rights on the local gate`,
      `npx countersign audit --agent ${cast.agent}`,
      'npx countersign pending',
      `npx countersign explain --tool Bash --input '{"command":"git push --force"}'`,
    ],
  };
}

/** For a shell: `source` makes it an auditor of the local gate. */
function writeEnvironment(env: Record<string, string>): void {
  const wanted = Object.entries(env).filter(([name]) => /^(AWS_|COUNTERSIGN_|NODE_EXTRA_CA_CERTS$)/.test(name));
  const lines = wanted.map(([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'`);
  mkdirSync(dirname(ENVIRONMENT), { recursive: true });
  writeFileSync(ENVIRONMENT, `${lines.join('\n')}\n`, { mode: 0o600 });
}
