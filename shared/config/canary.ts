/** Adds the canary to a policy as synthesis deploys it, and takes it out again. */
import { CANARY, CANARY_TOOL, CANARY_VERDICTS } from '../domain/canary.ts';
import type { PolicyDocument } from './document.ts';
import { DEFAULT_RATE } from './schema/defaults.ts';
import type { PolicyFile } from './schema/policy-file.ts';

/** The version stays that of the file: it names what people wrote. */
export const withCanary = (document: PolicyDocument): PolicyDocument => {
  const { agents, tools, rules } = document.policy;
  const own = Object.fromEntries(
    CANARY_VERDICTS.map((verdict) => {
      // Managed, so that it holds whatever sources the file drops. No person of the file is asked.
      const rule = {
        rule: `${CANARY_TOOL}(${verdict})`,
        source: 'managed' as const,
        ...(verdict === 'ask' ? { approvers: CANARY } : {}),
      };
      return [verdict, [...rules[verdict], rule]];
    }),
  );
  return {
    ...document,
    policy: {
      ...document.policy,
      agents: { ...agents, [CANARY]: AGENT },
      // Without permissions: no rule on those speaks of it.
      tools: { ...tools, [CANARY_TOOL]: { permissions: [], subject: ['verdict'], maxOutputBytes: 1 } },
      rules: { ...rules, ...own },
    },
  };
};

/** The file as people wrote it: its digest is its version. */
export function withoutCanary(policy: PolicyFile): PolicyFile {
  if (!Object.hasOwn(policy.agents, CANARY)) return policy;
  const { [CANARY]: _, ...agents } = policy.agents;
  const { [CANARY_TOOL]: __, ...tools } = policy.tools;
  const rest = (effect: (typeof CANARY_VERDICTS)[number]) => policy.rules[effect].slice(0, -1);
  return {
    ...policy,
    agents,
    tools,
    rules: { ...policy.rules, deny: rest('deny'), ask: rest('ask'), allow: rest('allow') },
  };
}

const AGENT: PolicyFile['agents'][string] = {
  owner: CANARY,
  requesters: [],
  senders: [],
  mode: 'default',
  projectRoot: '/workspace',
  home: '/home/canary',
  parents: [],
  unattended: false,
  approvers: CANARY,
  rate: { ...DEFAULT_RATE },
};
