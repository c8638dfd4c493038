/** Checks whether a caller may come again where the redeem function was not reached. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { lambdaRedeemer } from '../../../shared/adapters/lambda/redeemer.ts';
import { redeemAnswer } from '../../../shared/contract/execution.ts';

async function redeemedOf(status: number, type: string) {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { 'x-amzn-errortype': type, 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const redeemer = lambdaRedeemer('redeem', { endpoint, region: 'eu-central-1', credentials });
  onTestFinished(() => redeemer.close());
  return redeemer.redeem({ proposalId: 'p', callId: 'call', permitId: 'x', toolName: 'Refund', agent: 'coder' });
}

test('a function that Lambda was too busy to start leaves the permit as it was, and is asked again in a second', async () => {
  const answer = await redeemedOf(429, 'TooManyRequestsException');
  expect(redeemAnswer.parse(answer)).toMatchObject({
    granted: false,
    permit: 'usable',
    error: { code: 'RateLimited', isRetryable: true, details: { throttlingScope: 'redeem', retryAfterMs: 1_000 } },
  });
});

test('any other fault is thrown: nobody knows whether the permit is spent', async () => {
  await expect(redeemedOf(503, 'ServiceException')).rejects.toThrow();
});
