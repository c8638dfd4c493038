/** Checks that the end of an MCP gateway leaves no call behind, whatever fails meanwhile. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { overHttp } from '../../../../shared/adapters/targets/mcp-http.ts';
import { mcpDefinitions } from '../../../../shared/adapters/targets/mcp-session.ts';
import { Gateway } from '../../../../shared/cli/mcp-gateway/gateway.ts';
import { NoDecisionError } from '../../../../shared/client/calls/errors.ts';
import { type BillingServer, startBillingServer } from './billing-server.ts';

let billing: BillingServer;
beforeEach(async () => {
  billing = await startBillingServer();
});
afterEach(() => billing.stop());

const TOOL = 'mcp__billing__refund';
const { signal } = new AbortController();

test('a withdrawal that fails ends no other, and a call that is told to come again meanwhile is withdrawn', async () => {
  const link = overHttp('billing', billing.url);
  const definitions = await mcpDefinitions(link, AbortSignal.timeout(15_000));
  const definition = definitions.find(({ name }) => name === 'refund')?.digest;
  const [withdrawn, reported]: [string[], string[]] = [[], []];
  const second = Promise.withResolvers<void>();
  const waits = [Promise.resolve(), second.promise];
  let runs = 0;
  const guard = {
    run: async () => {
      await waits[runs++];
      throw new NoDecisionError('p');
    },
    withdraw: async ({ callId }: { readonly callId: string }) => {
      withdrawn.push(callId);
      if (withdrawn.length === 1) throw new Error('SQS is away');
    },
  };
  const gateway = new Gateway({
    client: { guard: () => guard } as never,
    links: [link],
    settings: { tools: { [TOOL]: { definition } } } as never,
    hold: '1s',
    report: (error) => void reported.push(String(error)),
  });
  await gateway.call('billing__refund', { amount: 1 }, signal);
  const running = gateway.call('billing__refund', { amount: 2 }, signal);
  await expect.poll(() => runs).toBe(2);
  const closed = gateway.close();
  // The first withdrawal has failed by now, with nobody waiting for it but the end.
  await expect.poll(() => reported).toEqual(['Error: SQS is away']);
  second.resolve();
  await running;
  await closed;
  expect(new Set(withdrawn).size).toBe(2);
});
