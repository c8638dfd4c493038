/**
 * Runs the rules of secretlint's recommended preset as a `SecretDetector`.
 *
 * `@secretlint/core` is not used, because it obeys comments that switch rules off, and here an agent writes the text;
 * loading it also takes five times as long. `@secretlint/types` is a dependency of ours for the preset's declarations: they import it, and the preset
 * does not install it.
 */
import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import type { SecretSpan } from '../../domain/redaction/text/marker.ts';
import type { SecretDetector } from '../../ports/secret-detector.ts';

/** The context of a rule, as far as scanners of text use it. */
interface RuleContext {
  createTranslator(): (id: string) => { readonly message: string; readonly messageId: string };
  report(descriptor: { readonly range: readonly [number, number] }): void;
  ignore(): void;
}

/** `credentials in an address` are found more narrowly by our own finder: these two take the host along, which people have to see. */
const LEFT_OUT = /-(?:basicauth|database-connection-string)$/;

/** No file of any known name: a rule that reads only such files has nothing to say. */
const SOURCE = { filePath: 'input.txt', ext: '.txt', contentType: 'text' } as const;

export function secretlintDetector(): SecretDetector {
  let text = '';
  let spans: SecretSpan[] = [];
  const scanners = rules
    .filter(({ meta }) => meta.type === 'scanner' && !LEFT_OUT.test(meta.id))
    .map((rule) => {
      const kind = rule.meta.id.replace(/^.*secretlint-rule-/, '');
      const context: RuleContext = {
        createTranslator: () => (id) => ({ message: id, messageId: id }),
        report: ({ range: [start, end] }) => {
          spans.push({ ...narrowed(text, start, end), kind });
        },
        ignore: () => undefined,
      };
      return rule.create(context as never, {});
    });
  return {
    find(content) {
      text = content;
      spans = [];
      for (const scanner of scanners) scanner.file?.({ ...SOURCE, content, hasBOM: false } as never);
      return spans;
    },
  };
}

/** Some rules report the name or the address before the secret too: those are for people to see. */
function narrowed(text: string, start: number, end: number): Pick<SecretSpan, 'start' | 'end'> {
  const all = text.slice(start, end);
  const address = /^[a-z][a-z0-9+.-]{1,30}:\/\/[^?#\s]{1,300}\//i.exec(all);
  const name = /^[A-Za-z][A-Za-z0-9_.-]{0,64}["']?[ \t]{0,4}(?:=>|[=:])[ \t]{0,4}["']?/.exec(all);
  return { start: start + ((address ?? name)?.[0].length ?? 0), end };
}
