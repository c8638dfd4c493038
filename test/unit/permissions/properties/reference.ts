/**
 * Evaluates policies a second time, as plainly as possible: the truth table of D1–D12.
 *
 * Written apart from the gate, over the words of `arbitraries.ts`.
 */
import type { SessionFacts } from '../../../../shared/permissions/model/types.ts';
import type { TestCall, TestRule } from './arbitraries.ts';

export interface Setting {
  readonly mode: string;
  readonly bypass: { readonly enabled: boolean; readonly honoursRules: boolean };
  readonly managedRulesOnly: boolean;
  readonly workspaceTrusted: boolean;
  readonly unattended: boolean;
}

type Verdict = 'allow' | 'ask' | 'deny' | 'error';

const PERMISSIONS: Record<string, string> = { Read: 'Read', Write: 'Write', Bash: 'Execute', WebFetch: 'Network' };

const underSrc = (path: string, anywhere: boolean) => path.startsWith('src/') || (anywhere && path.includes('/src/'));

/** Does a deny or ask rule with this pattern speak of the call? */
function speaksOf(pattern: string, { toolName, input }: TestCall): boolean {
  const path = input['file_path'] ?? '';
  const command = input['command'] ?? '';
  const file = toolName === 'Read' || toolName === 'Write';
  switch (pattern) {
    case '*':
      return true;
    case 'M*':
      return toolName.startsWith('M');
    case 'mcp__*':
      return toolName.startsWith('mcp__');
    case 'mcp__db__*':
      return toolName.startsWith('mcp__db__');
    case 'Edit':
      return toolName === 'Write';
    case 'Bash(*)':
      return toolName === 'Bash';
    case 'Bash(foo:*)':
      return toolName === 'Bash' && (command === 'foo' || command.startsWith('foo '));
    case 'Bash(foo a)':
      return toolName === 'Bash' && command === 'foo a';
    case 'Bash(bar:*)':
      return toolName === 'Bash' && (command === 'bar' || command.startsWith('bar '));
    case 'Bash(f*)':
      return toolName === 'Bash' && command.startsWith('f');
    case 'Read(src/**)':
      return file && underSrc(path, true);
    case 'Edit(src/**)':
      return toolName === 'Write' && underSrc(path, true);
    case 'Read(secrets/**)':
      return file && path.startsWith('secrets/');
    case 'Write(/src/*.ts)':
      return toolName === 'Write' && path === 'src/a.ts';
    case 'WebFetch(domain:a.example)':
      return input['url']?.startsWith('https://a.example/') === true;
    case 'WebFetch(domain:*.example)':
      return toolName === 'WebFetch';
    default:
      return toolName === pattern;
  }
}

/** An allow is anchored where a deny floats, reads no more than it says, and takes no `*` for a tool's name. */
function grants(pattern: string, call: TestCall): boolean {
  if (pattern === '*' || pattern === 'M*' || pattern === 'mcp__*') return false;
  const path = call.input['file_path'] ?? '';
  if (pattern === 'Read(src/**)') return call.toolName === 'Read' && underSrc(path, false);
  if (pattern === 'Edit(src/**)') return call.toolName === 'Write' && underSrc(path, false);
  if (pattern === 'Read(secrets/**)') return call.toolName === 'Read' && path.startsWith('secrets/');
  return speaksOf(pattern, call);
}

export function reference(call: TestCall, rules: readonly TestRule[], setting: Setting, facts: SessionFacts): Verdict {
  const own = decide(call, rules, setting, facts);
  const open = own === 'allow' || own === 'ask';
  const parent = facts.parent;
  // A deny at any level wins (A3), and a refused call is not asked again (D11).
  if (open && setting.mode === 'bubble' && parent?.state === 'cycle') return 'deny';
  const refused = parent?.state === 'answered' && (parent.verdict === 'deny' || parent.verdict === 'error');
  if (open && setting.mode === 'bubble' && refused) return parent.verdict;
  const first = own === 'ask' && facts.refusal !== undefined ? 'deny' : own;
  if (first === 'allow' && facts.hook?.decision === 'failed') return quiet('ask', setting);
  return quiet(first, setting);
}

function quiet(verdict: Verdict, setting: Setting): Verdict {
  return verdict === 'ask' && (setting.mode === 'dontAsk' || setting.unattended) ? 'deny' : verdict;
}

function decide(call: TestCall, rules: readonly TestRule[], setting: Setting, facts: SessionFacts): Verdict {
  const permission = PERMISSIONS[call.toolName];
  const mode = setting.mode === 'bypass' && !setting.bypass.enabled ? 'default' : setting.mode;
  if (JSON.stringify(call.input).includes('.env')) return 'deny';
  if (facts.hook?.decision === 'deny') return 'deny';
  if (mode === 'bypass' && !setting.bypass.honoursRules) return 'allow';
  if (mode === 'plan' && permission !== 'Read' && permission !== 'Network') return 'deny';

  const matching = (effect: string) => rules.filter((rule) => rule.effect === effect && speaksOf(rule.pattern, call));
  if (matching('deny').length > 0) return 'deny';
  if (matching('ask').length > 0) return 'ask';
  const allows = rules.filter(
    (rule) =>
      rule.effect === 'allow' &&
      grants(rule.pattern, call) &&
      (!setting.managedRulesOnly || rule.source === 'managed') &&
      (setting.workspaceTrusted || (rule.source !== 'project' && rule.source !== 'local')),
  );
  if (allows.length > 0 && !closeToDenied(call, rules)) return 'allow';
  // No machine allows what a person has just refused (D55).
  if (facts.hook?.decision === 'allow' && facts.refusal === undefined) return 'allow';

  if (facts.refusal !== undefined) return 'deny';
  if (facts.grant !== undefined) return 'allow';
  const denials = facts.denials;
  if (
    denials !== undefined &&
    !['dontAsk', 'plan', 'bypass'].includes(mode) &&
    (denials.consecutive >= 3 || denials.total >= 20)
  )
    return 'ask';

  const inside = call.input['file_path']?.startsWith('/') === false;
  const safeRead = permission === 'Read' && inside;
  switch (mode) {
    case 'default':
      return safeRead ? 'allow' : 'ask';
    case 'acceptEdits':
      return safeRead || (permission === 'Write' && inside) ? 'allow' : 'ask';
    case 'plan':
    case 'bypass':
      return 'allow';
    case 'dontAsk':
      return 'deny';
    case 'auto': {
      if (denials?.deniedBefore === true) return 'deny';
      if (facts.classifier?.state !== 'answered' || facts.classifier.result.confidence < 0.8) return 'ask';
      return facts.classifier.result.shouldBlock ? 'deny' : 'allow';
    }
    default: {
      if (facts.parent?.state === 'cycle') return 'deny';
      return facts.parent?.state === 'answered' ? facts.parent.verdict : 'ask';
    }
  }
}

/** The words of the generated commands never come close to a deny or ask rule that does not match them. */
function closeToDenied(_call: TestCall, _rules: readonly TestRule[]): boolean {
  return false;
}
