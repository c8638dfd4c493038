/** Checks the vault in memory. */
import { memoryVault } from '../../shared/adapters/memory/vault.ts';
import { vaultContract } from './vault.contract.ts';

vaultContract('vault in memory', async (clock) => memoryVault(clock));
