/** Checks what a deployment needs, each for itself: one that fails hides no other. */
import { STACK_SETTINGS, type StackSetting } from '../../domain/aws/stack-settings.ts';
import type { Io } from '../support/io.ts';
import { nextStep, OUTPUTS, refusalOf } from '../support/reason-of.ts';
import { type DoctorFinding, ok, wrong } from './finding.ts';
import { checkCanary, checkSlack } from './live-checks.ts';
import { checkRequests } from './request-check.ts';
import { stated } from './stated-settings.ts';
import { checkAlarms, checkQueues, checkVersions } from './watch-checks.ts';

/** Commands of operators and auditors need these. */
const NEEDED = ['deployment', 'auditTable', 'stateTable', 'operatorsQueueUrl'] as const satisfies StackSetting[];
/** The gate refuses times that lie further ahead. */
const MAX_SKEW_MS = 5 * 60_000;

type Check = (io: Io) => Promise<readonly DoctorFinding[]>;

/** In the order in which a fault of one explains those of the next. */
export const CHECKS = {
  settings: checkSettings,
  access: checkAccess,
  queues: checkQueues,
  alarms: checkAlarms,
  versions: checkVersions,
  slack: checkSlack,
  requests: checkRequests,
  canary: checkCanary,
} as const satisfies Readonly<Record<string, Check>>;

async function checkSettings(io: Io): Promise<DoctorFinding[]> {
  const missing = NEEDED.filter((name) => stated(name, io) === undefined);
  const { dynamo } = await import('../support/clients.ts');
  // As the clients find it: from the profile as well, and not from the AWS_DEFAULT_REGION of other tools.
  const hasRegion = await (await dynamo()).config.region().then(Boolean, () => false);
  return [
    missing.length
      ? wrong(
          'settings',
          `not set: ${missing.map((name) => `${STACK_SETTINGS[name].variable} (output ${STACK_SETTINGS[name].output})`).join(', ')}`,
          OUTPUTS,
        )
      : ok('settings', `the gate ${stated('deployment', io)}`),
    ...(hasRegion
      ? []
      : [wrong('region', 'neither AWS_REGION nor the profile states a region', 'export AWS_REGION=…')]),
  ];
}

/** Reads the row of pauses, and what operators did last: the rights of an operator, and of an auditor. */
async function checkAccess(io: Io): Promise<DoctorFinding[]> {
  const [stateTable, auditTable] = [stated('stateTable', io), stated('auditTable', io)];
  if (!stateTable || !auditTable) return [];
  const [{ dynamo }, { dynamoControlStore }, { dynamoAuditLog }, { OPERATIONS }, { serverTime }] = await Promise.all([
    import('../support/clients.ts'),
    import('../../adapters/dynamodb/sessions/control-store.ts'),
    import('../../adapters/dynamodb/audit/audit-log.ts'),
    import('../../domain/record/operation-id.ts'),
    import('./server-time.ts'),
  ]);
  const client = await dynamo();
  const time = serverTime(client);
  const state = dynamoControlStore(client, { state: stateTable, audit: '' }).read();
  const record = dynamoAuditLog(client, { audit: auditTable, state: '' }).recent(OPERATIONS, 1, () => undefined);
  const read = async (check: string, table: string, work: Promise<unknown>) =>
    work.then(
      () => ok(check, `${table} can be read`),
      (error: unknown) => wrong(check, `${table} cannot be read: ${refusalOf(error)}`, nextStep(error) ?? OUTPUTS),
    );
  // Together: a read that is refused before the other has ended would otherwise end the process.
  const findings = await Promise.all([read('state table', stateTable, state), read('record', auditTable, record)]);
  const ahead = time.at() === undefined ? undefined : io.now() - Number(time.at());
  if (ahead === undefined) return findings;
  const seconds = Math.round(Math.abs(ahead) / 1000);
  const away = `the clock here is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} that of AWS`;
  return [
    ...findings,
    Math.abs(ahead) < MAX_SKEW_MS ? ok('clock', away) : wrong('clock', away, 'sudo chronyc makestep'),
  ];
}
