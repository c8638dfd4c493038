/** Checks queues, alarms and versions, which the alarms of a deployment lead to. */
import manifest from '../../../package.json' with { type: 'json' };
import type { GateAlarm } from '../../adapters/cloudwatch/alarms.ts';
import { isCause, isPage } from '../../config/alarm-names.ts';
import { LATE_AFTER_S } from '../../config/schema/defaults.ts';
import { ownValue } from '../../domain/own.ts';
import { type QueueState, readDeadQueues, readVersions, watchedOf } from '../status/read.ts';
import type { Io } from '../support/io.ts';
import { policyNear } from '../support/settings.ts';
import { type DoctorFinding, ok, skipped, warning, wrong } from './finding.ts';
import { deploymentOf } from './stated-settings.ts';

export async function checkQueues(io: Io): Promise<DoctorFinding[]> {
  const queues = await readDeadQueues(deploymentOf(io), io.now());
  const dead = queues.filter(({ dead: count }) => count > 0);
  const late = queues.filter(({ name, oldestSeconds = 0 }) => oldestSeconds >= lateAfter(name));
  const named = (all: readonly QueueState[]) => all.map(({ name }) => name.toLowerCase()).join(', ');
  return [
    dead.length
      ? warning('queues', `dead letters in ${named(dead)}`, 'countersign dead list')
      : ok('queues', `${queues.length} queues, no dead letters`),
    ...(late.length ? [warning('late queues', `messages wait in ${named(late)}`, 'countersign status')] : []),
  ];
}

/** A queue of another release, of which nothing is known here, is held to what people wait for. */
const lateAfter = (name: string): number => ownValue(LATE_AFTER_S, name) ?? LATE_AFTER_S.Proposals;

export async function checkAlarms(io: Io): Promise<DoctorFinding[]> {
  const { alarms } = await watchedOf(deploymentOf(io));
  const telling = alarms.filter(({ name }) => !isCause(name));
  const silent = telling.filter(({ hasActions }) => !hasActions);
  const raised = alarms.filter(({ state }) => state === 'ALARM');
  const pages = raised.filter(({ name }) => isPage(name));
  const names = (all: readonly GateAlarm[]) => all.map(({ name }) => name).join(', ');
  return [
    silent.length
      ? warning(
          'alarm topics',
          `${silent.length} of ${telling.length} alarms tell nobody`,
          'cdk deploy -c pageTopicArn=… -c ticketTopicArn=…',
        )
      : ok('alarm topics', `each of ${telling.length} alarms tells a topic`),
    pages.length
      ? wrong(
          'alarms',
          `pages stand: ${names(raised.filter(({ name }) => isPage(name) || isCause(name)))}`,
          'countersign status',
        )
      : raised.length
        ? warning('alarms', `tickets stand: ${names(raised)}`, 'countersign status')
        : ok('alarms', 'none stands'),
  ];
}

export async function checkVersions(io: Io): Promise<DoctorFinding[]> {
  const { functions } = await watchedOf(deploymentOf(io));
  const versions = await readVersions(functions);
  const packages = new Set(versions.map(({ version }) => version));
  const policies = new Set(versions.map(({ policyVersion }) => policyVersion));
  const [deployed = 'unknown', ...others] = packages;
  const mixed = others.length > 0 || policies.size > 1;
  const near = (await policyNear(io))?.version;
  const isNear = near !== undefined && policies.has(near);
  return [
    mixed
      ? wrong(
          'versions',
          'functions run different versions: a deployment is under way, or has failed',
          'countersign status, then cdk deploy',
        )
      : ok('versions', `${new Set(versions.map(({ name }) => name)).size} functions run package ${deployed}`),
    ...(deployed === manifest.version
      ? []
      : [
          warning(
            'package',
            `this command is ${manifest.version}, the gate ${deployed}`,
            // No registry has the package: one of this name there would be somebody else's.
            `npm install countersign-${deployed}.tgz`,
          ),
        ]),
    near === undefined
      ? skipped('policy', 'no policy file is here to compare with the deployed one', 'export COUNTERSIGN_POLICY=…')
      : isNear
        ? ok('policy', 'the policy file here is the deployed one')
        : warning(
            'policy',
            'the policy file here is not the deployed one',
            'countersign policy check, then cdk deploy',
          ),
  ];
}
