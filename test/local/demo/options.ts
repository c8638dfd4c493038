/** Reads the command line of the demo, and holds its help. */
import { parseArgs } from 'node:util';

export const HELP = `Countersign's demo: an agent asks, rules and people decide, on this machine.

Usage: npm run demo -- [options]

  --yes            click by itself in a headless browser, and end
  --tour           play every scene by itself, and end
  --policy FILE    run your own policy file instead of the demo's
  --memory         without an AWS endpoint: the same code on adapters in memory
  --endpoint NAME  ministack, localstack, or the address of a loopback endpoint
  --help           this text

With a terminal it opens the page where people click, and offers further scenes.
`;

export type DemoOptions = ReturnType<typeof readOptions>;

/** @throws TypeError for what is no option. */
export function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      yes: { type: 'boolean', default: false },
      tour: { type: 'boolean', default: false },
      memory: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
      policy: { type: 'string', default: 'test/local/demo/demo.yaml' },
      /** `ministack`, `localstack`, or the address of an endpoint that runs already. */
      endpoint: { type: 'string' },
    },
  });
  return values;
}
