/**
 * Runs a gate in memory for the agents of other processes.
 *
 * Starts the local Slack and the endpoint, and writes an env file for each agent.
 */
import type { PolicyDocument } from '../config/document.ts';
import { cardNamesOf } from '../config/readers/card-names.ts';
import { AGENT_VARIABLE, STACK_SETTINGS } from '../domain/aws/stack-settings.ts';
import { systemClock } from '../ports/clock.ts';
import { systemTimers } from '../ports/timers.ts';
import { Agents } from './agents.ts';
import { NAMES, queueUrl, REGION } from './endpoint/names.ts';
import { type AgentKeys, startAgentEndpoint } from './endpoint/server.ts';
import { type EnvFolder, makeEnvFolder, type Variables } from './env-files.ts';
import { UNREACHED } from './failing-resolvers.ts';
import { followRecord } from './follow-record.ts';
import { startMemoryWorkspace } from './memory-workspace.ts';
import { proposedLine } from './proposal-lines.ts';
import { Stops } from './stops.ts';

export interface DevGateOptions {
  readonly document: PolicyDocument;
  /** The port of Slack's page; 0: any that is free. */
  readonly port: number;
  /** Where the env files go: a folder that this run makes and removes. */
  readonly envFolder: string;
  /** Told of each proposal and each decision, one line each, and of faults of the gate. */
  readonly tell: (line: string) => void;
}

export interface DevGate {
  /** The page on which people answer. */
  readonly page: string;
  /** The endpoint that agents reach. */
  readonly endpoint: string;
  /** Names of the agents; each has `<envFolder>/<name>.env`. */
  agents(): readonly string[];
  /** Decides by another policy file from now on. */
  usePolicy(document: PolicyDocument): void;
  /** Ends all of it, and removes the env files. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * @throws Error with the code `EADDRINUSE` if the port is in use; Error if another run has the folder of env files. Nothing is left of a start
 * that failed.
 */
export async function startDevGate({ document, port, envFolder, tell }: DevGateOptions): Promise<DevGate> {
  const stops = new Stops();
  try {
    const workspace = await startMemoryWorkspace(
      document,
      { port },
      {
        ...UNREACHED,
        deployment: NAMES.deployment,
        onFault: (where, error) => tell(`${where}: ${error instanceof Error ? error.message : String(error)}`),
      },
    );
    stops.add(workspace.stop);
    const folder = makeEnvFolder(envFolder);
    stops.add(folder.remove);
    const agents = new Agents(workspace.gate.agentSide);
    const endpoint = await startAgentEndpoint({
      port: 0,
      clock: systemClock,
      agentOf: (keyId) => agents.byKey(keyId),
      heard: { proposed: (agent, raw) => tell(proposedLine(agent, raw)) },
      onFault: (error) => tell(`a call of an agent failed: ${error instanceof Error ? error.message : String(error)}`),
    });
    stops.add(endpoint.stop);
    const publish = (next: PolicyDocument) => {
      agents.use(Object.keys(next.policy.agents));
      writeFiles(folder, agents, endpoint.url);
    };
    publish(document);
    let names = cardNamesOf(document);
    stops.add(
      followRecord({
        log: workspace.gate.parts.audit,
        agents: () => agents.names(),
        names: () => names,
        tell,
        clock: systemClock,
        timers: systemTimers,
      }),
    );
    return {
      page: workspace.slack.url,
      endpoint: endpoint.url,
      agents: () => agents.names(),
      usePolicy(next) {
        workspace.usePolicy(next);
        publish(next);
        names = cardNamesOf(next);
      },
      stop: () => stops.run(),
    };
  } catch (error) {
    // The reason of the failure is worth more than that of an end.
    await stops.run().catch(() => undefined);
    throw error;
  }
}

function writeFiles(folder: EnvFolder, agents: Agents, endpoint: string): void {
  const files = agents.names().map((name) => [name, variablesOf(name, agents.keysOf(name), endpoint)] as const);
  folder.write(Object.fromEntries(files));
}

/** The environment in which a process is this agent: as the stack's outputs and the agent's role give it on AWS. */
function variablesOf(agent: string, keys: AgentKeys | undefined, endpoint: string): Variables {
  return {
    AWS_PROFILE: undefined,
    AWS_SESSION_TOKEN: undefined,
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_ACCESS_KEY_ID: keys?.accessKeyId,
    AWS_SECRET_ACCESS_KEY: keys?.secretAccessKey,
    [AGENT_VARIABLE]: agent,
    [STACK_SETTINGS.deployment.variable]: NAMES.deployment,
    [STACK_SETTINGS.queueUrl.variable]: queueUrl(endpoint, NAMES.proposals),
    [STACK_SETTINGS.auditTable.variable]: NAMES.audit,
    [STACK_SETTINGS.redeemFunction.variable]: NAMES.redeem,
    [STACK_SETTINGS.outcomesQueueUrl.variable]: queueUrl(endpoint, NAMES.outcomes),
    // The gate in memory runs no targets: the client says so before anything is proposed.
    [STACK_SETTINGS.executionsQueueUrl.variable]: undefined,
    [STACK_SETTINGS.stateTable.variable]: undefined,
  };
}
