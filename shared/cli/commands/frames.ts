/** `countersign frames`: names the sources behind the frames of log lines. */
import { type Command, Option } from 'commander';
import { FUNCTIONS } from '../../../cdk/constructs/functions/function-names.ts';
import type { SourceOf } from '../../../cdk/package/frames-archive.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { CliError, type Io } from '../support/io.ts';
import { plain } from '../support/terminal.ts';

interface FramesOptions {
  readonly function?: string;
}

/** A file of a bundle, as esbuild names it, with line and column. */
const FRAME = /\b(chunk-[A-Z0-9]{8}\.mjs|index\.mjs):(\d{1,7}):(\d{1,7})/g;
/** Each line of a function's log names the function, and that of a fault the version. Inside of another JSON text quotes are escaped. */
const FUNCTION = /\\*"function\\*": ?\\*"([a-z-]{1,40})\\*"/;
const VERSION = /\\*"version\\*": ?\\*"([\w.+-]{1,80})\\*"/;

export function addFrames(program: Command, io: Io): void {
  program
    .command('frames')
    .summary('show the source lines of the stack frames in logs')
    .description(
      'Reads log lines of the functions, and prints them with the source file and line in place of each frame. Has to be the version that the functions run, ' +
        'which their lines `started` name: a frame of another build stays as it is, and exits with 1.',
    )
    .argument('[frame...]', 'such as chunk-KR5WSBYK.mjs:13:5417; without one, standard input')
    .addOption(
      new Option('--function <name>', 'whose index.mjs is meant, where the line does not say').choices(FUNCTIONS),
    )
    .addHelpText('after', '\nExample\n  aws logs tail LOG_GROUP --format short | countersign frames')
    .action(async (given: readonly string[], options: FramesOptions) => {
      const [{ openFrames }, { packageRoot }] = await Promise.all([
        import('../../../cdk/package/frames-archive.ts'),
        import('../../../cdk/constructs/functions/package-root.ts'),
      ]);
      const sourceOf = openFrames(packageRoot());
      let unknown = 0;
      for await (const line of given.length ? given : linesOf(io.stdin())) {
        const named = nameFrames(line, options.function, sourceOf);
        unknown += named.unknown;
        io.out(`${plain(named.text)}\n`);
      }
      if (unknown)
        throw new CliError(
          `${unknown} ${unknown === 1 ? 'frame is' : 'frames are'} not of this build: ` +
            'take the version that the functions run (countersign status), and name the function of index.mjs with --function',
        );
    });
}

function nameFrames(text: string, functionName: string | undefined, sourceOf: SourceOf) {
  const stated = VERSION.exec(text)?.[1] ?? manifest.version;
  // The names of chunks hold a digest of their code; that of an index does not.
  const of = stated === manifest.version ? (FUNCTION.exec(text)?.[1] ?? functionName) : undefined;
  let unknown = 0;
  const named = text.replace(FRAME, (frame: string, file: string, line: string, column: string) => {
    const found = sourceOf(file, of, Number(line), Number(column));
    if (!found) unknown += 1;
    return found ? `${found.source}:${found.line}` : frame;
  });
  return { text: named, unknown };
}

async function* linesOf(input: AsyncIterable<unknown>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of input) {
    const lines = `${rest}${String(chunk)}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest) yield rest;
}
