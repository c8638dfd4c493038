/** Finds tools that can do more than is stated, that ask nobody, or that cost too much. */
import type { PolicyDocument } from '../../config/document.ts';
import { guardrailsOf, resolveCall } from '../../config/readers/guardrails-of.ts';
import { toolEntries } from '../../config/rules.ts';
import { builtInTool, createToolRegistry } from '../../permissions/model/tools.ts';
import type { RuleInput } from '../../permissions/model/types.ts';
import { namesTool, type ParsedPattern } from '../../permissions/rules/parse.ts';

interface About {
  readonly code: string;
  readonly where: string;
  readonly message: string;
}

interface Read {
  readonly rule: RuleInput;
  readonly parsed: ParsedPattern;
}

/** Modes go by permissions: a Bash that only reads runs unasked. */
export function understated({ policy: { tools } }: PolicyDocument): About[] {
  return Object.entries(tools).flatMap(([name, { permissions }]) => {
    const missing = (builtInTool(name)?.permissions ?? []).filter((each) => permissions?.includes(each) === false);
    if (!missing.length) return [];
    const message = `can ${missing.join(' and ')}, and its permissions leave that out: modes judge it as if it could not`;
    return [{ code: 'fewer_permissions', where: `tools.${name}`, message }];
  });
}

/** Two runs of such a tool are two effects: somebody should be asked, or the file should say that nobody is. */
export function unasked({ policy: { tools } }: PolicyDocument, rules: readonly Read[]): About[] {
  return Object.entries(tools).flatMap(([name, { effect }]) => {
    if (effect !== 'NonIdempotentWrite') return [];
    const concerning = rules.filter(({ parsed }) => parsed.kind === 'every' || namesTool(parsed.tool, name));
    const isStricter = ({ rule }: Read) => rule.effect !== 'allow';
    if (!concerning.length || concerning.some(isStricter)) return [];
    const message = 'is NonIdempotentWrite and allowed, and no rule asks or denies';
    return [{ code: 'never_asked', where: `tools.${name}`, message }];
  });
}

/** A call is admitted only if the most that it may cost fits whole: where a day's budget is smaller, none ever is. */
export function unaffordable({ policy }: PolicyDocument): About[] {
  const guardrails = guardrailsOf(policy);
  const tools = createToolRegistry(toolEntries(policy)).list();
  const messages = new Set<string>();
  for (const agentId of Object.keys(policy.agents))
    for (const { name: toolName } of tools) {
      const { settings, layers, budgets } = resolveCall({ guardrails }, { toolName, agentId, now: 0 });
      for (const { id, kind, limit } of budgets)
        if (kind === 'cost' && settings.costPerCall > limit)
          messages.add(
            `costPerCall ${settings.costPerCall} of ${layers.costPerCall} is more than the costPerDay ${limit} of ${id}: no such call can run`,
          );
    }
  return [...messages].map((message) => ({ code: 'never_affordable', where: 'guardrails', message }));
}
