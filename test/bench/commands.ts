/** Measures `countersign hook`, `serve` and `mcp-gateway`: start, memory, and a hundred calls at once. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { buildEntries } from '../../cdk/package/entries.ts';
import { CountersignClient } from '../../shared/client/index.ts';
import { startGateServer } from '../python/gate-server.ts';
import { connected, look, overHttp, startServers } from './support/gateway.ts';
import { ms, note, printTable } from './support/print.ts';
import { median, p95 } from './support/stats.ts';

const ROOT = join(import.meta.dirname, '../..');
const RUNS = 12;
const PARALLEL = 100;
const servers = await startServers();
const POLICY = `
people: { olga: { team: T1, user: U1, name: Olga } }
agents: { coder: { owner: olga } }
${servers.policy}`;

const cache = join(ROOT, '.cache');
mkdirSync(cache, { recursive: true });
// Inside of the repository, so that packages are found.
const out = mkdtempSync(join(cache, 'bench-commands-'));
const server = await startGateServer({ policy: POLICY });
const env = { ...process.env, ...server.environmentOf('coder') };
/** Prints the most memory that the process held, in kilobytes. The resource usage of a new process begins with that of the process that made it. */
const PEAK = `data:text/javascript,import{readFileSync}from'node:fs';process.on('exit',()=>process.stderr.write('peak='+/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status','utf8'))[1]))`;
const main = join(out, 'cli', 'main.js');
let calls = 0;

interface Ended {
  readonly took: number;
  readonly peakMb: number;
  readonly text: string;
}

async function run(argv: readonly string[], input = ''): Promise<Ended> {
  const began = performance.now();
  const child = spawn(process.execPath, ['--import', PEAK, ...argv], { env });
  let [text, err] = ['', ''];
  child.stdout.on('data', (chunk) => (text += String(chunk)));
  child.stderr.on('data', (chunk) => (err += String(chunk)));
  child.stdin.end(input);
  await new Promise((closed) => child.on('close', closed));
  const [, peak = 'NaN'] = /peak=(\d+)/.exec(err) ?? [];
  return { took: performance.now() - began, peakMb: Number(peak) / 1024, text };
}

async function repeated(name: string, once: () => Promise<Ended>) {
  const ends: Ended[] = [];
  for (let index = 0; index < RUNS; index++) ends.push(await once());
  const took = ends.map((end) => end.took);
  return [name, ms(median(took)), ms(p95(took)), `${median(ends.map((end) => end.peakMb)).toFixed(0)} MB`];
}

const hookInput = () =>
  JSON.stringify({
    hook_event_name: 'PreToolUse',
    session_id: 'bench',
    tool_name: 'Lookup',
    tool_input: { q: calls },
    tool_use_id: `toolu_${++calls}`,
  });

const residentMb = ({ pid }: { readonly pid?: number | null | undefined }): string => {
  const [, kilobytes = 'NaN'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return `${(Number(kilobytes) / 1024).toFixed(0)} MB`;
};

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function sequentially(work: () => Promise<unknown>, times = 50): Promise<number[]> {
  const took: number[] = [];
  for (let index = 0; index < times; index++) took.push(await timed(work));
  return took;
}

try {
  await buildEntries(ROOT, out);
  const rows = [
    await repeated('node, an empty program', () => run(['--eval', '0'])),
    await repeated('countersign --version', () => run([main, '--version'])),
    await repeated('countersign hook, no input', () => run([main, 'hook'])),
    await repeated('countersign hook, a call that a rule allows', async () => {
      const end = await run([main, 'hook'], hookInput());
      if (!end.text.includes('"allow"')) throw new Error(`the hook answered ${end.text}`);
      return end;
    }),
  ];
  printTable(`Processes, ${RUNS} runs each`, ['', 'p50', 'p95', 'memory at most'], rows);

  const tokenFile = join(out, 'token');
  const began = performance.now();
  const door = spawn(process.execPath, [main, 'serve', '--port', '0', '--token-file', tokenFile], { env });
  const line = await new Promise<string>((first) => door.stdout.once('data', (chunk) => first(String(chunk))));
  const ready = performance.now() - began;
  const idle = residentMb(door);
  const url = line.split('\n')[0] ?? '';
  const headers = {
    authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`,
    'content-type': 'application/json',
  };
  const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL });
  const post = (path: string, body: string, expected: string) =>
    new Promise<void>((resolve, reject) => {
      const asked = request(`${url}${path}`, { method: 'POST', headers, agent }, (response) => {
        let text = '';
        response.on('data', (chunk) => (text += String(chunk)));
        response.on('end', () =>
          text.includes(expected) ? resolve() : reject(new Error(`the door answered ${text}`)),
        );
      });
      asked.on('error', reject).end(body);
    });
  const propose = () =>
    post('/v1/calls', JSON.stringify({ run: 'bench', callId: `c${++calls}`, tool: 'Lookup', input: {} }), '"approved"');

  const client = new CountersignClient({
    ...server.gate.clientOptions('coder'),
    queue: undefined,
    reader: undefined,
    queueUrl: env.COUNTERSIGN_QUEUE_URL,
    auditTable: env.COUNTERSIGN_AUDIT_TABLE,
    aws: {
      endpoint: env.AWS_ENDPOINT_URL,
      region: 'eu-central-1',
      credentials: { accessKeyId: 'coder', secretAccessKey: 'local' },
    },
  });
  const decide = () => client.decide({ tool: 'Lookup', input: {}, id: `d${++calls}` });
  await decide();
  await propose();
  const single = [
    ['the client in this process', await sequentially(decide)],
    ['POST /v1/calls', await sequentially(propose)],
    ['POST /hooks/claude', await sequentially(() => post('/hooks/claude', hookInput(), '"allow"'))],
  ] as const;
  printTable(
    'One call that a rule allows, one after another',
    ['', 'p50', 'p95'],
    single.map(([name, took]) => [name, ms(median(took)), ms(p95(took))]),
  );

  const each: number[] = [];
  const all = await timed(() =>
    Promise.all(Array.from({ length: PARALLEL }, async () => each.push(await timed(propose)))),
  );
  printTable(
    `countersign serve, and ${PARALLEL} calls at once`,
    ['ready', 'idle', 'p50', 'p95', 'all answered', 'memory then'],
    [[ms(ready), idle, ms(median(each)), ms(p95(each)), ms(all), residentMb(door)]],
  );
  agent.destroy();

  const policyFile = join(out, 'countersign.yaml');
  writeFileSync(policyFile, POLICY);
  const gatewayArgs = [main, 'mcp-gateway', '--policy', policyFile];
  const stdio = new StdioClientTransport({
    command: process.execPath,
    args: gatewayArgs,
    env: { PATH: process.env['PATH'] ?? '', ...server.environmentOf('coder') },
    stderr: 'ignore',
  });
  const stdioBegan = performance.now();
  const stdioClient = await connected(stdio);
  const stdioReady = performance.now() - stdioBegan;
  await stdioClient.listTools();
  const stdioListed = performance.now() - stdioBegan;
  const httpBegan = performance.now();
  const httpDoor = spawn(process.execPath, [...gatewayArgs, '--http', '--port', '0', '--token-file', tokenFile], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const httpLine = await new Promise<string>((first) => httpDoor.stdout.once('data', (chunk) => first(String(chunk))));
  const httpReady = performance.now() - httpBegan;
  const httpUrl = httpLine.split('\n')[0] ?? '';
  const httpClient = await connected(overHttp(httpUrl, readFileSync(tokenFile, 'utf8').trim()));
  await httpClient.listTools();
  const idleThen = [residentMb({ pid: stdio.pid }), residentMb(httpDoor)];
  const gateways = [
    ['stdio', stdioClient],
    ['HTTP', httpClient],
  ] as const;
  const lines: string[][] = [];
  for (const way of ['program', 'remote'] as const) {
    const direct = await servers.direct(way);
    const alone = await sequentially(() => look(direct, 'look'));
    lines.push([`${way}, without the gate`, ms(median(alone)), ms(p95(alone)), '']);
    for (const [name, gated] of gateways) {
      const took = await sequentially(() => look(gated, `${way}__look`));
      lines.push([
        `${way}, by the gateway over ${name}`,
        ms(median(took)),
        ms(p95(took)),
        ms(median(took) - median(alone)),
      ]);
    }
    await direct.close();
  }
  printTable('One MCP call that a rule allows, one after another', ['', 'p50', 'p95', 'added'], lines);
  const parallel: string[][] = [];
  for (const [index, [name, gated]] of gateways.entries()) {
    const took: number[] = [];
    const whole = await timed(() =>
      Promise.all(
        Array.from({ length: PARALLEL }, async () => took.push(await timed(() => look(gated, 'program__look')))),
      ),
    );
    const memory = residentMb(index ? httpDoor : { pid: stdio.pid });
    const ready = index ? ms(httpReady) : `${ms(stdioReady)}; tools listed ${ms(stdioListed)}`;
    parallel.push([name, ready, idleThen[index] ?? '', ms(median(took)), ms(p95(took)), ms(whole), memory]);
  }
  printTable(
    `countersign mcp-gateway, and ${PARALLEL} calls at once`,
    ['', 'ready', 'idle', 'p50', 'p95', 'all answered', 'memory then'],
    parallel,
  );
  await stdioClient.close();
  await httpClient.close();
  httpDoor.kill('SIGTERM');
  await new Promise((closed) => httpDoor.on('close', closed));
  note('the gate in memory runs in the process of the benchmark, and shares the cores');
  door.kill('SIGTERM');
  await new Promise((closed) => door.on('close', closed));
  await client[Symbol.asyncDispose]();
} finally {
  await server.close();
  servers.close();
  rmSync(out, { recursive: true, force: true });
}
