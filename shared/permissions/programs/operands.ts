/** What the option table says about operands and values: addresses, scripts, commands for other machines. */
import type { Field } from '../shell/fields.ts';
import { webAddress } from '../web-address.ts';
import type { OptionSpec, ReadOption } from './options.ts';
import { isHarmlessJq } from './scripts.ts';

const GROUPS: ReadonlySet<string> = new Set([
  'container',
  'image',
  'network',
  'volume',
  'system',
  'context',
  'compose',
]);

const READING: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    'docker',
    new Set([
      'ps',
      'images',
      'logs',
      'inspect',
      'version',
      'info',
      'top',
      'port',
      'stats',
      'diff',
      'history',
      'events',
      'ls',
      'search',
    ]),
  ],
  [
    'kubectl',
    new Set(['get', 'describe', 'logs', 'version', 'explain', 'top', 'api-resources', 'api-versions', 'cluster-info']),
  ],
]);

export function scriptOperand(
  check: (script: string) => boolean,
  scriptOptions: readonly string[],
  what: string,
): OptionSpec['operands'] {
  return (operands: readonly Field[], options: readonly ReadOption[]) => {
    const given = options.filter((option) => scriptOptions.includes(option.name));
    const scripts = given.length > 0 ? given.map((option) => option.value) : [operands[0]];
    for (const script of scripts) {
      if (script === undefined) continue;
      if (!script.known || !check(script.text)) return `a ${what} script that may do more than transform text`;
    }
    return undefined;
  };
}

export function webOperands(operands: readonly Field[]): string | undefined {
  for (const { text, known } of operands) {
    if (!known) continue;
    const address = webAddress(text.includes('://') ? text : `http://${text}`);
    if (address?.web !== true) return 'an address that is not http or https';
    if (
      address.host.startsWith('169.254.') ||
      address.host === '[fd00:ec2::254]' ||
      address.host.startsWith('metadata')
    )
      return 'a metadata address';
  }
  return undefined;
}

/** curl reads a file where a value starts with `@`, and from `<` in forms. */
export function curlValue(name: string, value: Field): string | undefined {
  if (!value.known && value.text.startsWith('\ufffc')) return `the value of ${name}`;
  return value.text.startsWith('@') || value.text.includes('=@') || value.text.startsWith('<')
    ? 'a value that reads a file'
    : undefined;
}

export function noAssignments(operands: readonly Field[]): string | undefined {
  return operands.some((field) => field.text.includes('=') || !field.known) ? 'an assignment to make' : undefined;
}

export function noCommand(operands: readonly Field[]): string | undefined {
  return operands.length > 1 ? 'a command for the other machine' : undefined;
}

export function plusOperands(operands: readonly Field[]): string | undefined {
  return operands.some((field) => field.text.startsWith('+')) ? 'a command to an editor or pager' : undefined;
}

export function dateOperands(operands: readonly Field[]): string | undefined {
  return operands.some((field) => !field.text.startsWith('+')) ? 'setting the clock' : undefined;
}

export function jqOperands(operands: readonly Field[], options: readonly ReadOption[]): string | undefined {
  // `--arg name value` shifts the filter: with it, any operand may be the filter.
  const shifts = options.some((option) => option.name === '--arg' || option.name === '--argjson');
  const scripts = shifts ? operands : operands.slice(0, 1);
  return scripts.some((field) => !field.known || !isHarmlessJq(field.text))
    ? 'a jq script that may read the environment or files'
    : undefined;
}

/** Old-style bundles (`tar xzf a`) come as an operand: only listing is harmless. */
export function tarOperands(operands: readonly Field[], options: readonly ReadOption[]): string | undefined {
  const dashed = options.some((option) => option.name === '-t' || option.name === '--list');
  if (dashed) return undefined;
  const bundle = operands[0]?.text ?? '';
  const lists = bundle.includes('t') && [...bundle].every((char) => 'tvfzjJ'.includes(char));
  return lists && operands[1]?.text.includes(':') !== true ? undefined : 'tar that does more than list';
}

export function dockerOperands(program: 'docker' | 'kubectl'): OptionSpec['operands'] {
  return (operands) => {
    const names = operands.map((field) => field.text);
    const at = program === 'docker' && GROUPS.has(names[0] ?? '') ? 1 : 0;
    const name = names[at];
    return name === undefined || READING.get(program)?.has(name) === true
      ? undefined
      : `${program} ${name.slice(0, 40)}`;
  };
}
