/** Checks faults of Slack's client: which are Slack's own, and which are those of one message. */
import { WebAPIHTTPError, WebAPIRequestError } from '@slack/web-api';
import { expect, test } from 'vitest';
import { SlackProblemError } from '../../../../shared/adapters/slack/posting/errors.ts';
import { isOutage } from '../../../../shared/adapters/slack/posting/outage.ts';
import { heeding } from '../../../../shared/adapters/slack/posting/poster.ts';

const faultOf = (fault: unknown) => heeding(() => Promise.reject(fault)).catch((error: unknown) => error);

test.each([
  ['no connection', new WebAPIRequestError(new Error('fetch failed'))],
  ['a 503', new WebAPIHTTPError(503, 'Service Unavailable', {})],
  ['a 429', new WebAPIHTTPError(429, 'Too Many Requests', {})],
  ['a 429 that does not tell how long', new Error('Retry header did not contain a valid timeout (url: x)')],
])('%s is an outage: everything waits for it', async (_, fault) => {
  const error = await faultOf(fault);
  expect(error).toMatchObject({ problem: 'down', cause: fault });
  expect(isOutage(error)).toBe(true);
});

test.each([
  ['a card that cannot be written as JSON', new TypeError('circular structure')],
  ['a request that Slack’s web server refuses', new WebAPIHTTPError(413, 'Payload Too Large', {})],
])('%s is a fault of one message: its line moves on', async (_, fault) => {
  const error = await faultOf(fault);
  expect(error).toBe(fault);
  expect(isOutage(error)).toBe(false);
});

test.each(['ekm_access_denied', 'org_login_required', 'accesslimited', 'team_access_not_granted', 'method_deprecated'])(
  'the answer %s is an outage, whatever the message',
  (answer) => expect(isOutage(new SlackProblemError(answer))).toBe(true),
);

test('an answer that is not known is about one message', () =>
  expect(isOutage(new SlackProblemError('restricted_action'))).toBe(false));

test('a service of AWS that no address reaches is an outage', () => {
  const refused = ['10.0.0.1', '10.0.0.2'].map((address) =>
    Object.assign(new Error(`connect ECONNREFUSED ${address}:443`), { code: 'ECONNREFUSED', syscall: 'connect' }),
  );
  expect(isOutage(Object.assign(new AggregateError(refused, ''), { code: 'ECONNREFUSED' }))).toBe(true);
  expect(isOutage(new AggregateError([new TypeError('no such field')]))).toBe(false);
});
