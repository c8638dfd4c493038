/** Reads a person's text from Slack's form: undoes its escapes, and leaves out the mention of our bot. */
import { withoutEscapes } from './elements/text.ts';

/** `<@U…>`, `<#C…|name>`, `<https://…|label>`, `<!here>`; one class a step, so linear. */
const MARK = /<([^<>|]*)(?:\|([^<>]*))?>/g;

/** `self`: the ids of our own bot user, whose mentions are left out. */
export function messageOf(text: string, self: readonly (string | undefined)[]): string {
  const plain = text.replace(MARK, (whole, target: string, label: string | undefined) => {
    if (target.startsWith('@') && self.includes(target.slice(1))) return '';
    if (target.startsWith('#') && label) return `#${label}`;
    if (target.startsWith('mailto:')) return label || target.slice('mailto:'.length);
    if (/^https?:/.test(target)) return label || target;
    return whole;
  });
  return withoutEscapes(plain).trim();
}
