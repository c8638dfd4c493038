/** Finds rules and settings that stop a tool of the task agent for everybody who chats with it. */
import type { RuleInput } from '../../permissions/model/types.ts';
import { TASK_TOOLS } from '../../task-agent/tools/tool-definitions.ts';
import { confirmableBy } from '../../use-cases/conversation/authorize-task-call.ts';
import { compiled, type Ground, tryCall } from './try-rules.ts';

interface StoppedTool {
  readonly code: 'stops_task_agent';
  readonly where: string;
  readonly message: string;
  readonly rule?: RuleInput | undefined;
}

const ID = '11111111-1111-4111-8111-111111111111';

/** In a chat nobody but its user can be asked: a call that needs somebody else's approval ends there. */
export function stoppedTaskTools(rules: readonly RuleInput[], ground: Ground): StoppedTool[] {
  const { policy } = ground;
  const { enabled, agent } = policy.settings.taskAgent;
  const settings = agent === undefined ? undefined : policy.settings.agents[agent];
  if (!enabled || !settings || settings.mode === 'dontAsk' || settings.unattended) return [];
  const isConfirmable = confirmableBy({ policy });
  const all = compiled(rules, ground);
  return TASK_TOOLS.flatMap(({ name }): StoppedTool[] => {
    const input = { user_id: 'u', task_id: ID, description: 'buy milk' };
    const { verdict } = tryCall({ toolName: name, input, text: name }, settings, ground, all);
    const call = { call: { id: 'call', toolName: name, input }, actionDigest: '', verdict, trace: [] };
    if (verdict.verdict !== 'ask' || isConfirmable(call)) return [];
    const rule = rules.find(({ pattern, effect }) => effect === 'ask' && pattern === verdict.rule?.pattern);
    const where = rule?.origin ? rule.pattern : `tools.${name}`;
    const message = `stops ${name} of the task agent: it asks for an approval, and in a chat nobody else is asked`;
    return [{ code: 'stops_task_agent', where, message, rule: rule?.origin ? rule : undefined }];
  });
}
