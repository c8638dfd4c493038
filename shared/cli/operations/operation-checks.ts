/**
 * Refuses an operation before it is sent if it names something that does not exist.
 *
 * Looks as far as this process can see. The gate checks again.
 */
import type { Operation } from '../../contract/operation.ts';
import type { ApprovalView } from '../../ports/stores/approval-store.ts';
import { CliError, EXIT, type Io } from '../support/io.ts';
import { reasonOf } from '../support/reason-of.ts';
import { policyNear } from '../support/settings.ts';
import { plain } from '../support/terminal.ts';
import type { SendOptions } from './operation-options.ts';

const OVERRIDE = '--unchecked sends it all the same, if the deployed policy is another';

/** @throws CliError with the field. Names that cannot be read are left to the gate, with a warning. */
export async function checkNames(wanted: Operation, options: SendOptions, io: Io): Promise<void> {
  await checkPolicy(wanted, options, io);
  await checkProposal(wanted, options, io);
  await checkLift(wanted, options, io);
}

/** The policy file that is here is taken for the deployed one. */
async function checkPolicy(wanted: Operation, options: SendOptions, io: Io): Promise<void> {
  const policy = await policyNear(io);
  if (!policy) return;
  const [{ unknownName }, { orNearest }] = await Promise.all([
    import('../../use-cases/operations/refusal.ts'),
    import('../../domain/text/nearest.ts'),
  ]);
  const refused = unknownName(wanted, policy);
  if (refused && !(await waits(wanted, options, io)))
    throw new CliError(`not sent: ${refused.problem} (${refused.code})\n${OVERRIDE}`, EXIT.usage);
  if (wanted.kind !== 'pause' || !('tool' in wanted.scope) || wanted.effect === 'lift') return;
  const { tool } = wanted.scope;
  // A tool needs no entry to be called, so that the gate takes any name.
  const known = policy.tools.list().map(({ name }) => name);
  if (!policy.tools.has(tool)) warn(`the policy file lists no tool ${tool}${orNearest(tool, known)}`, io);
}

/** Whether it is a vote on a question that an agent has left behind that is no more in the policy file. */
async function waits(wanted: Operation, options: SendOptions, io: Io): Promise<boolean> {
  const read = readerOf(wanted, options, io);
  return (await read?.().catch(() => undefined)) !== undefined;
}

async function checkProposal(wanted: Operation, options: SendOptions, io: Io): Promise<void> {
  const read = readerOf(wanted, options, io);
  if (read && !options.isSeen) await looked(read, io);
}

/** Reads the approval that waits for the vote; undefined where this process cannot find it. */
function readerOf(wanted: Operation, options: SendOptions, io: Io): (() => Promise<ApprovalView>) | undefined {
  const stateTable = options.stateTable ?? io.env['COUNTERSIGN_STATE_TABLE'];
  const deployment = options.deployment ?? io.env['COUNTERSIGN_DEPLOYMENT'];
  if (wanted.kind !== 'decide' || !stateTable || !deployment) return undefined;
  const { agent, proposalId } = wanted;
  return async () => {
    const [{ readWaiting }, { pidOf }] = await Promise.all([
      import('../support/print-approval.ts'),
      import('../../domain/digest.ts'),
    ]);
    return readWaiting(pidOf(deployment, agent, proposalId), `${proposalId} of ${agent}`, stateTable);
  };
}

async function checkLift(wanted: Operation, options: SendOptions, io: Io): Promise<void> {
  const stateTable = options.stateTable ?? io.env['COUNTERSIGN_STATE_TABLE'];
  if (wanted.kind !== 'pause' || wanted.effect !== 'lift' || !stateTable) return;
  const [{ dynamoControlStore }, { dynamo }, { pausedNow }] = await Promise.all([
    import('../../adapters/dynamodb/sessions/control-store.ts'),
    import('../support/clients.ts'),
    import('../../ports/stores/control.ts'),
  ]);
  await looked(async () => {
    const control = await dynamoControlStore(await dynamo(), { state: stateTable, audit: '' }).read();
    if (!pausedNow(control, wanted.scope, io.now()))
      throw new CliError('scope: nothing of this scope is paused; see `countersign status`');
  }, io);
}

async function looked(look: () => Promise<unknown>, io: Io): Promise<void> {
  try {
    await look();
  } catch (error) {
    if (error instanceof CliError) throw new CliError(`not sent: ${error.message}`, EXIT.usage);
    warn(`could not look before it is sent: ${reasonOf(error)}`, io);
  }
}

const warn = (text: string, io: Io): void =>
  io.err(`countersign: warning: ${plain(text.replaceAll(/\s*\n\s*/g, ' '))}\n`);
