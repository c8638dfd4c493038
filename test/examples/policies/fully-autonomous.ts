/**
 * Lets a model decide alone: example 1 (R0-102).
 *
 * For development, and where all flows are equally harmless.
 */
import { LlmPolicy } from '../../../shared/policies/index.ts';
import { EscrowContract } from '../escrow.ts';
import { MODEL, main, modelOr, runUntilIdle } from './setting.ts';

export async function fullyAutonomous(client = modelOr('update_status', 'update_status', 'release_escrow')) {
  const policy = new LlmPolicy(client, MODEL);
  const contract = new EscrowContract({ Order: 'pending_standard', Escrow: 'held' }, { carrier_scan: 'delivered' });
  return runUntilIdle(contract, policy);
}

await main(import.meta.url, fullyAutonomous);
