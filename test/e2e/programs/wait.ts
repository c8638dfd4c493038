/**
 * Waits as an agent's process for one proposal, and prints its decision as a line of JSON.
 *
 * The command line names the proposal.
 */
import { CountersignClient } from '../../../shared/client/index.ts';

const { env, argv } = process;
const client = new CountersignClient({
  agent: env['COUNTERSIGN_AGENT'] ?? '',
  deployment: env['COUNTERSIGN_DEPLOYMENT'] ?? '',
  queueUrl: env['COUNTERSIGN_QUEUE_URL'] ?? '',
  auditTable: env['COUNTERSIGN_AUDIT_TABLE'] ?? '',
});
console.log('waiting');
console.log(JSON.stringify(await client.wait(argv[2] ?? '', { timeout: 50_000 })));
