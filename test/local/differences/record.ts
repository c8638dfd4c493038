/** Records the answers of both endpoints, as they come and as corrected: `npm run differences`. */
import { writeFileSync } from 'node:fs';
import { type EndpointName, startEndpoint } from '../endpoint/start-endpoint.ts';
import { observe } from './observe.ts';
import { type Observed, PAGE, pinnedVersions, RECORDED, type Recorded, render } from './table.ts';

async function observed(name: EndpointName, corrected: boolean): Promise<Observed> {
  console.log(`${name}, ${corrected ? 'corrected' : 'as it comes'}`);
  const env = { ...process.env, COUNTERSIGN_ENDPOINT: name, AWS_ENDPOINT_URL: '' };
  const endpoint = await startEndpoint({ corrected, env, onProgress: (line) => console.log(`  ${line}`) });
  try {
    return await observe(endpoint);
  } finally {
    await endpoint.stop();
  }
}

const both = async (name: EndpointName) => ({
  plain: await observed(name, false),
  corrected: await observed(name, true),
});

const recorded: Recorded = {
  versions: pinnedVersions(),
  observed: { ministack: await both('ministack'), localstack: await both('localstack') },
};
writeFileSync(RECORDED, `${JSON.stringify(recorded, undefined, 2)}\n`);
writeFileSync(PAGE, render(recorded));
console.log(`written: ${PAGE}`);
