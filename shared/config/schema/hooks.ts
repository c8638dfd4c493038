/** Declares the section `hooks`: endpoints and functions that are asked before a call is decided. */
import ms from 'ms';
import * as z from 'zod';
import { isLoopback } from '../../domain/loopback.ts';
import { orNearest } from '../../domain/text/nearest.ts';
import { isPrivateHost } from '../../permissions/text/private-host.ts';
import { bound, boundProblems, calls } from './bounds.ts';
import { name, secretName, section, waitingTime } from './common-fields.ts';
import type { PolicyProblem } from './problems.ts';

const toolPattern = z
  .string()
  .regex(/^[A-Za-z0-9_.*-]{1,128}$/, 'must be a tool name, in which * stands for any characters');

/** A function's name, or its whole ARN with or without an alias. */
const functionName = z
  .string()
  .regex(
    /^(arn:aws[a-z-]*:lambda:[a-z0-9-]+:\d{12}:function:)?[A-Za-z0-9_-]{1,64}(:[A-Za-z0-9_$-]{1,128})?$/,
    'must be the name or the ARN of a Lambda function',
  );

/** Plain HTTP would let anybody on the way answer; on the machine itself there is no way. */
export const hookUrl = z
  .url({ abort: true })
  .refine(
    (url) => {
      const { protocol, hostname } = new URL(url);
      return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
    },
    { error: 'must be an https address (http only on this machine)' },
  )
  // The functions are in no network of anybody's: what answers there is the platform, which must hear nothing from us.
  .refine(
    (url) => {
      const { hostname } = new URL(url);
      return isLoopback(hostname) || !isPrivateHost(hostname);
    },
    { error: 'is a private address, where no receiver can be' },
  )
  .refine(
    (url) => {
      const { username, password } = new URL(url);
      return !username && !password;
    },
    { error: 'holds a name or a password: the signature is the proof' },
  );

const hook = section({
  url: hookUrl.optional().describe('Is sent the call with POST, signed with the secret.'),
  secret: secretName.optional().describe('Name of the secret that signs the request; needed with a url.'),
  function: functionName.optional().describe('Is invoked with the call, instead of a url.'),
  agents: z.array(name).min(1).optional().describe('Whose calls; default: those of every agent.'),
  tools: z
    .array(toolPattern)
    .min(1)
    .default(['*'])
    .describe('Which calls, by tool; those of the task agent are a matter of rules alone.'),
  timeout: waitingTime.default(ms('5s')).describe('At most 15s.'),
  secrets: z
    .boolean()
    .default(false)
    .describe('Whether it is sent the call with its secrets; otherwise marks stand in their place (D54).'),
  perMinute: bound(calls)
    .prefault({ perAgent: 300, inAll: 1_200 })
    .describe('Calls of it in one minute of the clock: a number, or { perAgent, inAll }. Beyond them onFailure holds.'),
  onFailure: z
    .enum(['ask', 'deny'])
    .default('ask')
    .describe(
      'What becomes of the call if the hook fails, is late, is not asked or gives no usable answer. Never allow (G9).',
    ),
});

/** More would not fit the time that one message has. */
const MAX_HOOKS = 10;
const MAX_MS = 15_000;

export const hooks = z
  .record(name.max(64), hook)
  .default({})
  .describe('Who else is asked before a call is decided, at most ten.');
export type HookSettings = z.output<typeof hook>;

/** Finds problems across the keys of hooks. */
export function hookProblems(
  hooks: Readonly<Record<string, HookSettings>>,
  agents: Readonly<Record<string, unknown>>,
): PolicyProblem[] {
  const problems: PolicyProblem[] = [];
  const refuse = (path: PolicyProblem['path'], message: string) => problems.push({ path: ['hooks', ...path], message });
  if (Object.keys(hooks).length > MAX_HOOKS) refuse([], `holds more than ${MAX_HOOKS} hooks`);
  for (const [id, { url, secret, function: lambda, agents: named, timeout, perMinute }] of Object.entries(hooks)) {
    if ((url === undefined) === (lambda === undefined)) refuse([id], 'needs one of url and function');
    if (url !== undefined && secret === undefined)
      refuse([id], 'a url needs a secret, so that the receiver can trust it');
    if (lambda !== undefined && secret !== undefined) refuse([id, 'secret'], 'is of no use with a function');
    if (timeout > MAX_MS) refuse([id, 'timeout'], 'is longer than 15s');
    problems.push(...boundProblems(perMinute, ['hooks', id, 'perMinute']));
    for (const [index, agent] of (named ?? []).entries()) {
      if (!Object.hasOwn(agents, agent))
        refuse([id, 'agents', index], `${agent} is not declared under agents${orNearest(agent, Object.keys(agents))}`);
    }
  }
  return problems;
}
